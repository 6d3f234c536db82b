package hotpotqa

import (
	"slices"
	"testing"

	"heldout/envs/sharedtest"
)

func TestNames(t *testing.T) {
	got := names(`Which of "Marie Curie", Pierre (Curie) and É. Zola was in New York's 2nd Bar?`)
	sharedtest.Same(t, got, []string{"Which", "Marie Curie", "Pierre Curie", "É", "Zola", "New York's", "Bar"})
}

// Every listed action is valid, whatever was done before, and after the end
// there is none.
func TestActions(t *testing.T) {
	e := embedded(t, Options{})
	for _, first := range []string{"", "search[Titan]", "search[Warsaw]", "lookup[x]", "nonsense"} {
		w := newWorld(t, e, 0)
		if first != "" {
			step(t, w, first)
		}
		actions, err := w.Actions(t.Context())
		if err != nil || !slices.IsSorted(actions) || !slices.Contains(actions, "search[Marie Curie]") {
			t.Errorf("after %q: %q, %v", first, actions, err)
		}
		for _, a := range actions {
			w := newWorld(t, e, 0)
			step(t, w, "search[Pluto]")
			if s := step(t, w, a); !s.Valid {
				t.Errorf("%q is listed and not valid", a)
			}
			if left, err := w.Actions(t.Context()); err != nil || (left == nil) != (w.browser.answer != nil) {
				t.Errorf("after %q: %q, %v", a, left, err)
			}
		}
	}
}
