package scoring

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/scoring/record"
	"heldout/scoring/refinement"
	"heldout/scoring/stats"
)

// run is a plan with results that grows by hand.
type run struct {
	Manifest *record.Manifest
	Results  []record.Result
	// Counts and Actions are the results', if there are any.
	Counts   []refinement.Counts
	Actions  []uint64
	attempts int
}

// read adds the results to a run as ReadRun does.
func (r *run) read() *Run {
	out := NewRun(r.Manifest)
	plan := r.Manifest.Plan()
	for i := range r.Results {
		var counts *refinement.Counts
		var actions uint64
		if r.Counts != nil {
			counts = &r.Counts[i]
		}
		if r.Actions != nil {
			counts, actions = &refinement.Counts{}, r.Actions[i]
		}
		if at, ok := plan.Find(r.Results[i].ID); ok {
			out.add(at, &r.Results[i], &StepCounts{counts, actions})
		}
	}
	return out
}

// newRun plans tasks t0, t1, … of one environment, the even ones easy and the
// odd ones hard, for one model with seeds 0, 1, …
func newRun(tasks, seeds int) *run {
	env := record.Environment{Info: envs.Info{Name: "boxes", Source: envs.Generated, StepLimit: 30}, Total: tasks}
	for i := range tasks {
		env.Tasks = append(env.Tasks, envs.Task{
			ID: fmt.Sprintf("t%d", i), Index: i, Type: "box", Digest: fmt.Sprintf("digest%d", i),
			Difficulty: []envs.Difficulty{envs.Easy, envs.Hard}[i%2],
		})
	}
	r := &run{Manifest: &record.Manifest{Schema: record.Schema, Environments: []record.Environment{env}}}
	for seed := range seeds {
		g := record.Group{Condition: record.Condition{Env: "boxes", Source: envs.Generated, Model: "M", Agent: "react",
			StepLimit: 30, Seed: int64(seed)}}
		for i := range tasks {
			g.Episodes = append(g.Episodes, id(seed, i))
		}
		r.Manifest.Groups = append(r.Manifest.Groups, g)
	}
	return r
}

func id(seed, task int) string { return fmt.Sprintf("s%d-t%d", seed, task) }

// add records an attempt.
func (r *run) add(id string, outcome record.Outcome, progress, grounding float64) {
	r.attempts++
	attempt := 1
	for _, earlier := range r.Results {
		if earlier.ID == id {
			attempt++
		}
	}
	r.Results = append(r.Results, record.Result{
		Schema: record.Schema, ID: id, Attempt: attempt, Outcome: outcome, Success: outcome == record.Success,
		Progress: progress, Grounding: grounding, Ended: time.Unix(int64(r.attempts), 0),
	})
}

// of is the run on an environment of another name.
func (r *run) of(env string) *run {
	r.Manifest.Environments[0].Name = env
	for i := range r.Manifest.Groups {
		r.Manifest.Groups[i].Condition.Env = env
	}
	return r
}

// score computes the only score of a run.
func (r *run) score(t testing.TB) *Score { return r.about(t, stats.TheseKinds) }

func (r *run) about(t testing.TB, q stats.Question) *Score {
	t.Helper()
	scores := Compute(r.read(), q)
	if len(scores) != 1 {
		t.Fatalf("%d scores", len(scores))
	}
	return scores[0]
}

// near compares numbers; NaN is near NaN.
func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-12) && !(math.IsNaN(got) && math.IsNaN(want)) {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

// TestCompute is worked by hand: four tasks, two seeds.
//
//	task        t0 easy   t1 hard   t2 easy   t3 hard     mean
//	seed 0      1         0, 0.5    1         0, 0.25     SR 0.5   PR 0.6875
//	seed 1      1         0, 0      0, 0.5    0, 0        SR 0.25  PR 0.375
func TestCompute(t *testing.T) {
	r := newRun(4, 2)
	r.add(id(0, 0), record.Success, 1, 1)
	r.add(id(0, 1), record.Failure, 0.5, 0.5)
	r.add(id(0, 2), record.Success, 1, 0.5)
	r.add(id(0, 3), record.Failure, 0.25, 0)
	r.add(id(1, 0), record.Success, 1, 1)
	r.add(id(1, 1), record.Failure, 0, 1)
	r.add(id(1, 2), record.Failure, 0.5, 0.5)
	r.add(id(1, 3), record.Failure, 0, 0.5)
	s := r.score(t)
	if !s.Complete() || s.Planned != 8 || s.Finished != 8 || len(s.Unfinished) != 0 {
		t.Errorf("%d of %d, unfinished %v", s.Finished, s.Planned, s.Unfinished)
	}
	if !slices.Equal(s.Seeds, []int64{0, 1}) || s.Condition.Seed != 0 || s.Condition.Model != "M" ||
		s.Environment.Name != "boxes" {
		t.Errorf("seeds %v, condition %+v", s.Seeds, s.Condition)
	}
	near(t, "success", s.Success.Mean, 0.375)
	near(t, "progress", s.Progress.Mean, 0.53125)
	near(t, "grounding", s.Grounding.Mean, (0.5+0.75)/2)
	near(t, "success, sample", s.Success.SampleStd, 0.125*math.Sqrt2)
	near(t, "progress, sample", s.Progress.SampleStd, 0.15625*math.Sqrt2)
	near(t, "grounding, sample", s.Grounding.SampleStd, 0.125*math.Sqrt2)

	easy, hard := s.Level(envs.Easy), s.Level(envs.Hard)
	near(t, "easy success", easy.Success.Mean, 0.75)
	near(t, "easy progress", easy.Progress.Mean, 0.875)
	near(t, "hard success", hard.Success.Mean, 0)
	near(t, "hard progress", hard.Progress.Mean, 0.1875)
	near(t, "hard progress, sample", hard.Progress.SampleStd, 0.1875*math.Sqrt2)
	if easy.Tasks() != 2 || hard.Tasks() != 2 {
		t.Errorf("%d easy and %d hard tasks", easy.Tasks(), hard.Tasks())
	}
	// By task: success 1, 0, 0.5, 0; the interval is stats' and only its place is ours to check.
	if iv := s.Success.Interval; iv == nil || !(iv.Low < 0.375 && 0.375 < iv.High) {
		t.Errorf("interval %v", iv)
	}
}

func TestComputeOneSeed(t *testing.T) {
	r := newRun(2, 1)
	r.add(id(0, 0), record.Success, 1, 1)
	r.add(id(0, 1), record.Failure, 0, 0)
	s := r.score(t)
	near(t, "mean", s.Success.Mean, 0.5)
	near(t, "sample", s.Success.SampleStd, math.NaN())
	if s.Success.Interval == nil {
		t.Error("two tasks have no interval")
	}
	if s.Level(envs.Easy).Success.Interval != nil {
		t.Error("one task has an interval")
	}
}

// TestComputeAttempts: what has no result is no failure, a later result counts, and of two results the first.
func TestComputeAttempts(t *testing.T) {
	r := newRun(7, 1)
	r.add(id(0, 0), record.ModelError, 0.9, 0) // then a result
	r.add(id(0, 0), record.Cancelled, 0.9, 0)
	r.add(id(0, 0), record.Success, 1, 1)
	r.add(id(0, 1), record.Failure, 0.5, 1) // a result, then others
	r.add(id(0, 1), record.Success, 1, 1)
	r.add(id(0, 1), record.ModelError, 0, 0)
	r.add(id(0, 2), record.ModelError, 0, 0) // never a result
	r.add(id(0, 2), record.EnvError, 0, 0)
	r.add(id(0, 3), record.ContextExceeded, 0, 0)
	r.add(id(0, 4), record.Cancelled, 0, 0)
	r.add(id(0, 5), record.EnvError, 0, 0)
	r.add("other", record.Success, 1, 1) // not planned
	s := r.score(t)
	if s.Complete() || s.Planned != 7 || s.Finished != 2 {
		t.Errorf("%d of %d", s.Finished, s.Planned)
	}
	want := map[record.Outcome]int{record.EnvError: 2, record.ContextExceeded: 1, record.Cancelled: 1, "": 1}
	sharedtest.Same(t, s.Unfinished, want, "unfinished")
	near(t, "success", s.Success.Mean, 0.5)
	near(t, "progress", s.Progress.Mean, 0.75)
	near(t, "grounding", s.Grounding.Mean, 1)
}

// TestComputeFirstAttempt: the number of an attempt says which came first, then
// the time, and never the place in the file.
func TestComputeFirstAttempt(t *testing.T) {
	for name, c := range map[string]struct {
		attempts, ended [2]int
		want            float64
	}{
		"by number": {[2]int{2, 1}, [2]int{1, 2}, 0.5}, "by time": {[2]int{1, 1}, [2]int{1, 2}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRun(1, 1)
			r.add(id(0, 0), record.Success, 1, 1)
			r.add(id(0, 0), record.Failure, 0.5, 1)
			for i := range r.Results {
				r.Results[i].Attempt, r.Results[i].Ended = c.attempts[i], time.Unix(int64(c.ended[i]), 0)
			}
			near(t, "progress", r.score(t).Progress.Mean, c.want)
		})
	}
}

// TestComputeUnequalSeeds: the mean is over tasks, so that a seed that has just begun
// weighs little: 1/2, 1, 1 and 1.
func TestComputeUnequalSeeds(t *testing.T) {
	r := newRun(4, 3)
	for i := range 4 {
		r.add(id(0, i), record.Success, 1, 1)
	}
	r.add(id(1, 0), record.Failure, 0, 1) // seed 2 has nothing
	s := r.score(t)
	near(t, "success", s.Success.Mean, 0.875)
	near(t, "sample", s.Success.SampleStd, 0.5*math.Sqrt2)
	if s.Finished != 5 || s.Unfinished[""] != 7 || len(s.Seeds) != 3 {
		t.Errorf("%d finished, unfinished %v, seeds %v", s.Finished, s.Unfinished, s.Seeds)
	}
}

// TestSupposing: episodes without a result count as what is supposed of them, in rates and in comparisons.
func TestSupposing(t *testing.T) {
	r := newRun(4, 2)
	for seed := range 2 {
		for i := range 3 {
			r.add(id(seed, i), record.Success, 1, 1)
		}
	}
	s := r.score(t)
	low, high := s.Supposing(0), s.Supposing(1)
	near(t, "all failed", low.Success.Mean, 0.75)
	near(t, "all solved", high.Success.Mean, 1)
	near(t, "progress", low.Progress.Mean, 0.75)
	if !low.Complete() || low.Finished != 8 || s.Finished != 6 || s.Complete() {
		t.Errorf("supposed %d of %d, played %d", low.Finished, low.Planned, s.Finished)
	}
	if c, err := Compare(high, low); err != nil || c.Success.Mean != 0.25 {
		t.Errorf("difference %v, error %v", c.Success.Mean, err)
	}
}

func TestComputeNothing(t *testing.T) {
	s := newRun(2, 2).score(t)
	for what, v := range map[string]float64{
		"success": s.Success.Mean, "progress": s.Progress.Mean, "grounding": s.Grounding.Mean,
		"easy": s.Level(envs.Easy).Success.Mean, "sample": s.Success.SampleStd,
	} {
		near(t, what, v, math.NaN())
	}
	if s.Success.Interval != nil || s.Complete() || s.Level(envs.Easy).Tasks() != 0 || s.Unfinished[""] != 4 {
		t.Errorf("%+v", s)
	}
}

// TestComputeConditions: each condition has one score for all its seeds, in the order of the plan.
func TestComputeConditions(t *testing.T) {
	r := newRun(1, 3)
	r.Manifest.Groups[1].Condition.Decoding = &record.Decoding{Temperature: 1}
	r.Manifest.Groups[2].Condition.Seed = -5
	r.add(id(0, 0), record.Success, 1, 1)
	r.add(id(1, 0), record.Failure, 0, 1)
	r.add(id(2, 0), record.Failure, 0, 1)
	scores := Compute(r.read(), stats.TheseKinds)
	if len(scores) != 2 {
		t.Fatalf("%d scores", len(scores))
	}
	near(t, "first", scores[0].Success.Mean, 0.5)
	near(t, "second", scores[1].Success.Mean, 0)
	if !slices.Equal(scores[0].Seeds, []int64{-5, 0}) || !slices.Equal(scores[1].Seeds, []int64{1}) {
		t.Errorf("seeds %v and %v", scores[0].Seeds, scores[1].Seeds)
	}
}

// TestComputeIgnoresOrder: shuffled records give the same scores to the last bit.
func TestComputeIgnoresOrder(t *testing.T) {
	outcomes := []record.Outcome{record.Success, record.Failure, record.Failure, record.ModelError, record.Cancelled}
	rapid.Check(t, func(t *rapid.T) {
		tasks, seeds := rapid.IntRange(1, 6).Draw(t, "tasks"), rapid.IntRange(1, 4).Draw(t, "seeds")
		r := newRun(tasks, seeds)
		for range rapid.IntRange(0, 3*tasks*seeds).Draw(t, "attempts") {
			outcome := rapid.SampledFrom(outcomes).Draw(t, "outcome")
			sevenths := rapid.Map(rapid.IntRange(0, 7), func(i int) float64 { return float64(i) / 7 })
			r.add(id(rapid.IntRange(0, seeds-1).Draw(t, "seed"), rapid.IntRange(0, tasks-1).Draw(t, "task")), outcome,
				sevenths.Draw(t, "progress"), sevenths.Draw(t, "grounding"))
		}
		if rapid.Bool().Draw(t, "numbers lost") { // as in files put together from several directories
			for i := range r.Results {
				r.Results[i].Attempt, r.Results[i].Ended = 1, time.Time{}
			}
		}
		want := Compute(r.read(), stats.TheseKinds)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "shuffle"), 0))
		rng.Shuffle(len(r.Results), func(i, j int) { r.Results[i], r.Results[j] = r.Results[j], r.Results[i] })
		rng.Shuffle(len(r.Manifest.Groups), func(i, j int) {
			r.Manifest.Groups[i], r.Manifest.Groups[j] = r.Manifest.Groups[j], r.Manifest.Groups[i]
		})
		got := Compute(r.read(), stats.TheseKinds)
		if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Score{}), cmpopts.EquateNaNs()); diff != "" {
			t.Fatalf("in another order (-first +second):\n%s", diff)
		}
	})
}

func TestReadRun(t *testing.T) {
	dir := t.TempDir()
	store := sharedtest.Must(record.Open(dir))(t)
	want := newRun(1, 1)
	task, group := want.Manifest.Environments[0].Tasks[0], &want.Manifest.Groups[0]
	planned := sharedtest.Must(record.EpisodeID(1, task, group.Condition))(t)
	group.Episodes[0] = planned
	e := &record.Episode{
		Result: record.Result{
			ID: planned, Attempt: 1, Env: "boxes", Source: envs.Generated, Task: task.ID, TaskType: "box",
			Difficulty: envs.Easy,
			Model:      "M", Agent: "react", Outcome: record.Success, Success: true, Progress: 1, Steps: 1,
		},
		Trajectory: []record.Step{{Progress: 1}},
	}
	sharedtest.OK(t, errors.Join(store.SetManifest(want.Manifest), store.Append(e), store.Close()))
	got := sharedtest.Must(ReadRun(record.Parts{dir}, nil, Companion{}))(t)
	want.Results = []record.Result{e.Result}
	want.Counts = []refinement.Counts{refinement.NewCounter(nil).Count(e, nil)}
	if diff := cmp.Diff(want.read(), got, cmp.AllowUnexported(Run{}, attempt{}), cmpopts.EquateNaNs()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	group.Condition.StepLimit++
	spoil(t, dir, want.Manifest)
	if _, err := ReadRun(record.Parts{dir}, nil, Companion{}); err == nil ||
		!strings.Contains(err.Error(), "groups[0].episodes[0]") {
		t.Errorf("a condition was changed: %v", err)
	}
	group.Condition.StepLimit--
	spoil(t, dir, want.Manifest)
	file := filepath.Join(dir, "episodes.jsonl")
	sharedtest.OK(t, os.WriteFile(file, []byte("garbage\n{}\n"), 0o644))
	sharedtest.Fails(t, sharedtest.Err(ReadRun(record.Parts{dir}, nil, Companion{})), file+":1", "error")
	if _, err := ReadRun(record.Parts{t.TempDir()}, nil, Companion{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

// spoil writes another manifest into a directory.
func spoil(t *testing.T, dir string, m *record.Manifest) {
	t.Helper()
	b, err := record.EncodeFile(m)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "run.json"), b, 0o644)
	}
	sharedtest.OK(t, err)
}

// TestCompare is worked by hand: over two seeds, A solves 1, 1, 0.5 and B 0, 1,
// 0 of three tasks, so that the differences are 1, 0, 0.5.
func TestCompare(t *testing.T) {
	a, b := newRun(3, 2), newRun(3, 2)
	for seed := range 2 {
		a.add(id(seed, 0), record.Success, 1, 1)
		a.add(id(seed, 1), record.Success, 1, 1)
		b.add(id(seed, 0), record.Failure, 0.5, 1)
		b.add(id(seed, 1), record.Success, 1, 1)
		b.add(id(seed, 2), record.Failure, 0.25, 1)
	}
	a.add(id(0, 2), record.Success, 1, 1)
	a.add(id(1, 2), record.Failure, 0, 1)
	c := sharedtest.Must(Compare(a.score(t), b.score(t)))(t)
	near(t, "success", c.Success.Mean, 0.5)
	near(t, "progress", c.Progress.Mean, 0.25) // 0.5, 0, 0.25
	if c.Success.N != 3 || c.Progress.N != 3 {
		t.Errorf("%d and %d tasks", c.Success.N, c.Progress.N)
	}
	// Two tasks of ±1/√2 are added: the sum of five is 1.5, the variance of the mean
	// (9·0.25/3 + 2·(1/2 + 0.25))/25 = 0.09, and t(2) = 4.302653.
	half := 4.302652729911275 * 0.3
	if math.Abs(c.Success.Low-(0.3-half)) > 1e-9 || c.Success.High != 1 {
		t.Errorf("interval %v, want from %v", c.Success.Interval, 0.3-half)
	}
	back, err := Compare(b.score(t), a.score(t))
	if err != nil || back.Success.Mean != -c.Success.Mean || math.Abs(back.Success.P-c.Success.P) > 1e-12 {
		t.Errorf("the other way round %+v, error %v", back, err)
	}
}

func TestCompareErrors(t *testing.T) {
	full := func(tasks int) *run {
		r := newRun(tasks, 1)
		for i := range tasks {
			r.add(id(0, i), record.Success, 1, 1)
		}
		return r
	}
	other := full(3)
	other.Manifest.Environments[0].Tasks[1].Digest = "another task of that name"
	for name, c := range map[string]struct {
		a, b *run
		want error
	}{
		"incomplete":   {full(3), newRun(3, 1), ErrIncomplete},
		"incomplete a": {newRun(3, 1), full(3), ErrIncomplete},
		"fewer tasks":  {full(3), full(2), ErrOtherTasks},
		"other tasks":  {full(3), other, ErrOtherTasks},
		"one task":     {full(1), full(1), stats.ErrFewTasks},
		"alike":        {full(2), full(2), nil},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Compare(c.a.score(t), c.b.score(t)); !errors.Is(err, c.want) {
				t.Errorf("error %v, want %v", err, c.want)
			}
		})
	}
}

// TestComputeHeldOut is worked by hand: (112*0.5 + 60*0.25) / 172.
func TestComputeHeldOut(t *testing.T) {
	w := configs.Weights{HeldOut: []configs.Weight{{Env: "babyai", Weight: 112}, {Env: "pddl", Weight: 60}},
		HeldIn: []string{"alfworld"}}
	rates := map[string][2]float64{"babyai": {0.5, 0.75}, "pddl": {0.25, 0.5}, "alfworld": {1, 1}}
	find := func(env string) (success, progress Estimate, ok bool) {
		r, ok := rates[env]
		basis := stats.Estimate{Mean: r[0], Variance: 0.01, Degrees: 50, Trials: true, N: 100}
		return Estimate{Mean: r[0], Interval: &basis.Interval, Basis: basis}, Estimate{Mean: r[1]}, ok
	}
	h := ComputeHeldOut(w, find)
	near(t, "success", h.Success.Mean, (112*0.5+60*0.25)/172)
	near(t, "progress", h.Progress.Mean, (112*0.75+60*0.5)/172)
	near(t, "variance", h.Success.Basis.Variance, 0.01*(112*112+60*60)/172/172)
	if h.Missing != nil || h.Success.Interval == nil || h.Progress.Interval != nil {
		t.Errorf("missing %v, interval of no intervals %v", h.Missing, h.Progress.Interval)
	}
	delete(rates, "babyai")
	h = ComputeHeldOut(w, find)
	if diff := cmp.Diff([]string{"babyai"}, h.Missing); diff != "" || h.Success != (Estimate{}) ||
		h.Progress != (Estimate{}) {
		t.Errorf("%+v", h)
	}
	delete(rates, "pddl")
	delete(rates, "alfworld")
	sharedtest.Same(t, ComputeHeldOut(w, find).Missing, []string{"babyai", "pddl"}, "missing")
}

// TestPlanBounds: one seed does not divide the variance, so there are two plans,
// which agree on what this one seed shows.
func TestPlanBounds(t *testing.T) {
	plan := func(seeds int, about stats.Question) (VarianceSources, error) {
		model, expert := newRun(40, seeds), newRun(40, seeds)
		for seed := range seeds {
			for i := range 40 {
				outcome := record.Failure
				if (seed*i+i)%3 == 0 {
					outcome = record.Success
				}
				model.add(id(seed, i), outcome, float64(i)/40, 1)
				expert.add(id(seed, i), record.Success, 1, 1)
			}
		}
		return PlanSuccess(model.about(t, about), expert.about(t, about))
	}
	p, err := plan(1, stats.TheseKinds)
	if err != nil || p.Separated || p.Task == 0 {
		t.Fatalf("%+v, error %v", p, err)
	}
	b := p.Bounds()
	if len(b) != 2 || b[0].Task != b[1].Seed || b[0].Seed != 0 || b[1].Task != 0 {
		t.Fatalf("%+v", b)
	}
	near(t, "visible with one seed", b[0].Smallest(1), b[1].Smallest(1))
	if b[0].Smallest(9) <= b[1].Smallest(9) {
		t.Error("more seeds help the plan whose variance is that of tasks")
	}
	if p, err = plan(1, stats.TheseTasks); err != nil || len(p.Bounds()) != 1 || p.Bounds()[0].Task != 0 {
		t.Errorf("%+v, error %v", p.Bounds(), err)
	}
	if p, err = plan(3, stats.TheseKinds); err != nil || !p.Separated || len(p.Bounds()) != 1 {
		t.Errorf("%+v, error %v", p, err)
	}
}
