//go:build unix

package jericho

import (
	"context"
	"runtime"
	"testing"
	"time"

	"heldout/envs"
	"heldout/envs/sharedtest"
)

// BenchmarkHelp lists the valid actions of all games, with Jericho's templates, at the
// start with nothing remembered, there again in another world, after waiting, after
// the first move of the walkthrough, and after each of ten moves, of which it reports
// the last: the processors' time for each. Run it with -benchtime 1x.
func BenchmarkHelp(b *testing.B) {
	var golden goldenBindings
	sharedtest.JSON(b, "jericho/thirdparty_jericho_bindings_20.json", &golden)
	for i := range games {
		g := &games[i]
		b.Run(g.name, func(b *testing.B) {
			x := golden.Games[g.name]
			story := officialStory(b, g)
			var start, again, waited, moved, ten time.Duration
			for b.Loop() {
				listed = newLists(listMemory, helpers.budget)
				known := binding{Grammar: x.Grammar, MaxWordLength: x.MaxWordLength, Walkthrough: x.Walkthrough}
				p := newPlay(g, story, g.seed, known)
				p.actions()
				list := func(w envs.World) time.Duration {
					began := sharedtest.ProcessorTime(b)
					if _, err := w.(envs.Lister).Actions(context.Background()); err != nil {
						b.Fatal(err)
					}
					return sharedtest.ProcessorTime(b) - began
				}
				world := func() *world {
					w := newWorld(p)
					if _, err := w.Start(context.Background()); err != nil {
						b.Fatal(err)
					}
					return w
				}
				w := world()
				start += list(w)
				runtime.GC() // else it may be that of the first list that is measured
				again += list(world())
				f, err := w.Fork()
				if err != nil {
					b.Fatal(err)
				}
				steps(b, f, "wait")
				waited += list(f)
				for n := range 10 {
					steps(b, w, p.walkthrough[n])
					took := list(w)
					if n == 0 {
						moved += took
					} else if n == 9 {
						ten += took
					}
				}
			}
			for name, took := range map[string]time.Duration{
				"start": start, "again": again, "waited": waited, "moved": moved, "ten": ten,
			} {
				b.ReportMetric(float64(took.Microseconds())/1e3/float64(b.N), "ms-"+name)
			}
		})
	}
}
