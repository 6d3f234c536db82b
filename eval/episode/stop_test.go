package episode

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/eval/agent"
	"heldout/eval/episode/episodetest"
	"heldout/scoring/record"
)

func TestStopRules(t *testing.T) {
	steps := func(actions string) (out []record.Step) {
		for _, a := range strings.Fields(actions) {
			s := record.Step{Action: a, Reply: a, Observation: a, Valid: a != "bad"}
			if len(a) == 2 { // other replies with one action, which is repaired
				s.Parsed, s.Action = a[:1], "repaired"
			}
			if a == "none" { // no readable action
				s = record.Step{Reply: a, FormatError: true}
			}
			out = append(out, s)
		}
		return out
	}
	type stopping struct {
		Rules   map[string]any
		Actions string
		Want    record.Cut
	}
	for _, c := range sharedtest.Cases[stopping](t, "stoprules.yaml") {
		var rules configs.StopRules
		sharedtest.OK(t, json.Unmarshal(sharedtest.Must(json.Marshal(c.Rules))(t), &rules))
		sharedtest.Equal(t, stopRule(rules, steps(c.Actions)), c.Want, c.Rules, c.Actions)
	}
}

// By default an episode that ends is over before the rules are asked. A rule before the end takes its success away.
func TestStopBeforeEnd(t *testing.T) {
	e := episodetest.NewCountdown(3)
	for before, want := range map[bool]record.Outcome{false: record.Success, true: record.Failure} {
		p := &configs.Preset{
			Play: configs.Play{
				ActionsShown: configs.ActionsShown{Timing: configs.Never}, Agent: configs.AgentForm{Form: configs.Chat},
				Reply: configs.ReplyRules{Parser: "after-first-action", OnFailure: configs.End},
				Stop:  configs.StopRules{SameReply: 3, BeforeEnd: before},
			},
			Env: configs.PresetEnv{Limit: configs.PresetLimit{Steps: 9, Counts: "replies"}}, Metric: configs.Metric{
				Primary: "success"},
		}
		b := Benchmark{Env: e, Tasks: e.Tasks()[2:], StepLimit: 9, Prompt: episodetest.Prompt, PromptHash: "h",
			Preset: *p, Named: &record.Preset{Name: "p", SHA256: "h"}}
		episodes := planned(t, &b, &Player{Name: "vllm:m", Agent: configs.Chat, Model: episodetest.Saying("down"),
			Decoding: record.Decoding{TopP: 1, MaxTokens: 9}})
		rec, cause := episodes[0].Play(t.Context(), Trusting{}, func(agent.Usage) {})
		if cause != nil || rec.Outcome != want || rec.Steps != 3 || (rec.Cut == record.SameReply) != before ||
			*rec.Score != map[bool]float64{true: 0, false: 1}[before] {
			t.Errorf("before the end %v: %s, %v, cut %q after %d steps", before, rec.Outcome, cause, rec.Cut, rec.Steps)
		}
	}
}

// silent is a Countdown that nobody judges in the first steps.
type silent struct {
	*episodetest.Countdown
	steps int
}

func (e silent) NewWorld(t envs.Task) (envs.World, error) {
	w, err := e.Countdown.NewWorld(t)
	return &silentWorld{w.(*episodetest.CountdownWorld), e.steps}, err
}

type silentWorld struct {
	*episodetest.CountdownWorld
	left int
}

func (w *silentWorld) Step(ctx context.Context, action string) (envs.Step, error) {
	s, err := w.CountdownWorld.Step(ctx, action)
	w.left--
	s.Unjudged = w.left >= 0
	return s, err
}

// An episode that nobody has judged by its end has no result, however it ends: it is done, at the step limit, or a
// rule ends it while the model writes no actions.
func TestUnjudged(t *testing.T) {
	for _, c := range []struct {
		reply, stop string
		silent      int
		want        record.Outcome
	}{
		{"Action: up", "", 4, record.EnvError},
		{"Action: up", "", 3, record.Failure},
		{"Action: down", "", 4, record.EnvError},
		{"Action: down", "", 1, record.Success},
		{"Action: up", "same", 2, record.EnvError},
		{"Action: up", "same", 1, record.Failure},
		{"", "", 4, record.Failure}, // no action reached the environment
	} {
		e := silent{episodetest.NewCountdown(2), c.silent}
		b := Benchmark{Env: e, Tasks: e.Tasks(), StepLimit: 4, Prompt: episodetest.Prompt}
		if c.stop != "" {
			b.Preset.Stop = configs.StopRules{SameAction: 2}
		}
		model := episodetest.Saying(c.reply[min(len(c.reply), len("Action: ")):])
		episodes := planned(t, &b, &Player{Name: "m", Agent: configs.React, Model: model})
		rec, _ := episodes[1].Play(t.Context(), Trusting{}, func(agent.Usage) {})
		if rec.Outcome != c.want || (c.want == record.EnvError) != (rec.Error == envs.ErrUnjudged.Error()) {
			t.Errorf("%+v: %s, %s", c, rec.Outcome, rec.Error)
		}
	}
}
