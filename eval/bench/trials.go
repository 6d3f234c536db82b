package bench

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"heldout/configs"
	"heldout/eval/episode"
	"heldout/scoring/record"
)

// checkTrials notes what is wrong with the settings of trials, and any such settings of a run with one trial.
func checkTrials(r configs.Run, faults *configs.Faults) {
	if r.Trials <= 1 {
		d := configs.DefaultRun()
		faults.Note(r.Memory != d.Memory || r.ReflectionPrompt != "" ||
			r.ReflectionTokens != d.ReflectionTokens || r.SameAction != 0 || r.SameStep != 0,
			"memory, reflection-prompt, reflection-tokens, same-action and same-step need --trials of at "+
				"least 2")
		return
	}
	if i := slices.IndexFunc(r.Model, IsBaseline); i >= 0 {
		faults.Add(fmt.Errorf("--trials is for served models: %s does not learn from a failed trial; name only "+
			"served models with --model", r.Model[i]))
	}
	faults.Note(slices.ContainsFunc(r.Model, isProgram),
		"--trials is for served models: an agent of yours plays a task once with each seed")
	for _, n := range []struct {
		flag  string
		value int
	}{{"same-action", r.SameAction}, {"same-step", r.SameStep}} {
		faults.Note(n.value < 0 || n.value == 1, "%s is %d, want at least 2, or 0 for none", n.flag, n.value)
	}
	faults.Note(r.Memory == 0 && r.ReflectionPrompt != "",
		"--set reflection-prompt has no effect with --set memory=0: nothing is reflected on")
	faults.Note(r.Context > 0 && r.Memory > 0 && r.ReflectionTokens >= r.Context,
		"reflection-tokens %d leaves no room for a prompt in a context of %d", r.ReflectionTokens, r.Context)
}

// setTrials reads the reflection prompt and says how served models play a task
// again. It comes before the players are made. The form is the preset's, if it has one.
func (j *Job) setTrials(r configs.Run, form configs.ReflectionForm) error {
	if r.Trials <= 1 {
		return nil
	}
	j.trials = &episode.Trials{Trials: record.Trials{Limit: r.Trials, Memory: r.Memory, SameAction: r.SameAction,
		SameStep: r.SameStep}}
	if r.Memory == 0 {
		return nil
	}
	if form.IsSet() && r.ReflectionPrompt == "" {
		return j.setOwnReflection(r, form)
	}
	prompt, about, err := loadReflection(r.ReflectionPrompt)
	if err != nil {
		return err
	}
	j.about.Reflection, j.trials.Prompt, j.trials.PromptHash = &about, prompt, about.SHA256
	// The original samples reflections so, whatever samples the actions.
	j.trials.Decoding = &record.Decoding{Temperature: 0, TopP: 1, MaxTokens: r.ReflectionTokens, Extra: r.Extra,
		OnlyVLLM: r.OnlyVLLM}
	return j.trials.Decoding.Validate()
}

// setOwnReflection has reflections asked for in the form of a preset.
func (j *Job) setOwnReflection(r configs.Run, form configs.ReflectionForm) error {
	hash, err := configs.HashJSON(form) // its fixed texts stand by name: their hashes are part of the preset's
	if err != nil {
		return err
	}
	if slices.ContainsFunc(r.Model, onOllama) {
		return errors.New("the preset has a text continued for its reflections, which Ollama does not do: ask it as " +
			"openai:NAME, or give a prompt with --set reflection-prompt")
	}
	d := form.Decoding.Decoding
	if r.ReflectionTokens != configs.DefaultRun().ReflectionTokens {
		d.MaxTokens = r.ReflectionTokens
	}
	j.about.Reflection = &record.Prompt{File: "preset", SHA256: hash}
	j.trials.Own, j.trials.PromptHash, j.trials.Decoding = true, hash, &d
	return d.Validate()
}

// loadReflection returns the user's reflection prompt, or the built-in one in the named or default version.
func loadReflection(name string) (p configs.Reflection, about record.Prompt, err error) {
	about = record.Prompt{File: name}
	versions := configs.ReflectionVersions()
	if version := cmp.Or(name, versions[0]); slices.Contains(versions, version) {
		about.File, about.Version, name = record.BuiltIn, version, ""
	}
	own := func() (configs.Reflection, error) { return configs.LoadReflection(about.Version) }
	if p, err = FileOr(name, own, configs.Parse); err == nil {
		about.SHA256, err = configs.HashJSON(p)
	}
	return p, about, err
}
