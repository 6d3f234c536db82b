package pddl

import (
	"context"
	"strings"
	"testing"

	"heldout/envs/pytext"
	"heldout/envs/sharedtest"
)

// FuzzStep types anything into every game, at the start or a few steps later.
func FuzzStep(f *testing.F) {
	for _, action := range []string{
		"move roomb rooma", "Pick up ball3 at roomb with arm left. ", "unstack(b2, b1)", "left grasp shot1",
		"Open boot.",
		"check valid actions", "look around", "", "fetch 'wrench' from \"boot\".", "pickup b1? no. b3!",
		"\xffmove\xfe roomb rooma", "İ",
	} {
		f.Add(action, uint8(0))
		f.Add(action, uint8(2))
	}
	// Moments of every game, as the expert plays it.
	const early = 4
	var moments [][early]*world // by game
	for _, g := range games {
		w := example(f, g.Name)
		var forks [early]*world
		for i := range forks {
			forks[i] = forked(f, w)
			steps(f, w, sharedtest.Must(w.ExpertAction(context.Background()))(f))
		}
		moments = append(moments, forks)
	}
	f.Fuzz(func(t *testing.T, action string, moment uint8) {
		for _, forks := range moments {
			w := forked(t, forks[moment%early])
			in := w.in
			was := w.state.Clone()
			s := step(t, w, action)
			changed := !was.Equal(w.state)
			text := pytext.Lower(action)
			listing := strings.Contains(text, "check") || strings.Contains(text, "look around")
			refused := s.Observation == notUnderstood || s.Observation == noEffect
			if s.Progress < 0 || s.Progress > 1 {
				t.Errorf("%s, %q: progress %v", in.game.Name, action, s.Progress)
			}
			if s.Done != s.Success || s.Done && s.Progress != 1 {
				t.Errorf("%s, %q: %+v", in.game.Name, action, s)
			}
			if s.Valid == refused || s.Valid != (listing || changed) || listing && changed {
				t.Errorf("%s, %q: %+v, changed %v", in.game.Name, action, s, changed)
			}
			if _, all := in.reached(w.state); changed && s.Done != all {
				t.Errorf("%s, %q: done %v, goal reached %v", in.game.Name, action, s.Done, all)
			}
			sharedtest.Equal(t, strings.HasSuffix(s.Observation, satisfied), changed && s.Done, in.game.Name, action,
				s)
		}
	})
}
