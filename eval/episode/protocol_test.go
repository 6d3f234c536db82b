package episode

import (
	"context"
	"strings"
	"testing"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/sciworld"
	"heldout/envs/sharedtest"
	"heldout/eval/agent"
	"heldout/eval/episode/episodetest"
	"heldout/eval/model"
	"heldout/scoring/record"
)

// steps is a world whose steps have given scores.
type steps struct {
	scores []float64
	at     int
}

func (*steps) Start(context.Context) (envs.Start, error) { return envs.Start{}, nil }
func (*steps) Close() error                              { return nil }
func (w *steps) Score() float64                          { return w.scores[w.at-1] }
func (w *steps) ExactScore() float64                     { return w.Score() + 0.0001 }
func (w *steps) Step(context.Context, string) (envs.Step, error) {
	w.at++
	done := w.at == len(w.scores)
	return envs.Step{Progress: max(0, w.scores[w.at-1]), Done: done, Success: false, Valid: true}, nil
}

// The value of an episode follows from its scores; NaN stands for a reply without an action.
func TestMetric(t *testing.T) {
	const unread = -99
	for _, c := range []struct {
		name    string
		metric  configs.Metric
		scores  []float64
		value   float64
		success bool
		loose   bool
	}{
		{"best", configs.Metric{Primary: "score-best", Success: 100}, []float64{0.2, 1, -1}, 1, true, false},
		{"best, reset", configs.Metric{Primary: "score-best", FormatErrorResets: true}, []float64{0.8, unread, 0.3},
			0.3, false, false},
		{"best, not reset", configs.Metric{Primary: "score-best"}, []float64{0.8, unread, 0.3}, 0.8, false, false},
		{"best, fatal at once", configs.Metric{Primary: "score-best"}, []float64{-1}, 0, false, false},
		{"best step, fatal at once", configs.Metric{Primary: "score-best-step"}, []float64{-1}, -1, false, false},
		{"best step, reset", configs.Metric{Primary: "score-best-step", FormatErrorResets: true}, []float64{unread, -1},
			0, false, false},
		{"best step", configs.Metric{Primary: "score-best-step", Success: 100, Loose: "done"}, []float64{-0.5, 0.3, -1},
			0.3, false, true},
		{"exact", configs.Metric{Primary: "score-best-step", Exact: true}, []float64{0.5}, 0.5001, false, false},
		{"last", configs.Metric{Primary: "score-last"}, []float64{0.2, 0.5, -1}, -1, false, false},
		{"last, reset", configs.Metric{Primary: "score-last", FormatErrorResets: true}, []float64{0.5, unread}, 0,
			false, false},
		{"last that was not negative", configs.Metric{Primary: "score-last-non-negative"}, []float64{0.2, 0.5, -1}, 0.5,
			false, false},
		{"loose, and no success", configs.Metric{Primary: "success", Success: 100, Loose: "done-and-positive"},
			[]float64{0.1, 0.17}, 0, false, true},
		{"not even loose", configs.Metric{Primary: "success", Success: 100, Loose: "done-and-positive"},
			[]float64{0.1, -1}, 0, false, false},
		{"strict success", configs.Metric{Primary: "success", Success: 100, Loose: "done-and-positive"},
			[]float64{0.1, 1}, 1, true, true},
		{"progress", configs.Metric{Primary: "progress"}, []float64{0.1, 0.4}, 0.4, false, false},
	} {
		w := &steps{scores: c.scores}
		m := &metric{rule: c.metric}
		rec := &record.Episode{}
		for _, s := range c.scores {
			step := sharedtest.Must(w.Step(t.Context(), ""))(t)
			rec.Progress = step.Progress
			if s == unread {
				w.scores[w.at-1] = max(0, w.scores[max(0, w.at-2)]) // the environment was not asked
			}
			rec.Trajectory = append(rec.Trajectory, record.Step{FormatError: s == unread})
			m.add(w, step, s == unread, rec)
		}
		m.settle(rec)
		if rec.Score == nil || *rec.Score != c.value || rec.Success != c.success {
			t.Errorf("%s: score %v, success %v, want %v, %v", c.name, *rec.Score, rec.Success, c.value, c.success)
		}
		sharedtest.Equal(t, rec.Loose != nil && *rec.Loose, c.loose, c.name, "loose")
	}
}

// Limits depend on the task's type, and a preset without one for a type is refused.
func TestLimitByType(t *testing.T) {
	e := episodetest.NewCountdown(3)
	p := &configs.Preset{Env: configs.PresetEnv{Limit: configs.PresetLimit{
		ByType: map[string]int{"from": 2}, Counts: "replies"}}, Metric: configs.Metric{Primary: "success"}}
	b := Benchmark{Env: e, Tasks: e.Tasks(), StepLimit: 9, Preset: *p, Named: &record.Preset{
		Name: "p@1", SHA256: "h"}}
	episodes := planned(t, &b, &Player{Name: Random, Agent: Random})
	rec, _ := episodes[2].Play(t.Context(), Trusting{}, func(agent.Usage) {})
	if rec.Steps > 2 || rec.Preset != "p@1 h" {
		t.Errorf("%d steps, preset %q", rec.Steps, rec.Preset)
	}
	b.Preset.Env.Limit.ByType = map[string]int{"to": 2}
	if err := b.Limited(); err == nil {
		t.Error("a task without a step limit is planned")
	}
}

// waiter looks into every room of ScienceWorld and then waits, without a thought of the task.
type waiter struct{ turn int }

func (w *waiter) Chat(context.Context, model.Request) (model.Reply, error) {
	rooms := []string{"art studio", "bathroom", "bedroom", "foundry", "greenhouse", "hallway", "kitchen", "living room",
		"outside", "workshop"}
	action := "wait"
	if w.turn < len(rooms) {
		action = "teleport to " + rooms[w.turn]
	}
	w.turn++
	return model.Reply{Text: "<think>.</think><action>" + action + "</action>", Attempts: 1}, nil
}

// By the success of RLVMR's source, doing nothing solves tasks of ScienceWorld. The
// strict success beside it says that it does not.
func TestWaitingIsNoSuccess(t *testing.T) {
	p := sharedtest.Must(configs.LoadPreset("rlvmr-sciworld"))(t)
	p = sharedtest.Must(p.Select("L0"))(t)
	prompt := sharedtest.Must(configs.LoadPrompt("sciworld", "rlvmr"))(t)
	env := sharedtest.Must(sciworld.New(sciworld.Configured(p.Env.Settings)))(t)
	for _, id := range []string{"find-animal/225", "boil/7", "lifespan-longest-lived/9"} {
		task := sharedtest.Must(env.Task(id))(t)
		b := Benchmark{Env: env, Tasks: []envs.Task{task}, StepLimit: p.Env.Limit.Max(), Prompt: prompt,
			PromptHash: "hash", Preset: p, Named: &record.Preset{Name: "p", SHA256: "h"}}
		player := Player{Name: "vllm:m", Agent: p.Agent.Form, Model: &waiter{}, Decoding: record.Decoding{
			TopP: 1, MaxTokens: 512}}
		episodes := planned(t, &b, &player)
		rec, cause := episodes[0].Play(t.Context(), Trusting{}, func(agent.Usage) {})
		if cause != nil || rec.Loose == nil || !*rec.Loose || rec.Success || *rec.Score != 0 || rec.Steps > 22 {
			t.Errorf("%s: %v, %s, loose %v, %d steps", id, cause, rec.Outcome, rec.Loose, rec.Steps)
		}
	}
}

// A thought that a preset takes as an action, and answers, is not an invalid action.
func TestThoughtsAreValid(t *testing.T) {
	names := configs.PresetNames()
	found := 0
	for _, name := range names {
		for _, p := range loadPlays(t, name) {
			if p.Agent.Thoughts == "" {
				continue
			}
			found++
			rec := playScript(t, &p, houseType(&p), &recorder{replies: []string{
				"think: I need the mug.", "dance", "think: It is on the desk.", "whistle", "think: I go."}})
			valid := ""
			for _, s := range rec.Trajectory {
				valid += map[bool]string{true: "v", false: "-"}[s.Valid]
			}
			if !strings.HasPrefix(valid, "v-v-v") {
				t.Errorf("%s: %s", p.Name, valid)
			}
		}
	}
	if found < 3 {
		t.Errorf("%d presets take thoughts as actions", found)
	}
}
