package stats

import (
	"fmt"
	"slices"
	"testing"

	"heldout/envs/stream"
)

// TestPower has the figures of a simulation of models with rates of 45 and 35 %,
// whose difference varies by 0.028 between tasks and by 0.296 between seeds.
func TestPower(t *testing.T) {
	for _, c := range []struct {
		name            string
		n               int
		degrees         float64
		seeds           float64
		power, smallest float64
	}{
		{"babyai", 112, 84, 1, 0.43, 0.157}, {"babyai", 112, 84, 3, 0.82, 0.098}, {"babyai", 112, 84, 10, 0.99, 0.066},
		{"pddl", 60, 56, 1, 0.25, 0.220}, {"pddl", 60, 56, 3, 0.54, 0.137}, {"pddl", 60, 56, 10, 0.87, 0.091},
		{"jericho", 20, 19, 1, 0.10, 0.421}, {"jericho", 20, 19, 3, 0.18, 0.260}, {"jericho", 20, 19, 10, 0.36, 0.174},
	} {
		p := Components{Task: 0.028, Seed: 0.296, Degrees: c.degrees, N: c.n, Level: 0.95}
		near(t, fmt.Sprint(c.name, c.seeds, " Power"), p.Power(0.1, c.seeds), c.power, 0.04)
		near(t, fmt.Sprint(c.name, c.seeds, " Smallest"), p.Smallest(c.seeds), c.smallest, 0.005)
	}
}

// TestPlanAgrees: what a plan asks for shows the difference, and less does not.
func TestPlanAgrees(t *testing.T) {
	p := Components{Task: 0.028, Seed: 0.296, Degrees: 84, N: 112, Level: 0.95}
	seeds, ok := p.Seeds(0.08)
	if !ok || p.Smallest(float64(seeds)) > 0.08 || p.Smallest(float64(seeds-1)) <= 0.08 {
		t.Errorf("%d seeds, %v", seeds, ok)
	}
	if seeds, ok := p.Seeds(0.01); ok {
		t.Errorf("%d seeds show a difference that tasks hide", seeds)
	}
	tasks := p.Tasks(0.05, 3)
	more := p
	more.N = tasks
	fewer := p
	fewer.N = tasks - 1
	if more.Smallest(3) > 0.05 || fewer.Smallest(3) <= 0.05 {
		t.Errorf("%d tasks: %v, one less: %v", tasks, more.Smallest(3), fewer.Smallest(3))
	}
	near(t, "DecodingShare", p.DecodingShare(1), 0.296/0.324, 1e-12)
	if got := (Components{Degrees: 29, N: 30, Level: 0.95}).Tasks(0.05, 1); got < 30 {
		t.Errorf("tasks that do not differ: %d tasks needed", got)
	}
}

// TestPowerBySimulation plays two models again and again, with rates of about 45 and 35 %: the share of significant
// differences is the power. The 20 tasks of Jericho are too coarse: its power is less than planned.
func TestPowerBySimulation(t *testing.T) {
	runs := 600
	if *coverageRuns > 0 {
		runs = *coverageRuns
	}
	for _, b := range benchmarks()[:5] {
		for _, seeds := range []int{1, 3, 10} {
			s := sampling(t, questionsOf(b)[0], b.groups)
			rng := stream.New(1, "power", b.name, fmt.Sprint(seeds))
			pick := func() float64 { return normalEffects[rng.IntN(len(normalEffects))] }
			n := len(b.groups)
			p := Components{Degrees: s.designs[0].degrees, N: n, Level: 0.95}
			rejected, difference := 0, 0.0
			for range runs {
				diffs, mean := make([]float64, n), 0.0
				first, second := make([]float64, n), make([]float64, n)
				for i := range diffs {
					shared := 1.5 * pick()
					first[i], second[i] = logistic(-0.27+shared+0.7*pick()), logistic(-0.83+shared+0.7*pick())
					mean += (first[i] - second[i]) / float64(n)
				}
				difference += mean / float64(runs)
				for i := range diffs {
					x, y := first[i], second[i]
					p.Seed += (x*(1-x) + y*(1-y)) / float64(n*runs)
					p.Task += (x - y - mean) * (x - y - mean) / float64(n*runs)
					for range seeds {
						if rng.Float64() < x {
							diffs[i] += 1 / float64(seeds)
						}
						if rng.Float64() < y {
							diffs[i] -= 1 / float64(seeds)
						}
					}
				}
				if s.Paired(diffs, seeds).P < 0.05 {
					rejected++
				}
			}
			planned, simulated := p.Power(difference, float64(seeds)), float64(rejected)/float64(runs)
			t.Logf("%s, %d seeds: planned %.1f %%, simulated %.1f %%, smallest visible difference %.1f points", b.name,
				seeds, 100*planned, 100*simulated, 100*p.Smallest(float64(seeds)))
			if !b.alone || simulated > planned {
				near(t, fmt.Sprint(b.name, ", ", seeds, " seeds: power"), planned, simulated, 0.07)
			}
		}
	}
}

func TestCounts(t *testing.T) {
	for _, c := range []struct {
		percent float64
		n       int
		want    []int
		cut     bool
	}{
		{44.8, 134, []int{60}, false}, {16.6, 60, []int{10}, true}, {12.4, 134, nil, false}, {0, 20, []int{0}, false},
		{100, 20, []int{20}, false}, {50.1, 1000, []int{501}, false}, {50, 3000, []int{1499, 1500, 1501}, false},
	} {
		if ks, cut := Counts(c.percent, 1, c.n); !slices.Equal(ks, c.want) || cut != c.cut {
			t.Errorf("%v %% of %d: %v, cut off %v", c.percent, c.n, ks, cut)
		}
	}
}
