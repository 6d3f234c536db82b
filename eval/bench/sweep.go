package bench

import (
	"fmt"
	"slices"
	"strings"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/datafile"
	"heldout/eval"
	"heldout/eval/episode"
	"heldout/perturb"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// Sweep plays under several perturbations.
const Sweep Purpose = "sweep"

// indNone is the value of --set ind for models that never saw data of the environment.
const indNone = "none"

func (j *Job) addPerturbations() error {
	if len(j.Config.Perturb) == 0 && j.Config.Suite == "" {
		return nil
	}
	if j.kind != Sweep {
		return j.drawPerturbations()
	}
	grades, err := suiteGrades(j.Config)
	if err != nil {
		return err
	}
	first := j.specs[0]
	j.about.Sweep = &record.Sweep{Suite: j.Config.Suite, Grades: grades, Env: first.Benchmarks[0].Env.Info().Name}
	for _, p := range first.Players {
		if p.Anchor {
			j.about.Sweep.Anchors = append(j.about.Sweep.Anchors, p.Name)
		}
	}
	for _, spec := range j.specs {
		for _, base := range slices.Clone(spec.Benchmarks) {
			args, err := j.perturbationsOf(&base)
			if err != nil {
				return err
			}
			for _, arg := range args {
				if err := j.addPerturbed(spec, &base, arg); err != nil {
					if err := j.leaveOut(&base, arg, err); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// anchors are the players that a sweep of families needs beside those that were asked for,
// so that its numbers have a scale.
func (j *Job) anchors() []string {
	if j.kind != Sweep || j.Config.Suite == "" && !slices.ContainsFunc(j.Config.Perturb, perturb.IsNamed) {
		return nil
	}
	return slices.DeleteFunc(episode.Anchors(), func(name string) bool {
		return slices.Contains(j.Config.Model, name)
	})
}

// reads reports whether a player without a model reads prompts.
func reads(p episode.Player) bool { return p.Agent == episode.Reciter || p.Program != nil }

// drawPerturbations perturbs the benchmarks of a run: every task has a draw of its own.
func (j *Job) drawPerturbations() error {
	spec := j.specs[0] // presets are played as they are
	bases := spec.Benchmarks
	spec.Benchmarks = nil
	for _, base := range bases {
		for _, name := range j.Config.Perturb {
			drawn, err := perturb.Draw(base.Env, name)
			if err != nil {
				return err
			}
			b := base
			b.Unperturbed = &base
			b.Env, b.Perturbation = drawn, drawn.Name()
			if b.PerturbationHash, err = drawn.Hash(); err != nil {
				return err
			}
			spec.Benchmarks = append(spec.Benchmarks, b)
		}
	}
	return nil
}

// perturbationsOf lists the perturbations of an environment: the suite's, or the
// named ones. A perturbation of an environment that is not played is an error.
func (j *Job) perturbationsOf(base *episode.Benchmark) (args []string, err error) {
	if j.Config.Suite != "" {
		return j.suite(base)
	}
	env := base.Env.Info().Name
	for _, arg := range j.Config.Perturb {
		rules, _, err := LoadPerturbation(env, arg)
		if err != nil {
			return nil, err
		}
		if rules.Env == env || !j.plays(rules.Env) {
			args = append(args, arg)
		}
	}
	if len(args) == 0 {
		return nil, fmt.Errorf("no perturbation is for %s; name one with --perturb, or all with --suite %s", env,
			configs.Robust)
	}
	return args, nil
}

func (j *Job) plays(env string) bool {
	return slices.ContainsFunc(j.specs, func(s *eval.Spec) bool {
		return slices.ContainsFunc(s.Benchmarks, func(b episode.Benchmark) bool { return b.Env.Info().Name == env })
	})
}

func (j *Job) addPerturbed(spec *eval.Spec, base *episode.Benchmark, arg string) error {
	env := base.Env.Info().Name
	rules, file, err := LoadPerturbation(env, arg)
	if err != nil {
		return err
	}
	about := record.Perturbation{Name: rules.Name, Title: rules.Title, Model: rules.Model, File: file,
		SHA256: perturb.Hash(rules)}
	about.Parts = table.Each(rules.Parts, func(part configs.FamilyGrade) record.FamilyGrade {
		return record.FamilyGrade(part)
	})
	if slices.ContainsFunc(j.about.Sweep.In(env), func(p record.Perturbation) bool { return p.Name == rules.Name }) {
		return fmt.Errorf("there are two perturbations named %s", rules.Name)
	}
	if env != j.about.Sweep.Env {
		about.Env = env
	}
	b := *base
	b.Perturbation, b.PerturbationHash, b.Unperturbed = rules.Name, about.SHA256, base
	switch {
	case rules.Model == "":
		err = perturbBenchmark(&b, rules, &about)
	case base.Named != nil:
		err = fmt.Errorf("perturbation %s changes the model and not what preset %s says: compare two runs of the preset",
			rules.Name, base.Named.Name)
	default:
		b.Replacements, about.Base, err = j.noInd(spec.Players)
	}
	if err != nil {
		return ofFile(file, err)
	}
	spec.Benchmarks = append(spec.Benchmarks, b)
	j.about.Sweep.Perturbations = append(j.about.Sweep.Perturbations, about)
	return nil
}

// LoadPerturbation finds a perturbation: in a file, of the families of the environment, or an embedded one.
func LoadPerturbation(env, arg string) (rules configs.Perturbation, file string, err error) {
	if !strings.HasSuffix(arg, ".yaml") && !strings.HasSuffix(arg, ".yml") {
		rules, err = builtIn(env, arg)
		return rules, record.BuiltIn, err
	}
	b, err := datafile.Read(arg, datafile.MaxConfig)
	if err != nil {
		return rules, arg, err
	}
	rules, err = configs.Parse[configs.Perturbation](arg, b)
	return rules, arg, err
}

// builtIn finds a perturbation of the families of the environment, or an embedded one.
func builtIn(env, name string) (configs.Perturbation, error) {
	if perturb.IsNamed(name) {
		return perturb.Named(env, name)
	}
	return configs.LoadPerturbation(name)
}

// perturbBenchmark puts a perturbation around a benchmark and its prompt, and
// completes what the record says about it.
func perturbBenchmark(b *episode.Benchmark, rules configs.Perturbation, about *record.Perturbation) error {
	env, err := perturb.Wrap(b.Env, rules)
	if err != nil {
		return err
	}
	b.Env = env
	forms := env.Forms()
	about.Forms = &forms
	about.Rules = recordedRules(env, rules)
	if b.PromptHash == "" { // nobody reads it
		return nil
	}
	return perturbPreset(b, env, rules, about)
}

// recordedRules are the rules as records have them.
func recordedRules(env *perturb.Env, rules configs.Perturbation) *record.Rules {
	out := &record.Rules{
		Actions: env.Actions(), Replies: rules.Replies, Names: rules.Names, Removed: rules.Without, Words: rules.Words,
		Numbers: rules.Numbers,
		Texts:   rules.Texts, Instructions: rules.Instructions, Order: rules.Order, Layout: rules.Layout,
		Seed: rules.Seed,
	}
	if rules.Names != "" {
		out.OwnNames, out.NameParts = env.Names()
	}
	if rules.Lines != nil {
		out.LineCount, out.Lines = rules.Lines.Count, rules.Lines.Of
	}
	return out
}

// noInd applies to a perturbation that needs models trained without data of the environment. It returns which
// player replaces which, and the players whose unperturbed result counts: baselines are not trained.
func (j *Job) noInd(players []episode.Player) (replacements map[string]*episode.Player, base []string, err error) {
	replacements = map[string]*episode.Player{}
	r := j.Config
	if len(r.NoIndBaseURL) > 0 {
		r.BaseURL = configs.Servers{List: r.NoIndBaseURL}
	}
	for _, p := range players {
		switch {
		case p.Model == nil && p.Program == nil || r.Ind == indNone:
			base = append(base, p.Name)
		case len(replacements) < len(r.NoIndModel):
			player := &episode.Player{}
			if err := j.setPlayer(r, r.NoIndModel[len(replacements)], player); err != nil {
				return nil, nil, err
			}
			replacements[p.Name] = player
		}
	}
	return replacements, base, nil
}

// Perturbed puts a perturbation, by name or file, around an environment to be played by hand.
func Perturbed(env envs.Env, arg string) (envs.Env, error) {
	rules, file, err := LoadPerturbation(env.Info().Name, arg)
	if err != nil {
		return nil, err
	}
	if rules.Model != "" {
		return nil, fmt.Errorf("perturbation %s changes the model, so by hand there is nothing to see of it",
			rules.Name)
	}
	perturbed, err := perturb.Wrap(env, rules)
	if err != nil {
		return nil, ofFile(file, err)
	}
	return perturbed, nil
}

// ofFile names the file of a perturbation that does not fit, if it is the user's.
func ofFile(file string, err error) error {
	if file == record.BuiltIn {
		return err
	}
	return fmt.Errorf("%s: %w", file, err)
}

// OfFamilies reports whether perturbations of the job combine families of rules.
func (j *Job) OfFamilies() bool { return j.about.Sweep.Combines() }

// Perturbations lists the perturbations that an environment is played under.
func (j *Job) Perturbations(env string) []string {
	if j.about.Sweep == nil {
		return nil
	}
	return table.Each(j.about.Sweep.In(env), func(p record.Perturbation) string { return p.Name })
}
