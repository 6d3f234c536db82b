package bench

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/alfworld"
	"heldout/envs/datafile"
	"heldout/eval/episode"
	"heldout/eval/model"
	"heldout/perturb"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// promptFor returns the prompt of an environment as it is set up: the user's, or the
// built-in one in the named or newest version. check is for a file; nil takes it whoever reads it.
func promptFor(info envs.Info, name string, check func(configs.PromptFile) error) (configs.Prompt, record.Prompt,
	error) {
	own := info.Name
	switch {
	case isPromptFile(name):
	case info.Instructions != nil:
		version := cmp.Or(name, configs.PromptVersions()[0])
		p, err := configs.InstructionsPrompt(version, info.Instructions)
		about := promptRecord(record.BuiltIn, p)
		about.Version = version
		return p, about, err
	default:
		var err error
		if own, err = ownPrompt(info); err != nil {
			return configs.Prompt{}, record.Prompt{}, err
		}
	}
	return loadPrompt(own, name, check)
}

// loadPrompt returns the prompt of an environment: the user's, which is checked, or the
// built-in one in the named or newest version.
func loadPrompt(env, name string, check func(configs.PromptFile) error) (configs.Prompt, record.Prompt, error) {
	if name == "" {
		name = configs.PromptVersions()[0]
	}
	if !isPromptFile(name) {
		p, err := configs.LoadPrompt(env, name)
		about := promptRecord(record.BuiltIn, p)
		about.Version = name
		return p, about, err
	}
	b, err := datafile.Read(name, datafile.MaxConfig)
	if err != nil {
		return configs.Prompt{}, record.Prompt{}, err
	}
	p, err := configs.ParsePrompt(name, b)
	if err == nil && check != nil {
		err = check(configs.PromptFile{Name: name, Content: b})
	}
	return p, promptRecord(name, p), err
}

// ownPromptFile checks a prompt for the agents that a run has without a preset, which may share one.
func ownPromptFile(f configs.PromptFile) error {
	return configs.CheckPromptFile(f, true, configs.Agents()...)
}

// FileOr parses a user's file, or returns heldout's own without one.
func FileOr[T any](name string, own func() (T, error), parse func(string, []byte) (T, error)) (out T, err error) {
	if name == "" {
		return own()
	}
	b, err := datafile.Read(name, datafile.MaxConfig)
	if err != nil {
		return out, err
	}
	return parse(name, b)
}

func isPromptFile(name string) bool {
	return name != "" && !slices.Contains(configs.PromptVersions(), name)
}

// promptRecord names a prompt with the hash of what it says.
func promptRecord(file string, p configs.Prompt) record.Prompt {
	hash, err := p.Hash()
	if err != nil {
		hash = err.Error() // strings and maps of them always marshal
	}
	return record.Prompt{File: file, SHA256: hash}
}

// ownPrompt names our prompt for an environment as it is set up. ALFWorld's second dialect has a prompt of its own.
func ownPrompt(info envs.Info) (string, error) {
	dialect := info.Settings["dialect"]
	switch {
	case info.Name != alfworld.Name:
		return info.Name, nil
	case info.Settings["variant"] == alfworld.ALFWorld:
		return "", fmt.Errorf("our prompts for %s are for AgentBoard's layer, which the variant %s does not have: "+
			"give one with --prompt, or play a --preset", info.Name, alfworld.ALFWorld)
	case dialect == "":
		return info.Name, nil
	case dialect == "v2":
		return info.Name + "-v2", nil
	}
	return "", fmt.Errorf("our prompts for %s speak dialect v1 or v2, not %s: give one that does with --prompt",
		info.Name, dialect)
}

// OpeningText returns what a model is told before its first action on a task: the messages of the
// agent react with heldout's own prompt, in the form of the environment's perturbation.
func OpeningText(ctx context.Context, env envs.Env, task envs.Task) (string, error) {
	prompt, err := toldPrompt(env, task)
	if err != nil {
		return "", err
	}
	opening := episode.Episode{Task: &task, Condition: &record.Condition{StepLimit: 1},
		Benchmark: &episode.Benchmark{Env: env, Prompt: prompt},
		Player:    &episode.Player{Agent: configs.React, Model: idler{new(tokenUsage)}}}
	turns, err := opening.Opening(ctx, 1)
	if err != nil {
		return "", err
	}
	messages := turns[0].Exchanges[0].Request.Messages
	return strings.Join(table.Each(messages, func(m model.Message) string { return m.Content }), "\n\n"), nil
}

// toldPrompt is heldout's own prompt for a task, as the environment is spoken to.
func toldPrompt(env envs.Env, task envs.Task) (configs.Prompt, error) {
	prompt, _, err := promptFor(env.Info(), "", nil)
	if perturbed, ok := env.(*perturb.Env); ok && err == nil {
		return perturbed.WritePrompt(prompt, []envs.Task{task})
	}
	return prompt, err
}
