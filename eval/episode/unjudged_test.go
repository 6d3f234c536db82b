package episode

import (
	"context"
	"testing"

	"heldout/configs"
	"heldout/envs"
	"heldout/eval/agent"
	"heldout/eval/episode/episodetest"
	"heldout/scoring/record"
)

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
