package alfworld

import (
	"testing"

	"golang.org/x/sync/errgroup"

	"heldout/envs/sharedtest"
)

// Worlds start while no game can be grounded, and all worlds of a game share one grounding.
func TestStartDoesNotWait(t *testing.T) {
	e := sharedtest.Must(NewOfficial(fixture, Options{}))(t)
	for range cap(e.slots) {
		e.slots <- struct{}{}
	}
	worlds := make([]*world, 3*len(e.Tasks()))
	for n := range worlds {
		made := sharedtest.Must(e.NewWorld(e.Tasks()[n%len(e.Tasks())]))(t)
		worlds[n] = made.(*world)
		start, err := made.Start(t.Context())
		if err != nil || start.Goal == "" || start.Observation == "" || worlds[n].rules != nil {
			t.Fatalf("%+v, %v", start, err)
		}
	}
	for range cap(e.slots) {
		<-e.slots
	}
	var group errgroup.Group
	for _, w := range worlds {
		group.Go(func() error {
			_, err := w.Step(t.Context(), lookAction)
			return err
		})
	}
	sharedtest.OK(t, group.Wait())
	for n, w := range worlds {
		sharedtest.Equal(t, w.rules, worlds[n%len(e.Tasks())].rules, e.Tasks()[n%len(e.Tasks())].ID,
			"was grounded twice")
	}
}

// What is asked of a world that has not been played waits for its game, too.
func TestFirstQuestions(t *testing.T) {
	e := sharedtest.Must(NewOfficial(fixture, Options{}))(t)
	for name, ask := range map[string]func(w *world) error{
		"actions": func(w *world) error { _, err := w.Actions(t.Context()); return err },
		"expert":  func(w *world) error { _, err := w.ExpertAction(t.Context()); return err },
		"fork":    func(w *world) error { _, err := w.Fork(); return err },
		"state":   func(w *world) error { _, err := w.AppendState(nil); return err },
	} {
		made := sharedtest.Must(e.NewWorld(e.Tasks()[0]))(t)
		if err := ask(made.(*world)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
