package bench

import (
	"context"
	"strings"

	"heldout/configs"
	"heldout/envs"
	"heldout/eval/episode"
	"heldout/perturb"
	"heldout/scoring/record"
)

// OpeningText returns what a model is told before its first action on a task: the messages of the
// agent react with heldout's own prompt, in the form of the environment's perturbation.
func OpeningText(ctx context.Context, env envs.Env, task envs.Task) (string, error) {
	prompt, err := toldPrompt(env, task)
	if err != nil {
		return "", err
	}
	told := episode.Episode{Task: &task, Condition: &record.Condition{StepLimit: 1},
		Benchmark: &episode.Benchmark{Env: env, Prompt: prompt},
		Player:    &episode.Player{Agent: configs.React, Model: idler{new(tokenUsage)}}}
	turns, err := told.Opening(ctx, 1)
	if err != nil {
		return "", err
	}
	var texts []string
	for _, m := range turns[0].Exchanges[0].Request.Messages {
		texts = append(texts, m.Content)
	}
	return strings.Join(texts, "\n\n"), nil
}

// toldPrompt is heldout's own prompt for a task, as the environment is spoken to.
func toldPrompt(env envs.Env, task envs.Task) (configs.Prompt, error) {
	prompt, _, err := promptFor(env.Info(), "", anyPromptFile)
	if perturbed, ok := env.(*perturb.Env); ok && err == nil {
		return perturbed.WritePrompt(prompt, []envs.Task{task})
	}
	return prompt, err
}
