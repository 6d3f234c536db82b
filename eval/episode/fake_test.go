package episode

import (
	"testing"

	"go.uber.org/goleak"

	"heldout/envs"
	"heldout/envs/sharedtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// planned are the episodes of a benchmark with seed 1.
func planned(t testing.TB, b *Benchmark, p *Player) []Episode {
	t.Helper()
	info := envs.Info{}
	if b.Env != nil {
		info = b.Env.Info()
	}
	c := b.Condition(info, p, 1)
	return sharedtest.Must(b.Episodes(p, &c))(t)
}
