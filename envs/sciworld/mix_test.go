//go:build unix

package sciworld

import (
	"context"
	"encoding/json"
	"flag"
	"math/rand/v2"
	"os"
	"testing"

	"heldout/envs"
	"heldout/envs/sharedtest"
)

var mixFile = flag.String("mix-file", "", "write the episodes of the mix to this file, to play them on something else")

// drawn is an episode of which the actions are known.
type drawn struct {
	Task    string   `json:"task"`
	Actions []string `json:"actions"`
}

// mixLength is the number of steps of an episode of the mix.
const mixLength = 40

// mix is what worlds are measured by: an episode in a variation of each task, with
// actions drawn from what is valid.
func mix(t testing.TB, e *Env) (out []drawn) {
	t.Helper()
	ctx := context.Background()
	draw := rand.New(rand.NewPCG(1, 2))
	for n, kind := range tasks {
		task, err := e.Task(place{kind.name, n * 7 % kind.variations}.id())
		if err != nil { // a task about electricity, in AgentBoard's setting
			continue
		}
		w := startedIn(t, e, task)
		s := drawn{Task: task.ID}
		for range mixLength {
			valid, err := w.(envs.Lister).Actions(ctx)
			if err != nil {
				t.Fatal(err)
			}
			action := valid[draw.IntN(len(valid))]
			if _, err := w.Step(ctx, action); err != nil {
				t.Fatal(err)
			}
			s.Actions = append(s.Actions, action)
		}
		out = append(out, s)
		w.Close()
	}
	return out
}

func startedIn(t testing.TB, e *Env, task envs.Task) envs.World {
	t.Helper()
	w, err := e.NewWorld(task)
	if err == nil {
		_, err = w.Start(context.Background())
	}
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// BenchmarkMix plays the mix through the whole layer: a step, a step and the list of
// what is valid as text, and the start of an episode.
func BenchmarkMix(b *testing.B) {
	for _, variant := range []string{AgentBoard, ScienceWorld} {
		e := opened(b, Options{Variant: variant})
		scripts := mix(b, e)
		if *mixFile != "" && variant == ScienceWorld {
			writeMix(b, scripts)
		}
		ctx := context.Background()
		play := func(b *testing.B, list bool) {
			var w envs.World
			n, used := 0, 0.0
			for b.Loop() {
				s := scripts[n/mixLength%len(scripts)]
				if n%mixLength == 0 {
					b.StopTimer()
					if w != nil {
						used += sharedtest.ProcessorTime(b)
						w.Close()
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
			b.ReportMetric(used/float64(n)*1e6, "cpu-us/op")
		}
		b.Run(variant+"/step", func(b *testing.B) { play(b, false) })
		b.Run(variant+"/list", func(b *testing.B) { play(b, true) })
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
