package agent

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"heldout/envs"
	"heldout/envs/sharedtest"
)

// board is a world that lists actions and has an expert.
type board struct {
	envs.World
	actions []string
	expert  string
	err     error
}

func (b *board) Actions(context.Context) ([]string, error)           { return b.actions, b.err }
func (b *board) ExpertAction(context.Context) (string, error)        { return b.expert, b.err }
func (b *board) Step(context.Context, string) (s envs.Step, e error) { return }

func TestRandom(t *testing.T) {
	w := &board{actions: []string{"a", "b", "c"}}
	var games [2][]string
	for i := range games {
		a := sharedtest.Must(NewRandom(w, rand.New(rand.NewPCG(1, 2))))(t)
		for range 100 {
			games[i] = append(games[i], move(t, a).Action)
			a.Observe("It goes on.")
		}
	}
	if !slices.Equal(games[0], games[1]) {
		t.Error("the same seed gives other actions")
	}
	for _, action := range w.actions {
		n := 0
		for _, played := range games[0] {
			if played == action {
				n++
			}
		}
		if n < 15 {
			t.Errorf("%s was chosen %d times in 100", action, n)
		}
	}
	for _, played := range games[0] {
		if !slices.Contains(w.actions, played) {
			t.Errorf("%q is not valid", played)
		}
	}
	other, _ := NewRandom(w, rand.New(rand.NewPCG(3, 4)))
	var game []string
	for range 100 {
		game = append(game, move(t, other).Action)
	}
	if slices.Equal(game, games[0]) {
		t.Error("another seed gives the same actions")
	}
}

func TestRandomWithoutActions(t *testing.T) {
	a := sharedtest.Must(NewRandom(&board{}, rand.New(rand.NewPCG(1, 2))))(t)
	if got := move(t, a); !got.GiveUp {
		t.Errorf("move %+v", got)
	}
}

func TestExpert(t *testing.T) {
	w := &board{expert: "a"}
	a := sharedtest.Must(NewExpert(w))(t)
	if got := move(t, a); got.Action != "a" || got.GiveUp {
		t.Errorf("move %+v", got)
	}
	a.Observe("It goes on.")
	w.expert = ""
	if got := move(t, a); !got.GiveUp {
		t.Errorf("move %+v", got)
	}
}

func TestBrokenWorld(t *testing.T) {
	w := &board{err: errors.New("broken")}
	e, _ := NewExpert(w)
	r, _ := NewRandom(w, rand.New(rand.NewPCG(1, 2)))
	for _, a := range []Agent{e, r} {
		if _, err := a.Act(context.Background()); !errors.Is(err, w.err) {
			t.Errorf("error %v", err)
		}
	}
}

// TestUnableWorld: a world may have neither expert nor list of actions.
func TestUnableWorld(t *testing.T) {
	var w struct{ envs.World }
	if _, err := NewExpert(w); err == nil {
		t.Error("there is an expert")
	}
	if _, err := NewRandom(w, nil); err == nil {
		t.Error("there is a list of actions")
	}
}
