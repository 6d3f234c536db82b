package perturb

import (
	"flag"
	"maps"
	"slices"
	"strings"
	"testing"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/alfworld"
	"heldout/envs/hotpotqa"
	"heldout/envs/pddl"
	"heldout/envs/sharedtest"
)

// said is everything that was recorded of one interface.
type said struct{ actions, observations, goals map[string]bool }

func (s *said) add(actions, observations, goals []string) {
	if s.actions == nil {
		s.actions, s.observations, s.goals = map[string]bool{}, map[string]bool{}, map[string]bool{}
	}
	for to, texts := range map[*map[string]bool][]string{&s.actions: actions, &s.observations: observations,
		&s.goals: goals} {
		for _, text := range texts {
			(*to)[text] = true
		}
	}
}

// boardLogs adds AgentBoard's logs of an environment, by the type of the task.
func boardLogs(t testing.TB, file string, typeOf func(id int) string, to map[string]*said) {
	t.Helper()
	for _, e := range sharedtest.Lines[struct {
		ID    int
		Goal  string
		Steps []struct{ Action, Observation string }
	}](t, "agentboard-logs/"+file+".jsonl.gz") {
		s := of(to, typeOf(e.ID))
		s.add(nil, nil, []string{e.Goal})
		for _, step := range e.Steps {
			s.add([]string{step.Action}, []string{step.Observation}, nil)
		}
	}
}

func of(all map[string]*said, taskType string) *said {
	if all[taskType] == nil {
		all[taskType] = &said{}
	}
	return all[taskType]
}

// recorded returns an environment and everything that was ever recorded of it, by task type.
func recorded(t testing.TB, name string) (envs.Env, map[string]*said) {
	t.Helper()
	all := map[string]*said{}
	one := func(int) string { return "" }
	switch name {
	case "alfworld":
		boardLogs(t, "alfworld", one, all)
		for _, e := range sharedtest.Lines[struct {
			Init  string `json:"init_obs"`
			Goal  string
			Steps []struct {
				Action, Obs string
				Valid       []string `json:"valid_before"`
			}
		}](t, "alfworld/agentboard_unseen134_v1.jsonl.gz") {
			of(all, "").add(nil, []string{e.Init}, []string{e.Goal})
			for _, s := range e.Steps {
				of(all, "").add(append(s.Valid, s.Action), []string{s.Obs}, nil)
			}
		}
		return sharedtest.Must(alfworld.NewOfficial(sharedtest.AgentBoard(t), alfworld.Options{}))(t), all
	case "alfworld's other dialect": // with its help text and its verb "move"
		for _, e := range sharedtest.Lines[struct {
			Steps []struct {
				Action, Obs string
				Admissible  []string
			}
		}](t, "alfworld/raw_engine_v2_random.jsonl.gz") {
			for _, s := range e.Steps {
				of(all, "").add(append(s.Admissible, s.Action), []string{s.Obs}, nil)
			}
		}
		options := alfworld.Options{Dialect: "v2"}
		return sharedtest.Must(alfworld.NewOfficial(sharedtest.AgentBoard(t), options))(t), all
	case "pddl":
		env := sharedtest.Must(pddl.NewOfficial(sharedtest.AgentBoard(t)))(t)
		types := map[int]string{}
		for _, task := range env.Tasks() {
			types[task.Index] = task.Type
		}
		boardLogs(t, "pddl", func(id int) string { return types[id] }, all)
		return env, all
	case "babyai":
		boardLogs(t, "babyai", one, all)
		for _, file := range []string{"text_random", "text_solved"} {
			for _, e := range sharedtest.Lines[struct {
				Init  string `json:"init_obs"`
				Goal  string
				Steps []struct{ Action, Obs, Observation string }
			}](t, "babyai/"+file+".jsonl.gz") {
				of(all, "").add(nil, []string{e.Init}, []string{e.Goal})
				for _, s := range e.Steps {
					of(all, "").add([]string{s.Action}, []string{s.Obs, s.Observation}, nil)
				}
			}
		}
	case "sciworld":
		boardLogs(t, "scienceworld", one, all)
	case "jericho":
		boardLogs(t, "jericho", one, all)
	case "hotpotqa":
		hotpotTexts(t, of(all, ""))
		return sharedtest.Must(hotpotqa.NewEmbedded(hotpotqa.Options{}, envs.Outside{}))(t), all
	}
	return generated(t, name), all
}

// hotpotTexts adds the recorded runs of the reference's browser.
func hotpotTexts(t testing.TB, to *said) {
	t.Helper()
	var golden struct {
		Runs []struct {
			Steps []struct{ Action, Obs, Observation string }
		}
	}
	sharedtest.JSON(t, "hotpotqa/wikienv_synthetic.json", &golden)
	for _, e := range golden.Runs {
		for _, s := range e.Steps {
			to.add([]string{s.Action}, []string{s.Obs, s.Observation}, nil)
		}
	}
}

// byHand are rules without families for what was recorded: P1 to P4, and others as users might write them.
func byHand(t testing.TB, name string) []configs.Perturbation {
	t.Helper()
	switch name {
	case "alfworld", "alfworld's other dialect":
		return shipped(t)
	case "pddl":
		return strategy()
	case "babyai":
		return []configs.Perturbation{
			{Name: "verbs", Env: "babyai", Actions: map[string]string{"go to {thing}": "walk to {thing}",
				"pickup {thing}": "pick up {thing}", "turn left": "turn right", "turn right": "turn left"}},
			{Name: "names", Env: "babyai", Names: "{number}. {what}"},
			{Name: "answers", Env: "babyai", Replies: map[string]string{"No change in state.": "Nothing came of it."}},
		}
	}
	return nil
}

// Whatever was recorded can be read back under every family in every grade, and under all
// of them at once: a sample of the texts, and all texts under rules without families.
func TestRecordedTextsOneToOne(t *testing.T) {
	for _, name := range append(withFamilies(t), "alfworld's other dialect") {
		t.Run(name, func(t *testing.T) {
			env, all := recorded(t, name)
			texts := 0
			check := func(rules configs.Perturbation, exact bool, samples map[string]*sample) {
				perturbed := sharedtest.Must(Wrap(env, rules))(t)
				for taskType, s := range samples {
					p := sharedtest.Must(perturbed.ofType(taskType))(t)
					texts += len(s.actions) + len(s.observations) + len(s.goals)
					readBack(t, rules.Name, p, s, exact)
				}
			}
			most, some := 1, 400
			switch {
			case *whole:
				some = 1
			case sharedtest.Long():
				some = 20
			default:
				most = 80
			}
			for _, rules := range byHand(t, name) {
				check(rules, name != "pddl", sampled(all, most))
			}
			if !slices.Contains(withFamilies(t), name) {
				return
			}
			samples := sampled(all, some)
			for _, rule := range append(graded(t, name), "all:1", "all:2", "all:3") {
				check(mustName(t, name, rule), false, samples)
			}
			t.Logf("%d texts read back", texts)
		})
	}
}

// whole makes tests of families check everything instead of a sample.
var whole = flag.Bool("whole", false, "check families of perturbations on all tasks and all recorded texts")

// sample is a part of what was recorded of one interface.
type sample struct{ actions, observations, goals []string }

// sampled returns one in so many texts of each task type.
func sampled(all map[string]*said, every int) map[string]*sample {
	some := func(texts map[string]bool) (out []string) {
		for i, text := range slices.Sorted(maps.Keys(texts)) {
			if i%every == 0 {
				out = append(out, text)
			}
		}
		return out
	}
	out := map[string]*sample{}
	for taskType, s := range all {
		out[taskType] = &sample{some(s.actions), some(s.observations), some(s.goals)}
	}
	return out
}

// readBack checks the texts of one interface. If they are not exact, lists may come back sorted.
func readBack(t *testing.T, rule string, p *Perturbation, s *sample, exact bool) {
	t.Helper()
	failed := 0
	report := func(format string, args ...any) {
		if failed++; failed < 4 {
			t.Errorf(format, args...)
		}
	}
	for _, a := range s.actions {
		normal := p.normalize(a)
		_, ok := p.write(normal)
		switch {
		case p.isRemoved(normal): // nothing stands for it
			continue
		case !ok && (p.turned || p.iface.Open): // it has no form, so it has none to be read from
			continue
		case p.iface.Open && p.words.hasOld(p.WriteAction(a)): // it has the new word for a thing by itself
			continue
		}
		if got := p.normalize(p.ReadAction(p.WriteAction(a))); got != normal &&
			!(p.iface.FoldCase && strings.EqualFold(got, normal)) {
			report("%s: the action %q is written %q and read %q", rule, a, p.WriteAction(a), got)
		}
	}
	for _, o := range s.observations {
		written := p.writeObservation(o)
		// A list from a hashed set comes out sorted, as our own does.
		if got := p.readObservation(written); got != o && (exact || p.readObservation(p.writeObservation(got)) != got) {
			report("%s: %q reads %q and came from %q", rule, o, written, got)
		}
	}
	for _, g := range s.goals {
		if got := p.readGoal(p.writeGoal(g)); got != g {
			report("%s: the goal %q reads %q and came from %q", rule, g, p.writeGoal(g), got)
		}
	}
}
