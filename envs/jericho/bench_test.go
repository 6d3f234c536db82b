//go:build unix

package jericho

import (
	"context"
	"math"
	"runtime"
	"testing"
	"time"

	"heldout/envs/sharedtest"
)

// BenchmarkWalkthrough plays whole games as the variant Jericho does. It reports the processors' time for a step,
// starts apart, in the fastest game, and what that executes. testdata/steps.py measures the reference alike.
func BenchmarkWalkthrough(b *testing.B) {
	var bindings goldenBindings
	sharedtest.JSON(b, "jericho/thirdparty_jericho_bindings_20.json", &bindings)
	e := officialEnv(b, Options{Variant: Jericho})
	for i := range games {
		g := &games[i]
		b.Run(g.Name, func(b *testing.B) {
			actions := splitWalkthrough(bindings.Games[g.Name].Walkthrough)
			best, spent := time.Duration(math.MaxInt64), 0
			for b.Loop() {
				w, _ := startedWorld(b, e, i)
				spent = 0
				began := sharedtest.ProcessorTime(b)
				for _, a := range actions {
					if _, err := w.Step(b.Context(), a); err != nil {
						b.Fatal(err)
					}
					spent += w.(scored).session.machine.Spent()
				}
				best = min(best, sharedtest.ProcessorTime(b)-began)
				_ = w.Close()
			}
			b.ReportMetric(float64(best.Nanoseconds())/1e3/float64(len(actions)), "cpu-µs/step")
			b.ReportMetric(float64(spent)/float64(len(actions)), "instr/step")
			b.ReportMetric(float64(spent)/best.Seconds()/1e6, "Minstr/s")
		})
	}
}

// BenchmarkHelp lists the valid actions of all games, with Jericho's templates, at the start, there again in
// another world, and after ten moves of the walkthrough: the processors' time for each. Run it with -benchtime 1x.
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
