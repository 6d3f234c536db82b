package pddl

import (
	"context"
	"testing"

	"heldout/envs"
	"heldout/envs/engine/planning"
	"heldout/envs/sharedtest"
	"heldout/envs/stream"
)

// BenchmarkSteps plays the official tasks at random, with the list of valid
// actions at every step, 30 steps each.
func BenchmarkSteps(b *testing.B) { playAtRandom(b, official(b)) }

// BenchmarkStepsGenerated does the same with generated tasks.
func BenchmarkStepsGenerated(b *testing.B) { playAtRandom(b, generated(b)) }

// playAtRandom counts no time for grounding problems.
func playAtRandom(b *testing.B, e *Env) {
	ctx := context.Background()
	for _, task := range e.Tasks() {
		if _, err := e.NewWorld(task); err != nil {
			b.Fatal(err)
		}
	}
	rng := stream.New(1, "bench")
	var w envs.World
	for n := 0; b.Loop(); n++ {
		if n%stepLimit == 0 {
			var err error
			if w, err = e.NewWorld(e.Tasks()[n/stepLimit%len(e.Tasks())]); err != nil {
				b.Fatal(err)
			}
		}
		actions, err := w.(envs.Lister).Actions(ctx)
		if err != nil || len(actions) == 0 {
			b.Fatalf("%d actions, %v", len(actions), err)
		}
		if s, err := w.Step(ctx, actions[rng.IntN(len(actions))]); err != nil || !s.Valid && s.Observation != noEffect {
			b.Fatal(s, err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "steps/s")
}

// BenchmarkNewGenerated writes and parses all generated tasks.
func BenchmarkNewGenerated(b *testing.B) {
	for b.Loop() {
		if _, err := NewGenerated(0); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkGround grounds the generated tasks one after the other.
func BenchmarkGround(b *testing.B) {
	e := generated(b)
	for n := 0; b.Loop(); n++ {
		if _, err := planning.Ground(e.problems[n%len(e.problems)].parsed); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPlan plans the generated tasks one after the other.
func BenchmarkPlan(b *testing.B) {
	e := generated(b)
	var ins []*instance
	for _, p := range e.problems {
		ins = append(ins, sharedtest.Must(p.ready())(b))
	}
	for n := 0; b.Loop(); n++ {
		if plan, ok := ins[n%len(ins)].task.Plan(ins[n%len(ins)].task.Init); !ok || len(plan) > stepLimit {
			b.Fatal(plan, ok)
		}
	}
}

// BenchmarkTokenize splits an action of ordinary length.
func BenchmarkTokenize(b *testing.B) {
	for b.Loop() {
		tokenize(
			"pour-shot-to-clean-shaker from a shot glass shot2 with ingredient2 to a clean shaker shaker1 with hand " +
				"right from level l0 to level l1.")
	}
}
