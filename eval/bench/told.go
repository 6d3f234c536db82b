package bench

import (
	"context"
	"errors"
	"strings"

	"heldout/configs"
	"heldout/envs"
	"heldout/eval/agent"
	"heldout/eval/model"
	"heldout/perturb"
)

// OpeningText returns what a model is told before its first action on a task: the messages of the
// agent react with heldout's own prompt, in the form of the environment's perturbation.
func OpeningText(ctx context.Context, env envs.Env, task envs.Task) (string, error) {
	prompt, err := toldPrompt(env, task)
	if err != nil {
		return "", err
	}
	in, err := prompt.For(task.Type)
	if err != nil {
		return "", err
	}
	w, err := env.NewWorld(task)
	if err != nil {
		return "", err
	}
	defer func() { _ = w.Close() }() // nothing is left to be done with it
	start, err := w.Start(ctx)
	if err != nil {
		return "", err
	}
	var heard listener
	player := agent.NewReact(agent.Chat{Model: &heard, Seed: func(int) int64 { return 0 }}, in, prompt.React, start)
	if _, err := player.Act(ctx); !errors.Is(err, errAsked) {
		return "", err
	}
	return strings.Join(heard.texts, "\n\n"), nil
}

// toldPrompt is heldout's own prompt for a task, as the environment is spoken to.
func toldPrompt(env envs.Env, task envs.Task) (configs.Prompt, error) {
	prompt, _, err := promptFor(env.Info(), "", anyPromptFile)
	if perturbed, ok := env.(*perturb.Env); ok && err == nil {
		return perturbed.WritePrompt(prompt, []envs.Task{task})
	}
	return prompt, err
}

// listener is a model that only listens to the first call.
type listener struct{ texts []string }

var errAsked = errors.New("it was asked")

// Chat implements model.Model.
func (a *listener) Chat(_ context.Context, req model.Request) (model.Reply, error) {
	for _, m := range req.Messages {
		a.texts = append(a.texts, m.Content)
	}
	return model.Reply{}, errAsked
}
