package bench

import (
	"testing"

	"heldout/envs/sharedtest"
	"heldout/eval/episode/episodetest"
)

// Names that the environment does not have are left out of a partial list alone.
func TestPartialList(t *testing.T) {
	env := episodetest.NewCountdown(3)
	names := []string{"from/3", "from/9", "from/1", "from/3"}
	got, err := named(env, names, true)
	if err != nil || len(got) != 2 || got[0].ID != "from/3" || got[1].ID != "from/1" {
		t.Errorf("%v, %v", got, err)
	}
	sharedtest.Fails(t, sharedtest.Err(named(env, names, false)), "from/9", "a whole list with an unknown name")
}
