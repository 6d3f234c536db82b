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

// board are AgentBoard's environments as far as intervals know them: tasks by kind, and on
// ALFWorld by setting.
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
	return out
}

// play draws a run of models, of which a share of the episodes is done, seed after seed. Ease
// is the logit of a model; the ease of kinds and tasks is drawn besides, the same for all
// models but for a part.
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
			for seed := range int64(seeds) {
				g := record.Group{Condition: record.Condition{Env: s.env, Source: envs.Official,
					Model: fmt.Sprintf("vllm:model-%c", 'a'+rune(k)), Agent: "react", Perturbation: "none",
					StepLimit: 30, Seed: seed, PromptHash: "0123456789abcdef",
					Decoding: &record.Decoding{Temperature: 1, TopP: 1, MaxTokens: 512}}}
				for i := range s.tasks {
					id := fmt.Sprintf("%s-%d-%d-%d", s.env, k, seed, i)
					g.Episodes = append(g.Episodes, id)
					if float64(int(seed)*len(s.tasks)+i) >= share*float64(seeds*len(s.tasks)) {
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
	scores, err := scoring.Compute(run, stats.TheseKinds)
	if err != nil {
		panic(err)
	}
	return NamedRun{Name: "run", Scores: scores}
}

func paperWeights(t *testing.T) configs.Weights {
	t.Helper()
	w, err := configs.LoadWeights()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

var simulations = flag.Int("simulations", 0, "number of runs of each simulation; 0 is 40, or 300 in the long form")

// repeated is how often a run is simulated.
func repeated(t *testing.T) int {
	if *simulations > 0 {
		return *simulations
	}
	return sharedtest.Times(t, 300, 40)
}

// only is one of the board's environments.
func only(env string) []simulated {
	return slices.DeleteFunc(board(), func(s simulated) bool { return s.env != env })
}

// With equal models on AgentBoard's tasks each family claims a difference in about 5 of 100
// reports or fewer. Both together claim one in more, which topic statistics says.
func TestEqualModelsSeldomDiffer(t *testing.T) {
	n, w := repeated(t), paperWeights(t)
	for _, models := range []int{2, 3} {
		primary, second, either := 0, 0, 0
		for i := range n {
			rng := rand.New(rand.NewPCG(uint64(i), uint64(models)))
			s := New([]NamedRun{play(rng, board(), models, 3, 1, func(int) float64 { return 0 })}, nil, w).Claims()
			differs := func(c claim.Claim) bool { return c.Kind == claim.Differs }
			one, other := slices.ContainsFunc(s.Of(claim.Primary), differs),
				slices.ContainsFunc(s.Of(claim.Second), differs)
			for _, of := range []struct {
				found bool
				count *int
			}{{one, &primary}, {other, &second}, {one || other, &either}} {
				if of.found {
					*of.count++
				}
			}
		}
		t.Logf("%d equal models, %d runs: the primary question %d, the others %d, either %d", models, n, primary, second,
			either)
		// At 5 % there are more than this in less than one of 1,000 repetitions.
		if most := int(0.05*float64(n) + 3.1*math.Sqrt(0.05*0.95*float64(n))); primary > most || second > most {
			t.Errorf("more than %d of %d", most, n)
		}
	}
}

// A true difference as large as the printed one is found in 75 to 85 of 100 runs.
func TestPrintedDifferenceIsFound(t *testing.T) {
	n, w := repeated(t), paperWeights(t)
	first := func(of []simulated, seed, stream int, shift float64) claim.Claim {
		rng := rand.New(rand.NewPCG(uint64(seed), uint64(stream)))
		r := play(rng, of, 2, 3, 1, func(model int) float64 { return shift * float64(model) })
		return New([]NamedRun{r}, nil, w).Claims().Of(claim.Primary)[0]
	}
	for _, env := range []string{"alfworld", "babyai", "pddl"} {
		of := only(env)
		var printed []float64
		for i := range n {
			printed = append(printed, first(of, i, 1, 0).Sensitivity)
		}
		slices.Sort(printed)
		shift, found := shiftOf(printed[n/2]), 0
		for i := range n {
			if first(of, i, 2, shift).Kind == claim.Differs {
				found++
			}
		}
		share := float64(found) / float64(n)
		t.Logf("%s: a difference of %.1f points is found in %d of %d", env, 100*printed[n/2], found, n)
		if slack := 3.1 * math.Sqrt(0.8*0.2/float64(n)); share < 0.75-slack || share > 0.85+slack {
			t.Errorf("%s: found in %.1f%%, want 75 to 85%%", env, 100*share)
		}
	}
}

// shiftOf is the shift in logits that changes the expected rate by a difference.
func shiftOf(difference float64) float64 {
	truth := func(shift float64) float64 {
		rng, sum := rand.New(rand.NewPCG(1, 2)), 0.0
		const n = 20000
		chance := func(logit float64) float64 { return 1 / (1 + math.Exp(-logit)) }
		for range n {
			shared := 1.5*rng.NormFloat64() + rng.NormFloat64()
			sum += chance(shared+shift+0.7*rng.NormFloat64()) - chance(shared+0.7*rng.NormFloat64())
		}
		return sum / n
	}
	low, high := 0.0, 20.0
	for range 30 {
		if middle := (low + high) / 2; truth(middle) < difference {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// The rates of runs that are half done are near those of the whole runs, and in their own
// intervals.
func TestHalfDoneRates(t *testing.T) {
	n := repeated(t)
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
