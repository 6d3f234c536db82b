package pddl

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"heldout/envs/sharedtest"
)

func TestSameObservation(t *testing.T) {
	e := &Env{}
	for _, tt := range sharedtest.Cases[struct {
		Name, Action, Recorded, Ours string
		Want                         bool
	}](t, "same-observations.yaml") {
		t.Run(tt.Name, func(t *testing.T) {
			sharedtest.Equal(t, e.SameObservation(tt.Action, tt.Recorded, tt.Ours), tt.Want, "SameObservation",
				tt.Action, tt.Recorded, tt.Ours)
		})
	}
}

// What a world says in any state is the same as any permutation of it where an order is free, and nothing else.
func TestSameObservationOfWorlds(t *testing.T) {
	ins := map[string]*instance{}
	for _, g := range games {
		ins[g.Name] = newTestInstance(t, g.Name, exampleText(t, g.Name))
	}
	e := &Env{}
	rapid.Check(t, func(rt *rapid.T) {
		g := rapid.SampledFrom(games[:]).Draw(rt, "game")
		w := newWorld(ins[g.Name])
		for range rapid.IntRange(0, 10).Draw(rt, "steps") {
			step(rt, w, chatter(rt, w))
		}
		var facts []string
		for _, f := range w.in.facts {
			if f.Holds(w.state) {
				facts = append(facts, f.text)
			}
		}
		permuted := strings.Join(rapid.Permutation(facts).Draw(rt, "facts"), " ")
		if ours := step(rt, w, "look around").Observation; !e.SameObservation("look around", permuted, ours) {
			rt.Fatalf("%q is not %q", permuted, ours)
		}
		lost := rapid.IntRange(0, len(facts)-1).Draw(rt, "lost")
		fewer := strings.Join(append(append([]string{}, facts[:lost]...), facts[lost+1:]...), " ")
		if ours := step(rt, w, "look around").Observation; e.SameObservation("look around", fewer, ours) {
			rt.Fatalf("%q is %q", fewer, ours)
		}
		actions := sharedtest.Must(w.Actions(t.Context()))(rt)
		list := step(rt, w, "check").Observation
		_, end, _ := strings.Cut(list, checkAction)
		permuted = listPrefix + strings.Join(append(rapid.Permutation(actions).Draw(rt, "actions"), checkAction),
			", ") + end
		if !e.SameObservation("check", permuted, list) {
			rt.Fatalf("%q is not %q", permuted, list)
		}
		if permuted != list && e.SameObservation("open boot", permuted, list) {
			rt.Fatalf("%q is %q for any action", permuted, list)
		}
	})
}
