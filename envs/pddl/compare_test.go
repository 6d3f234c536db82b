package pddl

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"heldout/envs/sharedtest"
)

func TestSameObservation(t *testing.T) {
	const (
		list  = "Valid actions are: Open boot., Fetch r1 from boot., jack-up the hub the-hub1., check valid actions, look around"
		facts = "Boot is open. Hub the-hub1 is fastened. W1 is on the-hub1. The-hub1 is free.  You have w1."
	)
	e := &Env{}
	tests := []struct {
		name, action, recorded, ours string
		want                         bool
	}{
		{"equal", "open boot", facts, facts, true},
		{"equal lists", "check", list, list, true},
		{"both empty", "open boot", "", "", true},
		{"permuted list", "Check valid actions",
			"Valid actions are: jack-up the hub the-hub1., Open boot., Fetch r1 from boot., check valid actions, look around", list, true},
		{"permuted with a word around it", "please CHECK it",
			"Valid actions are: Fetch r1 from boot., Open boot., jack-up the hub the-hub1., check valid actions, look around", list, true},
		{"missing", "check", "Valid actions are: Open boot., jack-up the hub the-hub1., check valid actions, look around", list, false},
		{"extra", "check", "Valid actions are: Open boot., Fetch r1 from boot., Close boot., jack-up the hub the-hub1., check valid actions, look around", list, false},
		{"changed", "check", "Valid actions are: Open boot., Fetch r2 from boot., jack-up the hub the-hub1., check valid actions, look around", list, false},
		{"doubled", "check", "Valid actions are: Open boot., Open boot., jack-up the hub the-hub1., check valid actions, look around", list, false},
		{"other end", "check", "Valid actions are: Open boot., Fetch r1 from boot., jack-up the hub the-hub1., check valid actions", list, false},
		{"end moved", "check", "Valid actions are: look around, Open boot., Fetch r1 from boot., jack-up the hub the-hub1., check valid actions", list, false},
		{"end permuted", "check", "Valid actions are: Open boot., Fetch r1 from boot., jack-up the hub the-hub1., look around, check valid actions", list, false},
		{"other beginning", "check", "Valid actions: Open boot., Fetch r1 from boot., jack-up the hub the-hub1., check valid actions, look around", list, false},
		{"no list", "check", notUnderstood, list, false},
		{"ours is no list", "check", list, notUnderstood, false},
		{"list for another action", "open boot",
			"Valid actions are: jack-up the hub the-hub1., Open boot., Fetch r1 from boot., check valid actions, look around", list, false},
		{"list while looking around", "look around",
			"Valid actions are: jack-up the hub the-hub1., Open boot., Fetch r1 from boot., check valid actions, look around", list, false},
		{"permuted facts", "look around", "The-hub1 is free.  You have w1. Boot is open. W1 is on the-hub1. Hub the-hub1 is fastened.", facts, true},
		{"permuted facts, double space at the end", "Look Around",
			"Boot is open. W1 is on the-hub1. Hub the-hub1 is fastened. You have w1. The-hub1 is free. ", facts, true},
		{"space lost", "look around", "Boot is open. W1 is on the-hub1. Hub the-hub1 is fastened. You have w1. The-hub1 is free.", facts, false},
		{"fact missing", "look around", "Boot is open. Hub the-hub1 is fastened. W1 is on the-hub1. You have w1.", facts, false},
		{"fact extra", "look around", facts + " You have r1.", facts, false},
		{"fact changed", "look around", strings.Replace(facts, "w1", "w2", 1), facts, false},
		{"facts after another action", "open boot",
			"The-hub1 is free.  You have w1. Boot is open. W1 is on the-hub1. Hub the-hub1 is fastened.", facts, false},
		{"facts where a list is due", "check, look around",
			"The-hub1 is free.  You have w1. Boot is open. W1 is on the-hub1. Hub the-hub1 is fastened.", facts, false},
		{"without punctuation", "look around", "Room roomb Handempty left Room rooma",
			"Handempty left Room rooma Room roomb", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			sharedtest.Equal(t, e.SameObservation(tt.action, tt.recorded, tt.ours), tt.want, "SameObservation",
				tt.action, tt.recorded, tt.ours)
		})
	}
}

// What a world says in any state is the same as any permutation of it where an
// order is free, and nothing else.
func TestSameObservationOfWorlds(t *testing.T) {
	ins := map[string]*instance{}
	for _, g := range games {
		ins[g.name] = newTestInstance(t, g.name, exampleText(t, g.name))
	}
	e := &Env{}
	rapid.Check(t, func(rt *rapid.T) {
		g := rapid.SampledFrom(games[:]).Draw(rt, "game")
		w := newWorld(ins[g.name])
		for range rapid.IntRange(0, 10).Draw(rt, "steps") {
			step(rt, w, chatter(rt, w))
		}
		var facts []string
		for _, f := range w.in.facts {
			if holds(w.state, f.index) {
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
