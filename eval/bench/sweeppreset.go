package bench

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"heldout/configs"
	"heldout/eval/agent"
	"heldout/eval/episode"
	"heldout/perturb"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// onePerEnv reports what a sweep cannot play of presets: perturbations belong to an
// environment, and reflections speak of its own forms.
func onePerEnv(kind Purpose, chosen []Chosen) error {
	if kind != Sweep || chosen[0].isDefault() {
		return nil
	}
	ids := map[string]string{}
	for _, c := range chosen {
		env, id := c.Released.Env.Name, c.name()
		if prev := ids[env]; prev != "" {
			return fmt.Errorf("%s and %s both play %s: a sweep has one preset or part for each environment, such as "+
				"--preset %s; play the other in a sweep of its own", prev, id, env, prev)
		}
		if c.Run.Trials > 1 {
			return fmt.Errorf("preset %s: --trials does not work with sweep: reflections speak of the forms of actions "+
				"as they were", id)
		}
		ids[env] = id
	}
	return nil
}

// misfit is an error that a preset cannot be played under a perturbation.
type misfit struct{ error }

// perturbPreset rewrites the prompt and the rules of a benchmark's preset. The error says
// why the preset cannot be played so; about gets what of it is not the original's.
func perturbPreset(b *episode.Benchmark, env *perturb.Env, rules configs.Perturbation,
	about *record.Perturbation) error {
	preset, prompt := b.Preset, b.Prompt
	var err error
	if b.Prompt, err = env.WritePrompt(prompt, b.Tasks); err != nil {
		return err
	}
	if b.PromptHash, err = b.Prompt.Hash(); err != nil || b.Named == nil { // ours fit all
		return err
	}
	if t := b.Prompt.Template; t != nil {
		if err := t.Check(); err != nil {
			return misfit{fmt.Errorf("perturbation %s changes slots of preset %s: %w", rules.Name, b.Named.Name, err)}
		}
	}
	b.Preset = env.WritePreset(preset)
	if about.Departs = promptDeparts(prompt, b.Prompt); len(about.Departs) == 0 && !env.Changes() {
		return misfit{fmt.Errorf("perturbation %s changes nothing of preset %s", rules.Name, b.Named.Name)}
	}
	mode := preset.ActionsShown.Timing
	listed := mode == configs.Every || mode == configs.Latest
	if faults := env.Untold(b.Prompt, listed); len(faults) > 0 {
		return misfit{fmt.Errorf("perturbation %s does not fit the prompt of preset %s: %s", rules.Name, b.Named.Name,
			faults[0])}
	}
	if err := sayable(b.Preset.Play, env); err != nil {
		return misfit{fmt.Errorf("perturbation %s does not fit preset %s: %w", rules.Name, b.Named.Name, err)}
	}
	about.Departs = append(about.Departs, ruleDeparts(preset, b.Preset, env)...)
	return nil
}

// sayable reports actions that a preset cannot read as they are written now.
func sayable(play configs.Play, env *perturb.Env) error {
	for _, text := range env.Wording() {
		action := "x" + text + "x"
		if read, err := agent.ReadAs(play, action); err != nil || read != action {
			return cmp.Or(err, fmt.Errorf("its replies cannot hold %q, which actions have now: the parser %s reads %q as %q",
				text, play.Reply.Parser, action, read))
		}
	}
	return nil
}

// promptDeparts lists the parts of a prompt that are rewritten.
func promptDeparts(original, perturbed configs.Prompt) (parts []string) {
	section := func(get func(configs.Instructions) any) func(configs.Prompt) any {
		return func(p configs.Prompt) any {
			var values []any
			for _, t := range slices.Sorted(maps.Keys(perturbed.Types)) {
				in, err := p.For(t)
				if err == nil {
					values = append(values, get(in))
				}
			}
			return values
		}
	}
	for _, x := range []struct {
		name string
		get  func(configs.Prompt) any
	}{
		{"the system message", section(func(in configs.Instructions) any { return in.System })},
		{"the instruction", section(func(in configs.Instructions) any { return in.Instruction })},
		{"the examples", section(func(in configs.Instructions) any { return in.Examples })},
		{"the message of each turn", func(p configs.Prompt) any { return p.Template }},
		{"the commands named for help", func(p configs.Prompt) any { return p.Help + "\n" + p.MoreHelp }},
		{"how games begin", func(p configs.Prompt) any { return p.Openings }},
		{"how the history writes put", func(p configs.Prompt) any { return p.Kept }},
	} {
		if !reflect.DeepEqual(x.get(original), x.get(perturbed)) {
			parts = append(parts, x.name)
		}
	}
	return parts
}

// ruleDeparts lists the rules of a preset that act on other forms than the original's.
func ruleDeparts(original, perturbed configs.Preset, env *perturb.Env) (parts []string) {
	if perturbed.ActionsShown.Timing != configs.Never && env.Forms() > 0 {
		parts = append(parts, "the lists of actions")
	}
	if !slices.Equal(original.ActionsShown.Exclude, perturbed.ActionsShown.Exclude) {
		parts = append(parts, "the actions that lists leave out")
	}
	for _, rule := range perturbed.Reply.Normalise {
		if strings.HasPrefix(rule, configs.NearestBLEU) && env.Forms() > 0 {
			parts = append(parts, "the repair "+rule+", which compares actions in the new form")
		}
	}
	return parts
}

// fitting are the families whose rules fit a benchmark at the grades of a suite. The others
// are left out of the sweep, which says why.
func (j *Job) fitting(base *episode.Benchmark, families []configs.Family, grades []int) (out []configs.Family,
	err error) {
	if base.Named == nil || base.PromptHash == "" {
		return families, nil
	}
	for _, f := range families {
		var unfit error
		for _, grade := range grades {
			rules, err := builtIn(base.Env.Info().Name, perturb.GradeName(f, grade))
			if err != nil {
				return nil, err
			}
			b := *base
			unfit = cmp.Or(unfit, perturbBenchmark(&b, rules, &record.Perturbation{}))
		}
		if unfit == nil {
			out = append(out, f)
		} else if err := j.leaveOut(base, f.ID, unfit); err != nil {
			return nil, err
		}
	}
	if len(out) == 0 {
		return nil, errors.New("no family of perturbations fits the preset " + base.Named.Name)
	}
	return out, nil
}

// leaveOut notes what a suite does not play of a preset since it does not fit. It returns any other error.
func (j *Job) leaveOut(base *episode.Benchmark, name string, err error) error {
	m, ok := errors.AsType[misfit](err)
	if j.Config.Suite == "" || !ok {
		return err
	}
	j.about.Sweep.LeftOut = append(j.about.Sweep.LeftOut, record.LeftOut{Env: base.Env.Info().Name, Perturbation: name,
		Reason: m.Error()})
	return nil
}

// allOf names the combinations of all families after their parts, since some of the
// environment's families are not among them.
func allOf(names []string, families []configs.Family, grades []int) (out []string) {
	combined := map[string]string{}
	for _, grade := range grades {
		parts := table.Each(families, func(f configs.Family) string { return perturb.GradeName(f, grade) })
		combined[fmt.Sprintf("all:%d", grade)] = strings.Join(parts, "+")
	}
	for _, name := range names {
		if name = cmp.Or(combined[name], name); !slices.Contains(out, name) { // four families may be all
			out = append(out, name)
		}
	}
	return out
}

func (j *Job) suite(base *episode.Benchmark) ([]string, error) {
	grades, err := suiteGrades(j.Config)
	if err != nil {
		return nil, err
	}
	found, err := configs.LoadFamilies(base.Env.Info().Name)
	if err != nil {
		return nil, err
	}
	families := slices.DeleteFunc(slices.Clone(found.All), func(f configs.Family) bool { return f.None != "" })
	fitting, err := j.fitting(base, families, grades)
	if err != nil || len(fitting) == len(families) {
		return perturb.SuiteNames(families, grades), err
	}
	return allOf(perturb.SuiteNames(fitting, grades), fitting, grades), nil
}

// lackedFamilies names the families that an environment does not have.
func lackedFamilies(env string) (ids []string) {
	found, err := configs.LoadFamilies(env)
	if err != nil {
		return nil
	}
	for _, f := range found.All {
		if f.None != "" {
			ids = append(ids, f.ID)
		}
	}
	return ids
}

func suiteGrades(r configs.Run) (grades []int, err error) {
	for _, text := range r.Grades {
		grade, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || grade < 1 || grade > 9 {
			return nil, fmt.Errorf("grades: %q is not a grade; want numbers such as 1,2,3", text)
		}
		if slices.Contains(grades, grade) {
			return nil, fmt.Errorf("grades: %d is there twice", grade)
		}
		grades = append(grades, grade)
	}
	if r.Suite != "" && len(grades) == 0 {
		return nil, fmt.Errorf("grades: a suite needs at least one")
	}
	slices.Sort(grades)
	return grades, nil
}
