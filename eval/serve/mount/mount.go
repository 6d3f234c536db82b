// Package mount reads what a server is to serve.
package mount

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/address"
	"heldout/envs/alfworld"
	"heldout/envs/babyai"
	"heldout/envs/catalog"
	"heldout/envs/hotpotqa"
	"heldout/envs/sciworld"
	"heldout/envs/spelling"
	"heldout/eval"
	"heldout/eval/agent"
	"heldout/eval/bench"
	"heldout/eval/serve"
	"heldout/perturb"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// Defaults say how environments are served if a mount does not say otherwise.
type Defaults struct {
	Setup envs.Setup
	// Tasks selects tasks, as eval.SelectTasks reads it.
	Tasks        string
	Perturbation string // a name or a file; empty for none
	Reward       serve.Reward
	// StepCost and InvalidPenalty are as in serve.MountOptions.
	StepCost, InvalidPenalty float64
	Actions                  bool
	MaxSteps                 int // the step limit; 0 uses the environment's own

	preset *configs.Preset
}

// Parse makes mounts from texts such as "alfworld", "alfworld,split=train" and "p1=alfworld,perturb=P1": an
// environment, what differs from m, and a name in front if it is not the environment's. Without texts it mounts
// every environment that can be played; skipped says why the others cannot. It opens no environment.
func Parse(out bench.Outside, m Defaults, texts []string) (mounts []*serve.Mount, skipped []error, err error) {
	if err := bench.CheckData(m.Setup.Data); err != nil {
		return nil, nil, err
	}
	if len(texts) == 0 {
		texts = table.Each(catalog.Entries(), func(e catalog.Entry) string { return e.Name })
		texts, skipped = catalog.Available(texts, m.Setup)
		texts = slices.DeleteFunc(texts, func(name string) bool {
			err := m.asksWikipedia(name)
			if err != nil {
				skipped = append(skipped, err)
			}
			return err != nil
		})
	}
	var envNames []string // environments, of which one must have each setting
	for _, text := range texts {
		mount, env, err := m.mount(out, text)
		if err != nil {
			return nil, skipped, fmt.Errorf("%s: %w", address.Plain(text), err)
		}
		if slices.ContainsFunc(mounts, func(prev *serve.Mount) bool { return prev.Name == mount.Name }) {
			return nil, skipped, fmt.Errorf("two mounts are called %s; give one another name: NAME=%s",
				mount.Name, text)
		}
		mounts, envNames = append(mounts, mount), append(envNames, env)
	}
	rest := maps.Clone(m.Setup.Settings)
	delete(rest, splitSetting) // which every mount has
	return mounts, skipped, catalog.CheckSettings(envNames, rest)
}

// mountName is what a mount may be called: it is part of addresses.
var mountName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.~-]{0,63}$`)

// mount makes a mount, and returns the name of its environment.
func (m Defaults) mount(out bench.Outside, text string) (*serve.Mount, string, error) {
	parts := strings.Split(text, ",")
	name, env, named := strings.Cut(parts[0], "=")
	if !named {
		env = name
	}
	if !mountName.MatchString(name) {
		return nil, env, fmt.Errorf("%q cannot name a mount: want letters, digits, and _ . ~ - after the first",
			address.Plain(name))
	}
	entry, err := catalog.Find(env)
	if err != nil {
		return nil, env, err
	}
	m.Setup = m.setup()
	for _, part := range parts[1:] {
		key, value, ok := strings.Cut(part, "=")
		if !ok {
			return nil, env, fmt.Errorf("want setting=value, got %q", part)
		}
		if err := m.set(entry, currentName(out, key), value); err != nil {
			return nil, env, err
		}
	}
	if err := m.asksWikipedia(env); err != nil {
		return nil, env, err
	}
	return m.make(out, name, entry)
}

// currentName is the name that a setting has now, with a hint to users of the earlier one.
func currentName(out bench.Outside, key string) string {
	for _, r := range configs.Renames() {
		if r.Mounts && r.Old == key {
			out.Warn(r.Hint(""))
			return r.New
		}
	}
	return key
}

// asksWikipedia reports an environment that would ask Wikipedia for its clients although nobody said so.
func (m *Defaults) asksWikipedia(env string) error {
	embedded := m.Setup.Data == "" && m.Setup.Settings["questions"] == ""
	if env != hotpotqa.Name || embedded || m.Setup.Settings["wiki"] != "" {
		return nil
	}
	return fmt.Errorf(
		"%s would ask Wikipedia for its clients: allow it with --wiki %s, or give --wiki offline with --wiki-index DIR",
		env, hotpotqa.Origins()[0])
}

func (m *Defaults) set(entry catalog.Entry, key, value string) (err error) {
	switch key {
	case "preset":
		return m.usePreset(entry, value)
	case "perturb":
		m.Perturbation = value
	case "tasks":
		m.Tasks = value
	case "reward":
		m.Reward = serve.Reward(value)
		err = m.Reward.Check()
	case "step-cost":
		m.StepCost, err = stepCost(key, value)
	case "invalid-penalty":
		m.InvalidPenalty, err = stepCost(key, value)
	case "actions":
		if m.Actions, err = strconv.ParseBool(value); err != nil {
			err = fmt.Errorf("actions is %q, want true or false", value)
		}
	case "step-limit":
		if m.MaxSteps, err = strconv.Atoi(value); err != nil || m.MaxSteps < 0 {
			err = fmt.Errorf("step-limit is %s, want a whole number, 0 or more", value)
		}
	default:
		if key == splitSetting { // which every mount has
			m.Setup.Settings[key] = value
			return nil
		}
		i := slices.IndexFunc(entry.Settings, func(s envs.Setting) bool { return s.Name == key })
		if i < 0 {
			own := []string{"preset", "perturb", "tasks", "reward", "step-cost", "invalid-penalty", "actions",
				"step-limit"}
			names := table.Each(entry.Settings, func(s envs.Setting) string { return s.Name })
			return fmt.Errorf("%s has no setting %q%s; heldout envs %s lists them, and there are %s",
				entry.Name, key, spelling.Hint(key, append(own, names...)), entry.Name, strings.Join(own, ", "))
		}
		if err = entry.Settings[i].Check(value); err == nil {
			m.Setup.Settings[key] = value
		}
	}
	return err
}

// stepCost reads what is taken off a reward.
func stepCost(key, value string) (float64, error) {
	n, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return 0, fmt.Errorf("%s is %q, want a number from 0 to 1", key, value)
	}
	return n, serve.CheckCost(key, n)
}

// usePreset takes the settings, the step limits, the choice of tasks and the form of observations from a preset. A
// list of tasks in a file of the preset's source is left out: reset by name.
func (m *Defaults) usePreset(entry catalog.Entry, name string) error {
	found, err := bench.FindPresets([]string{name})
	if err != nil {
		return err
	}
	if len(found) != 1 || found[0].Env.Name != entry.Name {
		return fmt.Errorf("preset %s is not one part for %s; heldout presets lists the parts", name, entry.Name)
	}
	preset := configs.Preset{Play: configs.Play{Observation: found[0].Observation, ActionsShown: found[0].ActionsShown}}
	if len(preset.TextsNamed()) > 0 {
		return fmt.Errorf("preset %s shows texts of its source with observations, which a server does not have", name)
	}
	m.preset = &found[0]
	maps.Copy(m.Setup.Settings, m.preset.Env.Settings)
	return nil
}

func (m Defaults) make(out bench.Outside, name string, entry catalog.Entry) (*serve.Mount, string, error) {
	o := serve.MountOptions{Name: name, Reward: m.Reward, StepCost: m.StepCost, InvalidPenalty: m.InvalidPenalty,
		Actions: m.Actions, MaxSteps: m.MaxSteps}
	if p := m.preset; p != nil {
		o.Preset, o.Limit, o.Form = p.ID(false), p.Env.Limit.For, &agent.Renderer{Play: p.Play}
	}
	if m.Perturbation != "" {
		rules, _, err := bench.LoadPerturbation(entry.Name, m.Perturbation)
		if err != nil {
			return nil, entry.Name, err
		}
		o.Perturbation, o.PerturbationHash = rules.Name, perturb.Hash(rules)
	}
	splits, err := m.splits(entry)
	if err != nil {
		return nil, entry.Name, err
	}
	o.Splits = table.Each(splits, func(split mountSplit) serve.Split {
		return serve.Split{Name: split.name, Open: func() (envs.Env, []envs.Task, error) {
			return m.open(out, entry, split)
		}}
	})
	if entry.Generates {
		o.Generated = func(seeds envs.GeneratorSeeds) (envs.Env, []envs.Task, error) {
			return m.open(out, entry, m.generated(seeds))
		}
	}
	return serve.NewMount(o), entry.Name, nil
}

// mountSplit is a split of a mount: its tasks are played as setup says.
type mountSplit struct {
	name  string
	setup envs.Setup
	tasks string // to be selected; empty for the mount's
	// clean leaves out tasks that a benchmark tests with: a generator may draw the puzzle of one.
	clean bool
}

// The names of splits that environments without splits of their own have.
const (
	testSplit  = "test"
	trainSplit = "train"
)

// splitSetting is the setting that names the default of a mount's splits. Some environments have one of the name.
const splitSetting = "split"

// splits lists the splits of a mount, the default first: the one that the user names, if any.
func (m Defaults) splits(entry catalog.Entry) ([]mountSplit, error) {
	chosen := m.Setup.Settings[splitSetting]
	m.Setup = m.setup()
	delete(m.Setup.Settings, splitSetting)
	list := m.allSplits(entry)
	if chosen == "" {
		return list, nil
	}
	i := slices.IndexFunc(list, func(s mountSplit) bool { return s.name == chosen })
	switch {
	case i >= 0:
		return slices.Concat(list[i:i+1], list[:i], list[i+1:]), nil
	case slices.ContainsFunc(entry.Settings, func(s envs.Setting) bool {
		return s.Name == splitSetting && s.Check(chosen) == nil
	}):
		first := mountSplit{name: chosen, setup: m.setup(splitSetting, chosen)} // an error says what it lacks
		return append([]mountSplit{first}, list...), nil
	}
	names := table.Each(list, func(s mountSplit) string { return s.name })
	return nil, fmt.Errorf("no split is called %q, only %s", chosen, strings.Join(names, " and "))
}

// allSplits lists the splits of a mount.
func (m Defaults) allSplits(entry catalog.Entry) (out []mountSplit) {
	if official := m.officialSplits(entry); len(official) > 0 {
		return table.Each(official, func(name string) mountSplit {
			return mountSplit{name: name, setup: m.setup(splitSetting, name)}
		})
	}
	out = []mountSplit{{name: testSplit, setup: m.Setup}}
	switch {
	case entry.Name == babyai.Name:
		tasks := strings.Join(babyai.TrainTasks(), ",")
		out = append(out, mountSplit{name: trainSplit, setup: m.Setup, tasks: tasks, clean: true})
	case entry.Name == sciworld.Name && cmp.Or(m.Setup.Settings["variant"], sciworld.AgentBoard) == sciworld.AgentBoard:
		for _, name := range sciworld.Splits() {
			if name != testSplit { // these are ScienceWorld's own
				out = append(out, mountSplit{name: name,
					setup: m.setup("split", name, "variant", sciworld.ScienceWorld)})
			}
		}
	case entry.Generates:
		out = append(out, m.generated(trainSeeds))
		out[1].name, out[1].clean = trainSplit, true
	}
	return out
}

// officialSplits are the splits that the data of a benchmark have, the default first; none if it has no splits.
func (m Defaults) officialSplits(entry catalog.Entry) []string {
	switch {
	case entry.Name == alfworld.Name && m.Setup.Data != "":
		first := alfworld.Splits()[0]
		rest := slices.DeleteFunc(alfworld.SplitsIn(m.Setup.Data), func(name string) bool { return name == first })
		return append([]string{first}, rest...)
	case entry.Name == sciworld.Name && slices.Contains([]string{sciworld.ScienceWorld, sciworld.Newer},
		m.Setup.Settings["variant"]):
		return sciworld.Splits()
	}
	return nil
}

// trainSeeds are the generator seeds of the split train of environments whose official data have none.
var trainSeeds = envs.GeneratorSeeds{First: 1, Last: 10}

func (m Defaults) setup(pairs ...string) envs.Setup {
	s := m.Setup
	s.Settings = envs.Settings{}
	maps.Copy(s.Settings, m.Setup.Settings)
	for i := 0; i < len(pairs); i += 2 {
		s.Settings[pairs[i]] = pairs[i+1]
	}
	return s
}

func (m Defaults) generated(seeds envs.GeneratorSeeds) mountSplit {
	s := m.setup()
	delete(s.Settings, "split")
	s.Data, s.GeneratorSeed = "", seeds
	return mountSplit{setup: s}
}

func (m Defaults) open(out bench.Outside, entry catalog.Entry, split mountSplit) (envs.Env, []envs.Task, error) {
	env, err := catalog.Reach(entry.Name, split.setup, out.Envs())
	if err != nil {
		return nil, nil, err
	}
	tasks, err := eval.SelectTasks(env, cmp.Or(m.Tasks, split.tasks), 0)
	if split.clean {
		tasks = slices.DeleteFunc(tasks, func(t envs.Task) bool { return catalog.UseOf(env.Info(), t) == catalog.Test })
	}
	if err == nil && m.preset != nil {
		tasks = bench.SelectByRule(tasks, m.preset.Env.Tasks)
	}
	if err == nil && len(tasks) == 0 {
		err = errors.New("no task to serve")
	}
	if err == nil && m.Perturbation != "" {
		env, err = bench.Perturbed(env, m.Perturbation)
	}
	return env, tasks, err
}

// Recording says where episodes are recorded, and of whom; the rest of the plan is a mount's.
type Recording struct {
	Dir string
	eval.RolloutPlan
}

// Recorded reports whether there is a recording of a name.
func (r Recording) Recorded(name string) bool { return record.IsRun(filepath.Join(r.Dir, name)) }

// Record returns what opens the recorder of a set of tasks: a run directory below Dir. Warn
// receives what its file system does not guarantee.
func (r Recording) Record(out bench.Outside) func(string, *serve.Mount, *serve.Set) (serve.Recorder, error) {
	return func(name string, m *serve.Mount, set *serve.Set) (serve.Recorder, error) {
		plan := r.RolloutPlan
		plan.Info, plan.Total, plan.Tool = set.Env.Info(), len(set.Env.Tasks()), out.Tool
		plan.Perturbation, plan.PerturbationHash = m.Perturbation, m.PerturbationHash
		rollouts, err := eval.OpenRollouts(filepath.Join(r.Dir, name), plan, out.Now)
		if err != nil {
			return nil, err
		}
		for _, text := range rollouts.TakeWarnings() {
			out.Warn(text)
		}
		return rollouts, nil
	}
}
