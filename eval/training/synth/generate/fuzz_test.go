package generate

import (
	"context"
	"encoding/json"
	"testing"

	"heldout/envs/sharedtest"
	"heldout/eval/training/calls"
	"heldout/eval/training/synth"
)

// Whatever a model writes, an item ends within its calls, and what passes verifies
// and can be written for training.
func FuzzMake(f *testing.F) {
	bad := whole(game("!p a", "!o b", "steal lamp"))
	f.Add(shop("Ada"), whole(good()), "", "")
	f.Add("no", shop("Ada"), bad, whole(good()[4:]))
	f.Add(shop("Ada"), bad, "[]", "[1, {}]")
	f.Add("```json\n"+shop("Ada")+"\n```", "x"+whole(good())+"y", `[{"turn": 1e400}]`, "[[[[")
	g := newGenerator(f, "Ada")
	f.Fuzz(func(t *testing.T, a, b, c, d string) {
		replies := []string{a, b, c, d}
		asked := 0
		own := *g
		own.Ask = func(context.Context, calls.Question) (*calls.Call, error) {
			asked++
			return &calls.Call{Reply: replies[asked-1]}, nil
		}
		it, err := own.Make(t.Context(), 0)
		if err != nil || asked != len(it.Attempts) || asked > MostCalls {
			t.Fatalf("%v, %d calls, %+v", err, asked, it)
		}
		if !it.Passed {
			return
		}
		s := sharedtest.Must(synth.ParseScript(it.Script))(t)
		if v := synth.Verify(s, list(it.Trajectory), g.Verify); v.Reason != "" {
			t.Fatalf("%+v", v)
		}
		masked, err := synth.Mask(list(it.Trajectory), g.Verify)
		if err != nil || !json.Valid(masked) {
			t.Fatalf("%s, %v", masked, err)
		}
		places(it.Script)
	})
}
