package bench

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/datafile"
	"heldout/envs/official"
	"heldout/eval"
	"heldout/eval/episode"
	"heldout/eval/originals"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// benchmark opens the environment of a preset and settles its tasks, its prompt and the name of what is played.
func (j *Job) benchmark(c Chosen, players []episode.Player) (episode.Benchmark, error) {
	actual := c.effective()
	if actual.Env.Limit.Max() == 0 && !c.isDefault() {
		return episode.Benchmark{}, fmt.Errorf("the step limit is 0")
	}
	env, err := j.open(c.Run, c.address())
	if err == nil && !c.isDefault() && env.Info().Name != actual.Env.Name {
		err = fmt.Errorf("it plays %s, and %s is %s", actual.Env.Name, c.address(), env.Info().Name)
	}
	if err != nil {
		return episode.Benchmark{}, err
	}
	b := episode.Benchmark{Env: env, StepLimit: cmp.Or(actual.Env.Limit.Max(), env.Info().StepLimit)}
	if b.Caveat, err = altered(c.Run.Data, env.Info()); err != nil {
		return b, err
	}
	about := record.Protocol{Published: c.Released.Published, Files: map[string]string{}}
	if b.Tasks, err = j.tasks(c, &actual, env, &about); err != nil {
		return b, err
	}
	if actual.Env.Tasks.Draws > 0 {
		b.Env = drawnEnv{env}
	}
	b.Preset = actual
	if j.program != nil && !c.isDefault() {
		actual.Overrides["agent"] = record.Own
		if err := j.setOwnPrompt(&b); err != nil {
			b.Prompt, b.PromptHash = configs.Prompt{}, "" // there is none for how the preset sets the environment up
		}
	} else if len(j.Served) > 0 || slices.ContainsFunc(players, reads) {
		if err := j.setPrompt(c, &actual, &b, &about); err != nil {
			return b, err
		}
	}
	if c.isDefault() {
		return b, nil
	}
	if err := nameProtocol(&c.Released, &actual, &about); err != nil {
		return b, err
	}
	b.Named = &about.Preset
	if b.PromptHash != "" {
		j.about.Prompts[about.Name] = record.Prompt{File: cmp.Or(actual.Prompt.BuiltIn, c.Run.Prompt, "originals"),
			SHA256: b.PromptHash}
	}
	j.about.Protocols = append(j.about.Protocols, about)
	return b, nil
}

// altered says which files of official tasks are not as published; empty if all are. It compares no files of other
// splits.
func altered(dir string, info envs.Info) (string, error) {
	if info.Source != envs.Official || info.Settings["split"] != "" {
		return "", nil
	}
	files, err := official.Altered(dir, info.Name)
	if len(files) == 0 {
		return "", err
	}
	verb := "is"
	if len(files) > 1 {
		verb = "are"
	}
	return fmt.Sprintf("%s %s not as published (heldout data check)", table.Shortlist(files, 3), verb), nil
}

// nameProtocol fills in name, hashes and definition of what is played. If the released preset does not know the
// names of its tasks, the hash of those that are played is part of the hash and no change.
func nameProtocol(released, actual *configs.Preset, about *record.Protocol) (err error) {
	completed := *released
	completed.Env.Tasks.SHA256 = cmp.Or(released.Env.Tasks.SHA256, actual.Env.Tasks.SHA256)
	if about.Changes, err = changes(&completed, actual); err != nil {
		return err
	}
	about.Name = released.ID(len(about.Changes) > 0)
	if about.Released, err = released.Hash(); err != nil {
		return err
	}
	if about.Definition, err = actual.Canonical(); err != nil {
		return err
	}
	about.SHA256, err = actual.Hash()
	return err
}

// tasks returns the tasks of a preset, sorted by name, or what the user selected of them: by default of all, in the
// order of the benchmark. Tasks that heldout generates are a change of the preset.
func (j *Job) tasks(c Chosen, actual *configs.Preset, env envs.Env, about *record.Protocol) ([]envs.Task, error) {
	if c.isDefault() {
		tasks, err := eval.SelectTasks(env, c.Run.Tasks, c.Run.Limit)
		if err = cmp.Or(err, oneKind(tasks)); err != nil {
			err = fmt.Errorf("environment %s: %w", c.name(), err)
		}
		return tasks, err
	}
	tasks, official, err := c.listed(env, about)
	if err != nil {
		return nil, err
	}
	rule := c.Released.Env.Tasks
	tasks = SelectByRule(tasks, rule)
	slices.SortFunc(tasks, func(a, b envs.Task) int { return strings.Compare(a.ID, b.ID) })
	if rule.Draws > 0 {
		tasks = draw(tasks, rule.Draws, rule.DrawSeed)
	}
	if !official {
		actual.Overrides["source"] = string(envs.Generated)
		actual.Env.Tasks.Count = len(tasks)
	} else if n := len(tasks); rule.Partial && n < rule.Count {
		actual.Env.Tasks.Count, actual.Env.Tasks.SHA256 = n, hashNames(tasks)
	} else if err := checkTasks(tasks, actual.Env); err != nil {
		return nil, err
	} else {
		actual.Env.Tasks.SHA256 = hashNames(tasks)
	}
	if tasks, err = eval.SelectTasks(subset{env, tasks}, c.Run.Tasks, c.Run.Limit); err != nil {
		return nil, err
	}
	about.Tasks = hashNames(tasks)
	return tasks, nil
}

// hashNames returns the SHA-256 of sorted names, each followed by a line break.
func hashNames(tasks []envs.Task) string {
	return datafile.Hash(strings.Join(table.Each(tasks, func(t envs.Task) string { return t.ID + "\n" }), ""))
}

// checkTasks reports tasks that are not a preset's.
func checkTasks(tasks []envs.Task, e configs.PresetEnv) error {
	want := e.Tasks
	if len(tasks) != want.Count {
		return fmt.Errorf("the data have %d of its tasks, want %d: they are incomplete, or are not %s", len(tasks),
			want.Count, e.Name)
	}
	if got := hashNames(tasks); want.SHA256 != "" && got != want.SHA256 {
		return fmt.Errorf(
			"the names of the %d tasks have the SHA-256 %s, want %s: these are not the data of the preset", want.Count,
			got, want.SHA256)
	}
	return nil
}

// setPrompt gives a benchmark the prompt of a preset, be it ours, the source files' or the
// user's, and the fixed texts of the source.
func (j *Job) setPrompt(c Chosen, actual *configs.Preset, b *episode.Benchmark, about *record.Protocol) (err error) {
	read := originals.Reader(func(f configs.PresetFile) (configs.PromptFile, error) { return c.original(f, about) })
	if b.Preset, err = read.Fill(*actual); err != nil {
		return c.differing(err)
	}
	own := c.Run.Prompt
	if own == actual.Prompt.BuiltIn {
		own = ""
	}
	switch {
	case c.isDefault():
		return j.setOwnPrompt(b)
	case own != "":
		var found record.Prompt
		b.Prompt, found, err = loadPrompt(actual.Env.Name, own, b.Preset.CheckPromptFile)
		actual.Prompt = configs.PresetPrompt{SHA256: found.SHA256}
		if !isPromptFile(own) {
			actual.Prompt.BuiltIn = own
		}
	case actual.Prompt.BuiltIn != "":
		b.Prompt, err = configs.LoadPrompt(actual.Env.Name, actual.Prompt.BuiltIn)
	default:
		b.Prompt, err = read.Prompt(b.Preset.Prompt, b.Preset.CheckPromptFile)
		err = c.differing(err)
	}
	if err == nil && b.Prompt.Template != nil {
		err = b.Preset.CheckTemplate(*b.Prompt.Template)
	}
	if err != nil {
		return err
	}
	if err := b.CheckPrompt(); err != nil {
		return err
	}
	b.PromptHash, err = b.Prompt.Hash()
	return err
}

// setOwnPrompt gives a benchmark our prompt for its environment as it is set up, or the user's.
func (j *Job) setOwnPrompt(b *episode.Benchmark) error {
	prompt, about, err := promptFor(b.Env.Info(), j.Config.Prompt, ownPromptFile)
	if err != nil {
		return err
	}
	b.Prompt, b.PromptHash = prompt, about.SHA256
	if err := b.CheckPrompt(); err != nil {
		return fmt.Errorf("%s: %w", about.File, err)
	}
	j.about.Prompts[b.Env.Info().Name] = about
	return nil
}

// original reads a file of the source for a run, which notes its hash.
func (c Chosen) original(f configs.PresetFile, about *record.Protocol) (configs.PromptFile, error) {
	found, err := originals.Read(c.Run.Originals, &c.Released, f)
	if err != nil && !originals.Fetched(c.Released.Source) {
		return found, err
	}
	if err != nil {
		return found, fmt.Errorf("%w; heldout preset prompt %s says more", err, c.Released.Name)
	}
	about.Files[f.Path] = datafile.Hash(found.Content)
	return found, nil
}

// differing adds to an error of a preset's source that the folder has another commit.
func (c Chosen) differing(err error) error {
	if mismatch := originals.OtherCommit(c.Run.Originals, c.Released.Source); err != nil && mismatch != "" {
		return fmt.Errorf("%w; %s", err, mismatch)
	}
	return err
}
