package report

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/scoring"
	"heldout/scoring/claim"
	"heldout/scoring/record"
	"heldout/scoring/stats"
)

// simulated is an environment of AgentBoard's size and kinds.
type simulated struct {
	env   string
	tasks []envs.Task
}

// board are AgentBoard's environments as far as intervals know them: tasks by kind, and on ALFWorld by setting.
func board() (out []simulated) {
	add := func(env string, sizes []int, id func(kind, i int) string) {
		s := simulated{env: env}
		for kind, n := range sizes {
			for i := range n {
				n := len(s.tasks)
				s.tasks = append(s.tasks, envs.Task{ID: id(kind, i), Index: n, Type: fmt.Sprintf("kind%02d", kind),
					Digest: fmt.Sprint(env, n)})
			}
		}
		out = append(out, s)
	}
	plain := func(kind, i int) string { return fmt.Sprintf("%d-%d", kind, i) }
	add("alfworld", []int{31, 24, 23, 21, 18, 17}, func(kind, i int) string {
		return fmt.Sprintf("%d-%d/%d", kind, i/3, i)
	})
	levels := make([]int, 28)
	games := make([]int, 20)
	for i := range levels {
		levels[i] = 4
	}
	for i := range games {
		games[i] = 1
	}
	add("babyai", levels, plain)
	add("sciworld", []int{9, 9, 9, 8, 8, 6, 6, 6, 6, 5, 4, 4, 3, 3, 3, 1}, plain)
	add("pddl", []int{20, 20, 10, 10}, plain)
	add("jericho", games, plain)
	add("hotpotqa", append(games, games...), plain)
	return out
}

// play draws a run of models, of which a share of the episodes is done, seed after seed. Ease is the logit of a
// model; the ease of kinds and tasks is drawn besides, the same for all models but for a part.
func play(rng *rand.Rand, of []simulated, models, seeds int, share float64, ease func(model int) float64) NamedRun {
	m := &record.Manifest{Schema: record.Schema}
	var results []record.Result
	for _, s := range of {
		m.Environments = append(m.Environments, record.Environment{Info: envs.Info{Name: s.env, Source: envs.Official,
			StepLimit: 30}, Total: len(s.tasks), Tasks: s.tasks})
		kind := map[string]float64{}
		for _, t := range s.tasks {
			if _, ok := kind[t.Type]; !ok {
				kind[t.Type] = rng.NormFloat64()
			}
		}
		shared := make([]float64, len(s.tasks))
		for i := range shared {
			shared[i] = 1.5*rng.NormFloat64() + kind[s.tasks[i].Type]
		}
		for k := range models {
			p := make([]float64, len(s.tasks))
			for i := range p {
				p[i] = 1 / (1 + math.Exp(-(ease(k) + shared[i] + 0.7*rng.NormFloat64())))
			}
			for seed := range seeds {
				g := record.Group{Condition: record.Condition{Env: s.env, Source: envs.Official,
					Model: fmt.Sprintf("vllm:model-%c", 'a'+rune(k)), Agent: "react", Perturbation: noPerturbation,
					StepLimit: 30, Seed: int64(seed), PromptHash: "0123456789abcdef",
					Decoding: &record.Decoding{Temperature: 1, TopP: 1, MaxTokens: 512}}}
				for i := range s.tasks {
					id := fmt.Sprintf("%s-%d-%d-%d", s.env, k, seed, i)
					g.Episodes = append(g.Episodes, id)
					if float64(seed*len(s.tasks)+i) >= share*float64(seeds*len(s.tasks)) {
						rng.Float64()
						continue
					}
					r := record.Result{Schema: record.Schema, ID: id, Attempt: 1, Outcome: record.Failure,
						Progress: 0.25}
					if rng.Float64() < p[i] {
						r.Outcome, r.Success, r.Progress = record.Success, true, 1
					}
					results = append(results, r)
				}
				m.Groups = append(m.Groups, g)
			}
		}
	}
	run, plan := scoring.NewRun(m), m.Plan()
	for i := range results {
		at, _ := plan.Find(results[i].ID)
		run.Add(at, &results[i], nil)
	}
	return NamedRun{Name: "run", Scores: scoring.Compute(run, stats.TheseKinds)}
}

func paperWeights(t *testing.T) configs.Weights {
	t.Helper()
	w := sharedtest.Must(configs.LoadWeights())(t)
	return w
}

var simulations = flag.Int("simulations", 0, "number of runs of each simulation; 0 depends on the form of the test")

// repeated is how often a run is simulated, by the form of the test.
func repeated(t *testing.T, long, short int) int {
	if *simulations > 0 {
		return *simulations
	}
	return sharedtest.Times(t, long, short, 300)
}

// only are some of the board's environments.
func only(names ...string) []simulated {
	return slices.DeleteFunc(board(), func(s simulated) bool { return !slices.Contains(names, s.env) })
}

// A true difference as large as the printed one is found in 75 to 85 of 100 runs, also near 0 and 100 %, and with few
// tasks, from a rate that has room for it.
func TestPrintedDifferenceIsFound(t *testing.T) {
	sharedtest.Heavy(t)
	n, w := repeated(t, 100, 40), paperWeights(t)
	few := only("pddl")
	few[0].tasks = few[0].tasks[:8]
	for _, c := range []struct {
		of    []simulated
		rate  float64
		seeds int
	}{{only("alfworld"), 0.5, 3}, {only("babyai"), 0.5, 3}, {only("pddl"), 0.5, 3}, {only("alfworld"), 0.95, 3},
		{only("alfworld"), 0.95, 1}, {only("babyai"), 0.95, 3}, {only("alfworld"), 0.05, 3}, {only("babyai"), 0.05, 1},
		{few, 0.25, 3}, {few, 0.25, 10}, {few, 0.75, 10}} {
		level := shiftOf(0, c.rate-0.5)
		first := func(seed, stream int, shift float64) claim.Claim {
			rng := rand.New(rand.NewPCG(uint64(seed), uint64(stream)))
			r := play(rng, c.of, 2, c.seeds, 1, func(model int) float64 { return level + shift*float64(model) })
			return New([]NamedRun{r}, nil, w).Claims().Family(claim.Primary)[0]
		}
		var printed []float64
		for i := range n {
			printed = append(printed, first(i, 1, 0).Sensitivity)
		}
		slices.Sort(printed)
		size := printed[n/2]
		if c.rate > 0.5 {
			size = -size
		}
		shift, found := shiftOf(level, size), 0
		for i := range n {
			if first(i, 2, shift).Kind == claim.Differs {
				found++
			}
		}
		share := float64(found) / float64(n)
		name := fmt.Sprintf("%s, %d tasks, %d seeds, %.0f%%", c.of[0].env, len(c.of[0].tasks), c.seeds, 100*c.rate)
		t.Logf("%s: a difference of %.1f points is found in %d of %d (%.0f%%)", name, 100*size, found, n, 100*share)
		if slack := 3.1 * math.Sqrt(0.8*0.2/float64(n)); share < 0.75-slack || share > 0.85+slack {
			t.Errorf("%s: found in %.1f%%, want 75 to 85%%", name, 100*share)
		}
	}
}

// shiftOf is the shift in logits from a level that changes the expected rate by a difference.
func shiftOf(level, difference float64) float64 {
	const n = 20000
	chance := func(logit float64) float64 { return 1 / (1 + math.Exp(-logit)) }
	truth := func(shift float64) float64 {
		rng, sum := rand.New(rand.NewPCG(1, 2)), 0.0
		for range n {
			shared := level + 1.5*rng.NormFloat64() + rng.NormFloat64()
			sum += chance(shared+shift+0.7*rng.NormFloat64()) - chance(shared+0.7*rng.NormFloat64())
		}
		return sum / n
	}
	low, high := -20.0, 20.0
	for range 30 {
		if middle := (low + high) / 2; truth(middle) < difference {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// The rates of runs that are half done are near the rates of the whole runs, and in their own intervals.
func TestHalfDoneRates(t *testing.T) {
	sharedtest.Heavy(t)
	n := repeated(t, 100, 40)
	for _, env := range []string{"alfworld", "babyai", "pddl"} {
		for _, share := range []float64{0.37, 0.5, 0.8} {
			off, inside := 0.0, 0
			for i := range n {
				run := func(share float64) scoring.Rate {
					rng := rand.New(rand.NewPCG(uint64(i), 5))
					level := rng.NormFloat64()
					return play(rng, only(env), 1, 3, share, func(int) float64 { return level }).Scores[0].Success
				}
				whole, part := run(1), run(share)
				off += math.Abs(whole.Mean-part.Mean) / float64(n)
				if part.Interval.Low <= part.Mean+1e-9 && part.Mean <= part.Interval.High+1e-9 {
					inside++
				}
			}
			t.Logf("%s, %.0f%% done: mean error %.1f points, in its own interval %d of %d", env, 100*share, 100*off, inside, n)
			if off > 0.045 || float64(inside) < 0.93*float64(n) {
				t.Errorf("want at most 4.5 points, and 93%% in the interval")
			}
		}
	}
}
