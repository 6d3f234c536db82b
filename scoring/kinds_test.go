package scoring

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"heldout/scoring/record"
)

// played is an episode as the oracle knows it.
type played struct {
	typ    string
	seed   int
	solved bool
	steps  int
}

// TestParts: the numbers of kinds and heads are what a reader computes from the episodes by hand, and those of all
// kinds together are the score's.
func TestParts(t *testing.T) {
	types := map[string]string{"pick_and_place_simple": "Pick", "look_at_obj_in_light": "Look",
		"pick_two_obj_and_place": "Pick2", "pick_heat_then_place_in_recep": "Heat", "new_type": "new_type", "": "–"}
	names := slices.Sorted(func(yield func(string) bool) {
		for typ := range types {
			if !yield(typ) {
				return
			}
		}
	})
	rapid.Check(t, func(rt *rapid.T) {
		seeds, count := rapid.IntRange(1, 4).Draw(rt, "seeds"), rapid.IntRange(1, 12).Draw(rt, "tasks")
		r := newRun(count, seeds).of("alfworld")
		var list []played
		for i := range r.Manifest.Environments[0].Tasks {
			task := &r.Manifest.Environments[0].Tasks[i]
			task.ID, task.Type = fmt.Sprintf("t%d/x", i), rapid.SampledFrom(names).Draw(rt, "type")
			for seed := range seeds {
				p := played{task.Type, seed, rapid.Bool().Draw(rt, "solved"), rapid.IntRange(1, 30).Draw(rt, "steps")}
				list = append(list, p)
				outcome := record.Failure
				if p.solved {
					outcome = record.Success
				}
				r.add(id(seed, i), outcome, 0, 0)
				r.Results[len(r.Results)-1].Steps = p.steps
			}
		}
		s := r.score(t)
		tasks, weighted := 0, 0.0
		for _, part := range s.ByHead() {
			of := func(p played) bool { return types[p.typ] == part.Head }
			sameNumbers(rt, part, list, of)
			tasks, weighted = tasks+part.Tasks(), weighted+float64(part.Tasks())*part.Success.Mean
		}
		if tasks != count || math.Abs(weighted/float64(count)-s.Success.Mean) > 1e-9 {
			rt.Errorf("%d tasks of %d, %v on all, want %v", tasks, count, weighted/float64(count), s.Success.Mean)
		}
		for _, part := range s.ByKind() {
			if part.Head != types[part.Type] {
				rt.Errorf("%q under %q", part.Type, part.Head)
			}
			sameNumbers(rt, part, list, func(p played) bool { return p.typ == part.Type })
		}
		sameNumbers(rt, KindScore{Score: s}, list, func(played) bool { return true })
	})
}

// sameNumbers compares a part with the episodes that it is about.
func sameNumbers(t *rapid.T, part KindScore, list []played, of func(played) bool) {
	bySeed, counts := map[int]float64{}, map[int]float64{}
	n, rate, steps, solved, solvedSteps := 0.0, 0.0, 0.0, 0.0, 0.0
	for _, p := range list {
		if !of(p) {
			continue
		}
		n, steps, counts[p.seed] = n+1, steps+float64(p.steps), counts[p.seed]+1
		if p.solved {
			rate, solved, solvedSteps, bySeed[p.seed] = rate+1, solved+1, solvedSteps+float64(p.steps), bySeed[p.seed]+1
		}
	}
	squares := 0.0
	for seed, count := range counts {
		squares += math.Pow(bySeed[seed]/count-rate/n, 2)
	}
	std := math.NaN()
	if len(counts) > 1 {
		std = math.Sqrt(squares / float64(len(counts)-1))
	}
	for what, pair := range map[string][2]float64{
		"SR": {part.Success.Mean, rate / n}, "std": {part.Success.SampleStd, std},
		"steps":        {part.Usage(Steps).Mean, steps / n},
		"solved steps": {part.Usage(SolvedSteps).Mean, solvedSteps / solved},
	} {
		if math.IsNaN(pair[0]) != math.IsNaN(pair[1]) || math.Abs(pair[0]-pair[1]) > 1e-9 {
			t.Errorf("%s of %s%s: %v, want %v", what, part.Head, part.Type, pair[0], pair[1])
		}
	}
}

// TestHeads: every type of task that the benchmark has stands under one of its environment's heads, and each head is
// used.
func TestHeads(t *testing.T) {
	for env, list := range heads() {
		for place, h := range list {
			for _, start := range h[1:] {
				if head, at := headOf(env, start+"x"); head != h[0] || at != place {
					t.Errorf("%s of %s is under %s, want %s", start, env, head, h[0])
				}
			}
		}
	}
	if head, _ := headOf("pddl", "gripper"); head != "gripper" {
		t.Errorf("gripper is under %s", head)
	}
}
