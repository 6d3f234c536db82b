package sciworld

import (
	"context"
	"testing"

	"heldout/envs/sciworld/py4j"
)

// benched is a machine with a task loaded.
func benched(b *testing.B, o Options) startedWorld {
	b.Helper()
	o.Jar, o.JVMs = needJar(b), 1
	w := newStarted(b, opened(b, o))
	for range 20 { // until what is used often is compiled
		if _, err := w.Step(context.Background(), "look around"); err != nil {
			b.Fatal(err)
		}
	}
	b.ResetTimer()
	return w
}

// BenchmarkRealStep makes steps, with all the calls that a variant has.
func BenchmarkRealStep(b *testing.B) {
	for _, variant := range []string{AgentBoard, ScienceWorld} {
		b.Run(variant, func(b *testing.B) {
			w := benched(b, Options{Variant: variant})
			defer w.Close()
			actions := []string{"look around", "wait1", "open door to kitchen", "go kitchen", "go hallway", "inventory"}
			for i := 0; b.Loop(); i++ {
				if _, err := w.Step(context.Background(), actions[i%len(actions)]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkRealCall shows where the time goes.
func BenchmarkRealCall(b *testing.B) {
	w := benched(b, Options{})
	defer w.Close()
	for _, c := range []struct {
		method string
		args   []any
	}{
		{"getScore", nil}, {"step", []any{"wait1"}}, {"freeActionLook", nil}, {"freeActionInventory", nil},
		{"freeActionTaskDesc", nil},
		{"getValidActionObjectCombinations", nil}, {"getValidActionObjectCombinationsJSON", nil},
	} {
		b.Run(c.method, func(b *testing.B) {
			for b.Loop() {
				v, err := w.game.(*simulator).conn.Call(context.Background(), w.game.(*simulator).object, c.method,
					c.args...)
				if err != nil {
					b.Fatal(err)
				}
				if list, ok := v.(py4j.Ref); ok {
					w.game.(*simulator).conn.Free(context.Background(), list)
				}
			}
		})
	}
}

// BenchmarkRealStart starts machines; a world on one that runs is begun in
// BenchmarkRealBegin.
func BenchmarkRealStart(b *testing.B) {
	e := opened(b, Options{Jar: needJar(b), JVMs: 1})
	for b.Loop() {
		s, err := machinesOf(e).take(context.Background())
		if err != nil {
			b.Fatal(err)
		}
		machinesOf(e).discard(s)
	}
}

func BenchmarkRealBegin(b *testing.B) {
	w := benched(b, Options{})
	e := w.env
	w.Close()
	for b.Loop() {
		newStarted(b, e).Close()
	}
}

// BenchmarkStep is the layer alone, over a machine in this process.
func BenchmarkStep(b *testing.B) {
	w := newStarted(b, fakeEnv(b, obligingMachines(), true, rakeLabel()))
	defer w.Close()
	for b.Loop() {
		if _, err := w.Step(context.Background(), "wait"); err != nil {
			b.Fatal(err)
		}
	}
}
