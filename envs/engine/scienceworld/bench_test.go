//go:build unix

package scienceworld

import (
	"testing"

	"heldout/envs/sharedtest"
)

// agentBoard are the simplifications of AgentBoard.
const agentBoard = "selfWateringFlowerPots,openContainers,openDoors,noElectricalAction"

// walk is a round through the house, with actions of many kinds.
var walk = []string{
	"go to kitchen", "look around", "pick up thermometer", "open cupboard", "open fridge", "look in fridge",
	"inventory",
	"move metal pot to sink", "activate sink", "deactivate sink", "move metal pot to stove", "activate stove",
	"look at metal pot",
	"use thermometer in inventory on metal pot", "deactivate stove", "take wood cup in fridge", "drop wood cup",
	"close fridge",
	"focus on soap", "mix metal pot", "jump", "go to outside", "look at fire pit", "go to greenhouse", "open bee hive",
	"look around",
	"pick up jug", "go to hallway", "go to workshop", "look around", "look at battery", "drop jug", "go to hallway",
	"put down thermometer",
}

// benched are the tasks that benchmarks play.
var benched = []struct {
	task      string
	variation int
}{{"boil", 5}, {"find-animal", 20}, {"grow-plant", 3}, {"chemistry-mix", 5}, {"use-thermometer", 21},
	{"lifespan-longest-lived", 6}}

// playBenched makes b.N steps of walks, in one task after the other.
func playBenched(b *testing.B, after func(w *World)) {
	w := New()
	n := 0
	for b.Loop() {
		if n%(3*len(walk)) == 0 {
			b.StopTimer()
			c := benched[n/(3*len(walk))%len(benched)]
			if trouble := w.Load(c.task, c.variation, agentBoard); trouble != "" {
				b.Fatal(trouble)
			}
			w.Step("go to hallway")
			b.StartTimer()
		}
		w.Step(walk[n%len(walk)])
		after(w)
		n++
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "steps/s")
}

func BenchmarkStep(b *testing.B) { playBenched(b, func(*World) {}) }

// BenchmarkStepAndList also lists the valid actions after every step.
func BenchmarkStepAndList(b *testing.B) {
	playBenched(b, func(w *World) { w.ValidActions() })
}

// BenchmarkFork forks a world.
func BenchmarkFork(b *testing.B) {
	w := New()
	w.Load("boil", 5, agentBoard)
	w.Step("look around")
	w.DrawValidActions()
	sharedtest.Cost(b, "kept", func(int) { w.Fork() })
}
