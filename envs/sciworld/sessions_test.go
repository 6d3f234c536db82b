package sciworld

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"heldout/envs"
	"heldout/envs/sharedtest"
)

var mostSessions = flag.Int("sessions", 1000, "how many sessions BenchmarkSessions holds at most")

// BenchmarkSessions holds sessions after some drawn steps and reports the memory of one: what lives after a
// collection. They play different variations, or the same ten again and again, or are forks of one.
func BenchmarkSessions(b *testing.B) {
	const steps = 20
	for _, n := range []int{1, *mostSessions} {
		e := opened(b, Options{Variant: ScienceWorld})
		all := e.Tasks()
		started := func(i int) envs.World { return startedIn(b, e, all[i*53%len(all)]) }
		root := started(0)
		playDrawn(b, root, 0, steps)
		for _, kind := range []struct {
			name string
			made func(i int) envs.World
		}{
			{"apart", started},
			{"again", func(i int) envs.World { return started(i % 10) }},
			{"forks", func(int) envs.World {
				return sharedtest.Must(root.(envs.Forker).Fork())(b)
			}},
		} {
			b.Run(fmt.Sprintf("%d/%s", n, kind.name), func(b *testing.B) {
				worlds := make([]envs.World, n)
				before := live()
				for i := range worlds {
					worlds[i] = kind.made(i)
					playDrawn(b, worlds[i], i, steps)
				}
				each := (live() - before) / float64(n)
				for b.Loop() {
				}
				b.ReportMetric(each/1e3, "kB/session")
				runtime.KeepAlive(worlds)
			})
		}
	}
}

// playDrawn makes steps that are drawn from what is valid.
func playDrawn(b *testing.B, w envs.World, seed, steps int) {
	ctx, draw := context.Background(), rand.New(rand.NewPCG(3, uint64(seed)))
	for range steps {
		actions, err := w.(envs.Lister).Actions(ctx)
		if err == nil {
			_, err = w.Step(ctx, actions[draw.IntN(len(actions))])
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

// live is the memory of the heap in use after a collection, in bytes.
func live() float64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // pools keep what they have through one
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}
