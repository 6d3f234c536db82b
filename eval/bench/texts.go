package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"heldout/configs"
	"heldout/envs"
	"heldout/eval/originals"
	"heldout/perturb"
	"heldout/scoring/record"
)

// Texts are where the texts of runs come from. Records hold only their hashes, and
// name files that may be others by now, so the user names the files again.
type Texts struct {
	// Prompts are the user's prompt files; Reflection is the file of the reflection
	// prompt; Originals are where the files of a preset's source are.
	Prompts    []string
	Reflection string
	Originals  originals.Places
	// Setup and Outside open environments whose prompts are perturbed.
	Setup   envs.Setup
	Outside envs.Outside
}

// ModelTexts are the texts that a model got under a condition, beside its task.
type ModelTexts struct {
	Prompt configs.Prompt
	// Preset is the preset as it was played.
	Preset configs.Preset
	// Memory introduces reflections on earlier trials.
	Memory string
}

// Find finds the texts of a condition by their hashes.
func (x Texts) Find(m *record.Manifest, c record.Condition) (ModelTexts, error) {
	var t ModelTexts
	preset, err := PlayedPreset(m, c)
	if err != nil {
		return t, err
	}
	own, err := configs.HashJSON(preset.Agent.Reflection)
	if err != nil {
		return t, err
	}
	if t.Preset, err = x.reader(&preset).Fill(preset); err != nil {
		return t, err
	}
	if t.Prompt, err = x.prompt(m, c, &t.Preset); err != nil {
		return t, err
	}
	if c.Trials != nil && c.Trials.Memory > 0 && c.Trials.PromptHash != own {
		t.Memory, err = x.memory(c)
	}
	return t, err
}

// PlayedPreset returns the preset of a condition, as it was played, from the manifest.
func PlayedPreset(m *record.Manifest, c record.Condition) (p configs.Preset, err error) {
	if c.Preset == nil {
		return configs.DefaultPreset(c.Env), nil
	}
	about := m.Protocol(c.Preset)
	if about == nil {
		return p, fmt.Errorf("the run does not say what its preset %s is", c.Preset.Name)
	}
	if err := json.Unmarshal(about.Definition, &p); err != nil {
		return p, fmt.Errorf("the definition of the preset %s: %w", c.Preset.Name, err)
	}
	if hash, err := p.Hash(); err != nil || hash != c.Preset.SHA256 {
		return p, errors.Join(err, fmt.Errorf("the definition of the preset %s has the hash %.8s, want %.8s: it "+
			"was changed, or comes from another version of heldout", c.Preset.Name, hash, c.Preset.SHA256))
	}
	return p, nil
}

// Would returns the prompt that a model would have had in the place of a player without one: the first of the
// user's prompt files, or heldout's own. Env is the environment of the task if its perturbation is drawn, else nil.
func (x Texts) Would(m *record.Manifest, c record.Condition, env *perturb.Env, t envs.Task) (configs.Prompt, error) {
	about, _ := m.EnvironmentOf(c)
	prompt, _, err := promptFor(about.Info, slices.Concat(x.Prompts, []string{""})[0], nil)
	if err != nil {
		return configs.Prompt{}, err
	}
	if env != nil {
		return env.WritePrompt(prompt, []envs.Task{t})
	}
	rewrite, err := x.rewriting(m, c)
	if err != nil {
		return configs.Prompt{}, err
	}
	return rewrite(prompt)
}

// prompt finds the prompt with the hash of a condition.
func (x Texts) prompt(m *record.Manifest, c record.Condition, p *configs.Preset) (configs.Prompt, error) {
	rewrite, err := x.rewriting(m, c)
	if err != nil {
		return configs.Prompt{}, err
	}
	candidates, problem := x.candidates(m, c, p)
	for _, candidate := range candidates {
		rewritten, err := rewrite(candidate)
		if err != nil {
			continue
		}
		if hash, err := rewritten.Hash(); err == nil && hash == c.PromptHash {
			return rewritten, nil
		}
	}
	if problem != nil {
		return configs.Prompt{}, problem
	}
	name := m.Prompts[c.Env].File
	if c.Preset != nil {
		name = m.Prompts[c.Preset.Name].File
	}
	return configs.Prompt{}, fmt.Errorf("the prompt of %s with the hash %.8s is not there (the run read it from %q); "+
		"give its file with --prompt", c.Env, c.PromptHash, name)
}

// candidates are the prompts that a condition may have had. The error is why some of them are missing.
func (x Texts) candidates(m *record.Manifest, c record.Condition, p *configs.Preset) (out []configs.Prompt,
	problem error) {
	add := func(prompt configs.Prompt, err error) {
		if err == nil {
			out = append(out, prompt)
		} else if problem == nil {
			problem = err
		}
	}
	switch {
	case p.Prompt.BuiltIn != "":
		add(configs.LoadPrompt(c.Env, p.Prompt.BuiltIn))
	case c.Preset != nil && p.Prompt.SHA256 == "":
		add(x.reader(p).Prompt(p.Prompt, nil))
	case c.Preset == nil:
		env, _ := m.EnvironmentOf(c)
		for _, version := range configs.PromptVersions() {
			if prompt, _, err := promptFor(env.Info, version, nil); err == nil {
				out = append(out, prompt)
			}
		}
	}
	for _, file := range x.Prompts {
		prompt, _, err := loadPrompt(c.Env, file, nil)
		add(prompt, err)
	}
	return out, problem
}

func (x Texts) reader(p *configs.Preset) originals.Reader {
	dir := x.Originals.Find(p.Source)
	return func(f configs.PresetFile) (configs.PromptFile, error) { return originals.Read(dir, p, f) }
}

// rewriting returns how the perturbation of a condition rewrites a prompt.
func (x Texts) rewriting(m *record.Manifest, c record.Condition) (func(configs.Prompt) (configs.Prompt, error), error) {
	same := func(p configs.Prompt) (configs.Prompt, error) { return p, nil }
	if c.PerturbationHash == "" || c.Substitute != "" {
		return same, nil
	}
	rules, err := builtIn(c.Env, c.Perturbation)
	switch {
	case err != nil || perturb.Hash(rules) != c.PerturbationHash:
		return nil, fmt.Errorf("the perturbation %s is not one of heldout's own: what it makes of a prompt is "+
			"not known", c.Perturbation)
	case rules.Model != "":
		return same, nil
	}
	env, err := ReopenEnv(c, x.Setup, x.Outside)
	if err != nil {
		return nil, fmt.Errorf("the perturbation %s: %w", c.Perturbation, err)
	}
	about, _ := m.EnvironmentOf(c)
	return func(p configs.Prompt) (configs.Prompt, error) { return env.(*perturb.Env).WritePrompt(p, about.Tasks) }, nil
}

func (x Texts) memory(c record.Condition) (string, error) {
	for _, file := range append(configs.ReflectionVersions(), x.Reflection) {
		p, about, err := loadReflection(file)
		if err != nil {
			return "", err
		}
		if about.SHA256 == c.Trials.PromptHash {
			return p.Memory, nil
		}
	}
	return "", fmt.Errorf("the reflection prompt with the hash %.8s is not there; give its file with "+
		"--set reflection-prompt", c.Trials.PromptHash)
}
