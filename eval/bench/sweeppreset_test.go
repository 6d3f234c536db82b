package bench

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"heldout/configs"
	"heldout/envs/sharedtest"
	"heldout/eval/agent"
	"heldout/eval/episode"
	"heldout/eval/model"
	"heldout/scoring/record"
)

// sayer is a model that says actions in the form of a preset, one in each reply.
type sayer struct {
	actions []string
	before  string // of each action
	after   string
	asked   []string // the last message of each request
}

// Chat implements model.Model.
func (s *sayer) Chat(_ context.Context, r model.Request) (model.Reply, error) {
	s.asked = append(s.asked, r.Messages[len(r.Messages)-1].Content)
	action := "look"
	if len(s.actions) > 0 {
		action, s.actions = s.actions[0], s.actions[1:]
	}
	return model.Reply{Text: s.before + action + s.after, Attempts: 1}, nil
}

// presetSweep prepares a sweep of a preset on one task.
func presetSweep(t *testing.T, preset, data, originals string, perturb ...string) (*Job, error) {
	t.Helper()
	given := Input{Override: func(r *configs.Run) error {
		r.Preset, r.Model, r.Perturb, r.Limit = configs.Strings{preset}, configs.Strings{record.Expert}, perturb, 1
		r.Data, r.Originals = data, originals
		return nil
	}}
	out := Outside{Getenv: func(string) string { return "" }}
	chosen, _, err := resolvePresets(out, Sweep, given, []string{preset})
	if err != nil {
		t.Fatal(err)
	}
	return New(out, Sweep, chosen...)
}

// plays plays the task of a benchmark with a model that says these actions.
func plays(t *testing.T, b *episode.Benchmark, info record.Condition, m model.Model) *record.Episode {
	t.Helper()
	player := &episode.Player{Name: "openai:sayer", Agent: b.Preset.Agent.Form, Model: m}
	e := episode.Episode{ID: "one", Task: &b.Tasks[0], Condition: &info, Benchmark: b, Player: player}
	return sharedtest.Must(e.Play(t.Context(), episode.Trusting{}, func(agent.Usage) {}))(t)
}

// TestSweepsOfPresets: under a perturbation, a preset's parser reads actions in their new
// form, so that a model that says them so does as well as without; one that says the old
// ones does worse, unless the preset repairs what it says.
func TestSweepsOfPresets(t *testing.T) {
	for _, c := range sharedtest.Sample(t, []struct {
		preset, originals, before, after string
		perturb                          []string
		// repairs: old forms are taken for the nearest possible action.
		repairs bool
	}{
		{preset: "agentrefine:alfworld", before: "Thought: I act.\nAction: "},
		{preset: "agentrefine:babyai", before: "Thought: I act.\nAction: "},
		{preset: "agentrefine:hotpotqa", before: "Thought: I act.\nAction: ", perturb: []string{"verbs:2", "all:2"}},
		{preset: "agentrefine:jericho", before: "Thought: I act.\nAction: ", perturb: []string{"verbs:2", "all:2"}},
		{preset: "agentrefine:pddl", before: "Thought: I act.\nAction: ", perturb: []string{"verbs:2", "all:2"}},
		{preset: "agentrefine:sciworld", before: "Thought: I act.\nAction: ", perturb: []string{"verbs:2", "all:2"}},
		{preset: "eto-alfworld:unseen", originals: "eto", before: "Thought: I act.\nAction: "},
		{preset: "agentbench-hh", originals: "agentbench_v02", before: "THOUGHT: I act.\nACTION: ", repairs: true},
		{preset: "agentboard:babyai", originals: "agentboard"},
		{preset: "gigpo-alfworld:unseen", originals: "verl-agent", before: "<think>I act.</think><action>",
			after:   "</action>",
			perturb: []string{"P1", "P2", "P3", "P4", "verbs:2", "names:2", "all:2"}},
		{preset: "rlvmr-sciworld:L0", originals: "epo", before: "<think>I act.</think><action>",
			after:   "</action>",
			perturb: []string{"verbs:2", "all:2"}},
	}, 2) {
		t.Run(c.preset, func(t *testing.T) {
			data, originals := "", ""
			if c.originals != "" {
				data = sharedtest.AgentBoard(t)
				originals = filepath.Join(sharedtest.Golden(t, "protocols"), "originals", c.originals)
				if c.originals == "epo" {
					originals = withPossible(t, originals)
				}
			}
			if c.perturb == nil {
				c.perturb = []string{"verbs:2", "names:2", "all:2"}
			}
			job := sharedtest.Must(presetSweep(t, c.preset, data, originals, c.perturb...))(t)
			defer job.Close()
			spec := job.specs[0]
			anyone := &episode.Player{Name: "openai:sayer", Agent: "chat"}
			var old []string
			var best float64
			for i := range spec.Benchmarks {
				b := &spec.Benchmarks[i]
				condition := b.Condition(b.Env.Info(), anyone, 0)
				expert := expertActions(t, b)
				if b.Perturbation == "" {
					old = expert
				}
				saying := func(actions []string) *sayer {
					return &sayer{actions: slices.Clone(actions), before: c.before, after: c.after}
				}
				reader := plays(t, b, condition, saying(expert))
				memoriser := plays(t, b, condition, saying(old))
				t.Logf("%s: reader %.2f, memoriser %.2f of progress", condition.Perturbation, reader.Progress,
					memoriser.Progress)
				if b.Perturbation == "" {
					best = reader.Progress
				}
				if reader.Progress != best || best == 0 {
					t.Errorf("%s: a reader has progress %v, want %v", condition.Perturbation, reader.Progress, best)
				}
				if differs := !slices.Equal(old, expert); differs && !c.repairs && memoriser.Progress >= best {
					t.Errorf("%s: a memoriser has progress %v", condition.Perturbation, memoriser.Progress)
				}
			}
		})
	}
}

// TestPerturbedOpenings: the texts with which a preset begins games are rewritten, and the manifest says so.
func TestPerturbedOpenings(t *testing.T) {
	originals := filepath.Join(sharedtest.Golden(t, "protocols"), "originals", "agentboard")
	job := sharedtest.Must(presetSweep(t, "agentboard:jericho", sharedtest.AgentBoard(t), originals, "lines:1"))(t)
	defer job.Close()
	all := job.specs[0].Benchmarks
	game := all[0].Tasks[0].Type
	was, now := all[0].Prompt.Openings[game], all[1].Prompt.Openings[game]
	if was.Observation == "" || was.Goal != now.Goal || strings.Count(now.Observation, "\n") !=
		strings.Count(was.Observation, "\n")+1 {
		t.Errorf("%q became %q", was, now)
	}
	if departs := job.about.Sweep.Perturbations[0].Departs; !slices.Contains(departs, "how games begin") {
		t.Errorf("what departs is %q", departs)
	}
}

// expertActions are the expert's actions on the task of a benchmark.
func expertActions(t *testing.T, b *episode.Benchmark) []string {
	t.Helper()
	return expertEpisode(t, *b, b.Tasks[0]).written
}

// TestUnfitPresets: what cannot be right is refused, and a suite leaves it out and says so.
func TestUnfitPresets(t *testing.T) {
	data, folder := sharedtest.AgentBoard(t), filepath.Join(sharedtest.Golden(t, "protocols"), "originals")
	for _, c := range []struct{ preset, originals, perturb, want string }{
		{"tales-alfworld:unseen-1", "tales", "verbs:1", "it tells none of the forms that change"},
		{"agentboard:alfworld", "agentboard", "verbs:1", `"clean {obj} with {recep}" stays in its instructions`},
		{"eto-alfworld:unseen", "eto", "help:1", "changes nothing of preset eto-alfworld"},
		{"agentrefine:alfworld", "", "P5", "changes the model and not what preset"},
		{"eto-alfworld", "eto", "verbs:1", "both play alfworld: a sweep has one preset or part"},
	} {
		job, err := presetSweep(t, c.preset, data, filepath.Join(folder, c.originals), c.perturb)
		if err == nil {
			job.Close()
		}
		sharedtest.Fails(t, err, c.want, c.preset, c.perturb)
	}
}

// A suite under a preset plays the families that fit it, and as the whole those together.
func TestSuiteOfPreset(t *testing.T) {
	data, folder := sharedtest.AgentBoard(t), filepath.Join(sharedtest.Golden(t, "protocols"), "originals")
	given := Input{Override: func(r *configs.Run) error {
		r.Model, r.Limit, r.Suite, r.Grades = configs.Strings{record.Expert}, 1, "robust", configs.Strings{"1"}
		r.Data, r.Originals = data, filepath.Join(folder, "eto")
		return nil
	}}
	out := Outside{Getenv: func(string) string { return "" }}
	chosen, _, err := resolvePresets(out, Sweep, given, []string{"eto-alfworld:unseen"})
	if err != nil {
		t.Fatal(err)
	}
	job := sharedtest.Must(New(out, Sweep, chosen...))(t)
	defer job.Close()
	var played []string
	for _, b := range job.specs[0].Benchmarks {
		played = append(played, b.Perturbation)
	}
	joined := func(name string) bool { return strings.Count(name, "+") > 1 && !strings.Contains(name, "help") }
	if slices.Contains(played, "help:1") || slices.Contains(played, "all:1") || !slices.Contains(played, "verbs:1") ||
		!slices.ContainsFunc(played, joined) {
		t.Errorf("%q are played; help does not fit, so that all are those that do", played)
	}
}

func TestSuiteGrades(t *testing.T) {
	for in, want := range map[string]string{"": "at least one", "0": "not a grade", "two": "not a grade",
		"1,1": "twice", "10": "not a grade"} {
		r := configs.Run{Suite: configs.Robust}
		if in != "" {
			r.Grades = strings.Split(in, ",")
		}
		sharedtest.Fails(t, sharedtest.Err(suiteGrades(r)), want, in)
	}
	got, err := suiteGrades(configs.Run{Suite: configs.Robust, Grades: configs.Strings{"3", "1"}})
	if err != nil || !slices.Equal(got, []int{1, 3}) {
		t.Errorf("%v, %v", got, err)
	}
}

// A model for which a preset has no chat template is refused before play.
func TestNoChatTemplate(t *testing.T) {
	b := episode.Benchmark{}
	b.Preset.Agent.Wraps = []configs.Wrap{{Model: "llama"}}
	err := checkAbilities(b, []episode.Player{{Name: "vllm:M", Model: &sayer{}}})
	sharedtest.Fails(t, err, "names contain llama, and none for vllm:M")
}
