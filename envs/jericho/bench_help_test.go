//go:build unix

package jericho

import (
	"context"
	"runtime"
	"testing"
	"time"

	"heldout/envs/sharedtest"
)

// BenchmarkHelp lists the valid actions of all games, with Jericho's templates, at the
// start, there again in another world, and after ten moves of the walkthrough: the
// processors' time for each. Run it with -benchtime 1x.
func BenchmarkHelp(b *testing.B) {
	var golden goldenBindings
	sharedtest.JSON(b, "jericho/thirdparty_jericho_bindings_20.json", &golden)
	for i := range games {
		g := &games[i]
		b.Run(g.Name, func(b *testing.B) {
			x := golden.Games[g.Name]
			story := officialStory(b, g)
			took := map[string]time.Duration{}
			for b.Loop() {
				listed = newLists(listMemory)
				p := newPlay(g, story, g.Seed,
					binding{Grammar: x.Grammar, MaxWordLength: x.MaxWordLength, Walkthrough: x.Walkthrough})
				p.actions()
				for _, when := range []string{"start", "again", "ten"} {
					w := newWorld(p)
					if _, err := w.Start(context.Background()); err != nil {
						b.Fatal(err)
					}
					if when == "ten" {
						steps(b, w, p.walkthrough[:10]...)
					}
					runtime.GC() // else the garbage of the list before may be measured
					began := sharedtest.ProcessorTime(b)
					if _, err := w.Actions(context.Background()); err != nil {
						b.Fatal(err)
					}
					took[when] += sharedtest.ProcessorTime(b) - began
				}
			}
			for when, t := range took {
				b.ReportMetric(float64(t.Microseconds())/1e3/float64(b.N), "ms-"+when)
			}
		})
	}
}
