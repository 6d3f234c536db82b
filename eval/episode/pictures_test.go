package episode

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"heldout/configs"
	"heldout/envs"
	"heldout/eval/episode/episodetest"
	"heldout/scoring/record"
)

// drawn is countdown with pictures.
type drawn struct{ *episodetest.Countdown }

type drawnWorld struct{ envs.World }

func (e drawn) NewWorld(t envs.Task) (envs.World, error) {
	w, err := e.Countdown.NewWorld(t)
	return drawnWorld{w}, err
}

func (w drawnWorld) View() envs.Picture {
	c := w.World.(*episodetest.CountdownWorld)
	return envs.Picture{Rows: [][]envs.Glyph{{{Text: fmt.Sprint(c.Count - c.Steps)}}}}
}

// Pictures follow the recorded actions. Steps whose reply has no action change
// nothing, unless the agent sends the empty action then.
func TestPicturesFollowTheRecord(t *testing.T) {
	env := drawn{episodetest.NewCountdown(3)}
	e := &record.Episode{Result: record.Result{Agent: configs.React}, Observation: "3", Trajectory: []record.Step{
		{Action: "down", Observation: "2"}, {Action: "", FormatError: true, Observation: "What?"},
		{Action: "up", Observation: "2"}, {Action: "down", Observation: "1"},
	}}
	check := func(want string, wantDiffers int) {
		t.Helper()
		pictures, differs, err := Pictures(t.Context(), env, env.List[2], e)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, p := range pictures {
			got += p.Rows[0][0].Text
		}
		if got != want || differs != wantDiffers {
			t.Errorf("pictures %s, differs at %d; want %s, %d", got, differs, want, wantDiffers)
		}
	}
	check("32221", -1)
	e.Trajectory[2].Observation = "otherwise"
	check("32221", 3)
	e.Agent = configs.Act // which sends the empty action
	check("32221", 2)
	e.Observation = "4"
	check("32221", 0)
}

func TestNoPictures(t *testing.T) {
	env := episodetest.NewCountdown(1)
	if _, _, err := Pictures(t.Context(), env, env.List[0], &record.Episode{}); !errors.Is(err, ErrNoPictures) {
		t.Errorf("a world that cannot be drawn: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	e := &record.Episode{Trajectory: []record.Step{{Action: "down"}}}
	if _, _, err := Pictures(ctx, drawn{env}, env.List[0], e); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	e.Trajectory[0].Action = "break"
	if _, _, err := Pictures(t.Context(), drawn{env}, env.List[0], e); err == nil {
		t.Error("a broken world is drawn")
	}
}
