package alfworld

import (
	"runtime"
	"sync"
	"testing"
	"time"

	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/envs/stream"
)

// BenchmarkSteps plays the official games at random, with the list of valid
// actions at every step, 30 steps each.
func BenchmarkSteps(b *testing.B) { playAtRandom(b, official(b, Options{})) }

// BenchmarkStepsGenerated does the same with generated games.
func BenchmarkStepsGenerated(b *testing.B) { playAtRandom(b, generated(b, 0)) }

// playAtRandom counts no time for loading games.
func playAtRandom(b *testing.B, e *Env) {
	for _, task := range e.Tasks() {
		newTestWorld(b, e, task)
	}
	rng := stream.New(1, "bench")
	var w *world
	for n := 0; b.Loop(); n++ {
		if n%stepLimit == 0 {
			w = newTestWorld(b, e, e.Tasks()[n/stepLimit%len(e.Tasks())])
		}
		actions, err := w.Actions(b.Context())
		if err != nil || len(actions) == 0 {
			b.Fatalf("%d actions, %v", len(actions), err)
		}
		if s, err := w.Step(b.Context(), actions[rng.IntN(len(actions))]); err != nil || !s.Valid {
			b.Fatal(s, err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "steps/s")
}

// BenchmarkLoad makes the first world of one official game after the other: it
// reads the file, parses and grounds it.
func BenchmarkLoad(b *testing.B) {
	e := official(b, Options{})
	for n := 0; b.Loop(); n++ {
		if n > 0 && n%len(e.Tasks()) == 0 { // all are loaded
			b.StopTimer()
			e = official(b, Options{})
			b.StartTimer()
		}
		newTestWorld(b, e, e.Tasks()[n%len(e.Tasks())])
	}
}

// BenchmarkFirstWave starts all official games at once, as a run with as many
// episodes in flight does, and measures when the last has its first observation,
// which a model is asked about, and when the last has carried out a step.
func BenchmarkFirstWave(b *testing.B) {
	var started, stepped time.Duration
	for b.Loop() {
		b.StopTimer()
		e := official(b, Options{})
		b.StartTimer()
		began := time.Now()
		var starts, steps sync.WaitGroup
		starts.Add(len(e.Tasks()))
		for _, task := range e.Tasks() {
			steps.Go(func() {
				w, err := e.NewWorld(task)
				if err == nil {
					_, err = w.Start(b.Context())
				}
				starts.Done()
				if err == nil {
					_, err = w.Step(b.Context(), "look")
				}
				if err != nil {
					b.Error(err)
				}
			})
		}
		starts.Wait()
		started += time.Since(began)
		steps.Wait()
		stepped += time.Since(began)
	}
	b.ReportMetric(started.Seconds()*1000/float64(b.N), "ms-to-starts")
	b.ReportMetric(stepped.Seconds()*1000/float64(b.N), "ms-to-steps")
}

// BenchmarkNewOfficial reads and checks all game files.
func BenchmarkNewOfficial(b *testing.B) {
	for b.Loop() {
		official(b, Options{})
	}
}

// BenchmarkNewGenerated makes all generated games.
func BenchmarkNewGenerated(b *testing.B) {
	for b.Loop() {
		generated(b, 1)
	}
}

// BenchmarkExpert plans the official games one after the other.
func BenchmarkExpert(b *testing.B) {
	e := official(b, Options{})
	for n := 0; b.Loop(); n++ {
		if action, err := newTestWorld(b, e, e.Tasks()[n%len(e.Tasks())]).ExpertAction(b.Context()); err != nil ||
			action == "" {
			b.Fatal(action, err)
		}
	}
}

// BenchmarkWorlds measures the memory of 256 worlds at once: two of nearly every
// official game, after a few steps.
func BenchmarkWorlds(b *testing.B) {
	var before, games, all runtime.MemStats
	for b.Loop() {
		e := official(b, Options{})
		runtime.GC()
		runtime.ReadMemStats(&before)
		for _, task := range e.Tasks() {
			newTestWorld(b, e, task)
		}
		runtime.GC()
		runtime.ReadMemStats(&games)
		var worlds []envs.World
		for n := range 256 {
			w := newTestWorld(b, e, e.Tasks()[n%len(e.Tasks())])
			for range 3 {
				actions := sharedtest.Must(w.Actions(b.Context()))(b)
				if _, err := w.Step(b.Context(), actions[len(actions)-1]); err != nil {
					b.Fatal(err)
				}
			}
			worlds = append(worlds, w)
		}
		runtime.GC()
		runtime.ReadMemStats(&all)
		runtime.KeepAlive(worlds)
		runtime.KeepAlive(e)
	}
	b.ReportMetric(float64(games.HeapAlloc-before.HeapAlloc)/1e6, "MB-games")
	b.ReportMetric(float64(all.HeapAlloc-games.HeapAlloc)/1e6, "MB-worlds")
}
