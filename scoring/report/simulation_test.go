package report

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"heldout/configs"
	"heldout/envs"
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
				s.tasks = append(s.tasks, envs.Task{ID: id(kind, i), Index: len(s.tasks), Type: fmt.Sprintf("kind%02d", kind),
					Digest: fmt.Sprint(env, len(s.tasks))})
			}
		}
		out = append(out, s)
	}
	plain := func(kind, i int) string { return fmt.Sprintf("%d-%d", kind, i) }
	add("alfworld", []int{31, 24, 23, 21, 18, 17}, func(kind, i int) string { return fmt.Sprintf("%d-%d/%d", kind, i/3, i) })
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

// play draws runs of models on environments. Ease is the logit of a model on an environment;
// tasks, settings and kinds are drawn besides, the same for all models but for a part.
func play(rng *rand.Rand, of []simulated, models, seeds int, ease func(model int, env string) float64) Run {
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
				p[i] = 1 / (1 + math.Exp(-(ease(k, s.env) + shared[i] + 0.7*rng.NormFloat64())))
			}
			for seed := range int64(seeds) {
				g := record.Group{Condition: record.Condition{Env: s.env, Source: envs.Official,
					Model: fmt.Sprintf("vllm:model-%c", 'a'+rune(k)), Agent: "react", Perturbation: "none", StepLimit: 30, Seed: seed,
					PromptHash: "0123456789abcdef", Decoding: &record.Decoding{Temperature: 1, TopP: 1, MaxTokens: 512}}}
				for i := range s.tasks {
					id := fmt.Sprintf("%s-%d-%d-%d", s.env, k, seed, i)
					g.Episodes = append(g.Episodes, id)
					if float64(int(seed)*len(s.tasks)+i) >= partShare*float64(seeds*len(s.tasks)) {
						rng.Float64()
						continue
					}
					r := record.Result{Schema: record.Schema, ID: id, Attempt: 1, Outcome: record.Failure, Progress: 0.25}
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
	return Run{Name: "run", Scores: scores}
}

func TestSens(t *testing.T) {
	if os.Getenv("SIM") == "" {
		t.Skip()
	}
	w, _ := configs.LoadWeights()
	for _, name := range []string{"pddl", "babyai", "alfworld", "jericho"} {
		for _, seeds := range []int{1, 3, 10} {
			for _, level := range []float64{-1, 0, 1} {
				of := slices.DeleteFunc(board(), func(s simulated) bool { return s.env != name })
				const n = 400
				run := func(i int, shift float64) claim.Claim {
					rng := rand.New(rand.NewPCG(uint64(i), 77))
					r := play(rng, of, 2, seeds, func(k int, _ string) float64 { return level + shift*float64(k) })
					return New([]Run{r}, nil, w).Claims().Primary[0]
				}
				var printed []float64
				for i := range n {
					printed = append(printed, run(i, 0).Sensitivity)
				}
				slices.Sort(printed)
				want := printed[n/2]
				// the shift whose true difference is what was printed
				truth := func(shift float64) float64 {
					rng := rand.New(rand.NewPCG(1, 2))
					sum := 0.0
					const m = 40000
					for range m {
						x := level + 1.5*rng.NormFloat64() + rng.NormFloat64()
						f := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
						sum += f(x+shift+0.7*rng.NormFloat64()) - f(x+0.7*rng.NormFloat64())
					}
					return sum / m
				}
				lo, hi := 0.0, 20.0
				for range 30 {
					if mid := (lo + hi) / 2; truth(mid) < want {
						lo = mid
					} else {
						hi = mid
					}
				}
				found := 0
				for i := range n {
					if run(10000+i, lo).Kind == claim.Differs {
						found++
					}
				}
				t.Logf("%s seeds %d level %v: printed %.1f (%.1f to %.1f), found %.1f %%", name, seeds, level, 100*want,
					100*printed[n/20], 100*printed[n-n/20-1], 100*float64(found)/n)
			}
		}
	}
}

func TestHalf(t *testing.T) {
	if os.Getenv("SIM") == "" {
		t.Skip()
	}
	for _, name := range []string{"pddl", "babyai", "alfworld"} {
		for _, share := range []float64{0.2, 0.37, 0.5, 0.8} {
			of := slices.DeleteFunc(board(), func(s simulated) bool { return s.env != name })
			errFull, errTrue, cover, n := 0.0, 0.0, 0, 400
			for i := range n {
				rng := rand.New(rand.NewPCG(uint64(i), 5))
				level := rng.NormFloat64()
				full := play(rng, of, 1, 3, func(int, string) float64 { return level })
				rng = rand.New(rand.NewPCG(uint64(i), 5))
				rng.NormFloat64()
				half := playPart(rng, of, 1, 3, share, func(int, string) float64 { return level })
				f, h := full.Scores[0].Success, half.Scores[0].Success
				errFull += math.Abs(f.Mean-h.Mean) / float64(n)
				if h.Interval != nil && h.Interval.Low <= h.Mean+1e-9 && h.Mean <= h.Interval.High+1e-9 {
					cover++
				}
				_ = errTrue
			}
			t.Logf("%s %.2f: mean error %.1f, in its own interval %.1f %%", name, share, 100*errFull, 100*float64(cover)/float64(n))
		}
	}
}

func playPart(rng *rand.Rand, of []simulated, models, seeds int, share float64, ease func(int, string) float64) Run {
	partShare = share
	defer func() { partShare = 1 }()
	return play(rng, of, models, seeds, ease)
}

var partShare = 1.0
