//go:build unix

package sciworld

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"testing"
	"time"

	"heldout/envs"
	"heldout/envs/sharedtest"
)

var mixFile = flag.String("mix-file", "", "write the episodes of the mix to this file, to play them on something else")

// BenchmarkMix plays the mix through the whole layer: a step, a step and the list of
// what is valid as text, the same if nothing was played before, and the start of an episode.
func BenchmarkMix(b *testing.B) {
	for _, variant := range []string{AgentBoard, ScienceWorld} {
		e := opened(b, Options{Variant: variant})
		scripts := mix(b, e)
		if *mixFile != "" && variant == ScienceWorld {
			writeMix(b, scripts)
		}
		ctx := context.Background()
		play := func(b *testing.B, e *Env, list, anew bool) {
			var w envs.World
			n, used := 0, time.Duration(0)
			for b.Loop() {
				s := scripts[n/mixLength%len(scripts)]
				if n%mixLength == 0 {
					b.StopTimer()
					if w != nil {
						used += sharedtest.ProcessorTime(b)
						w.Close()
					}
					if anew && n%(len(scripts)*mixLength) == 0 {
						e = opened(b, Options{Variant: variant})
					}
					task, _ := e.Task(s.Task)
					w = startedIn(b, e, task)
					used -= sharedtest.ProcessorTime(b)
					b.StartTimer()
				}
				if _, err := w.Step(ctx, s.Actions[n%mixLength]); err != nil {
					b.Fatal(err)
				}
				if list {
					if _, err := w.(envs.Lister).Actions(ctx); err != nil {
						b.Fatal(err)
					}
				}
				n++
			}
			used += sharedtest.ProcessorTime(b)
			b.ReportMetric(used.Seconds()/float64(n)*1e6, "cpu-us/op")
		}
		b.Run(variant+"/step", func(b *testing.B) { play(b, e, false, false) })
		b.Run(variant+"/list", func(b *testing.B) { play(b, e, true, false) })
		b.Run(variant+"/first", func(b *testing.B) { play(b, e, true, true) })
		b.Run(variant+"/start", func(b *testing.B) {
			n := 0
			for b.Loop() { // variations that were not played before, as far as there are
				startedIn(b, e, e.Tasks()[n*53%len(e.Tasks())]).Close()
				n++
			}
		})
	}
}

func writeMix(b *testing.B, scripts []drawn) {
	text, err := json.Marshal(scripts)
	if err == nil {
		err = os.WriteFile(*mixFile, text, 0o644)
	}
	if err != nil {
		b.Fatal(err)
	}
}
