package babyai

import (
	"fmt"
	"testing"

	"heldout/envs/sharedtest"
)

// Seeds of a small level repeat worlds. Tasks with one content look alike from everywhere
// that the same actions lead to.
func TestContent(t *testing.T) {
	e := opened(t, Options{})
	look := func(id string) (seen []string) {
		w, start := played(t, e, id)
		seen = append(seen, start.Goal, start.Observation)
		for _, action := range []string{"turn left", "turn left", "move forward", "turn right", "move forward"} {
			seen = append(seen, act(t, w, action).Observation)
		}
		return seen
	}
	first := map[string]string{} // task of each content
	repeated := 0
	for seed := range 200 {
		id := fmt.Sprintf("BabyAI-OpenRedDoor-v0/%d", testSeeds+seed)
		content := sharedtest.Must(Content(id))(t)
		before, ok := first[content]
		if !ok {
			first[content] = id
			continue
		}
		repeated++
		sharedtest.Same(t, look(id), look(before), before, "and", id, "have one content, and differ")
	}
	t.Logf("%d of 200 seeds repeat a world", repeated)
	if repeated == 0 || len(first) < 10 {
		t.Errorf("%d contents in 200 seeds", len(first))
	}
	sharedtest.Fails(t, sharedtest.Err(Content("BabyAI-Nowhere-v0/1")), "", "a name that no task has is no error")
}
