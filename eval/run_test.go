package eval

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/goleak"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/eval/agent"
	"heldout/eval/episode"
	"heldout/eval/episode/episodetest"
	"heldout/eval/model"
	"heldout/scoring/record"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestRunRecordsEveryEpisode(t *testing.T) {
	env := episodetest.NewCountdown(3)
	env.List = env.List[1:] // index is not place in the list
	p := planOne(t, benchmark(env), served(episodetest.Saying("down")), 4, 5)
	results := sharedtest.Must(play(t, t.Context(), t.TempDir(), p, Options{Concurrency: 3}))(t)
	slices.SortFunc(results, func(a, b record.Result) int {
		return strings.Compare(a.Task+string(rune(a.Seed)), b.Task+string(rune(b.Seed)))
	})
	want := record.Result{
		Schema: record.Schema, Attempt: 1, Env: "countdown", Source: envs.Generated,
		Task: "from/2", TaskIndex: 1, TaskType: "from", Difficulty: envs.Easy,
		Model: "vllm:m", Agent: configs.React, Seed: 4, Perturbation: episode.NoPerturbation,
		Outcome: record.Success, Success: true, Progress: 1, Grounding: 1, Steps: 2,
		PromptTokens: 20, CompletionTokens: 4, Calls: 2, Requests: 2,
	}
	sharedtest.Equal(t, cmp.Diff(want, results[0], cmpopts.IgnoreFields(record.Result{}, "ID", "Started", "Ended")), "")
	if len(results) != 4 || results[3].Seed != 5 || results[3].Steps != 3 {
		t.Errorf("%d results, the last %+v", len(results), results[len(results)-1])
	}
	for _, r := range results {
		if !r.Ended.After(r.Started) {
			t.Errorf("an episode ended at %v, before its start at %v", r.Ended, r.Started)
		}
	}
}

// Every way an episode can end has its outcome.
func TestOutcomes(t *testing.T) {
	refused := &model.RequestError{Status: 400, Message: "bad request", Attempts: 1}
	for _, c := range []struct {
		name    string
		player  episode.Player
		open    error
		outcome record.Outcome
		text    string // in the error
		steps   int
	}{
		{"won", served(episodetest.Saying("down")), nil, record.Success, "", 3},
		{"step limit", served(episodetest.Saying("up")), nil, record.Failure, "", 10},
		{"no model", served(failing(&model.UnavailableError{Message: "connection refused", Attempts: 8})), nil,
			record.ModelError, "connection refused", 0},
		{"request refused", served(failing(refused)), nil, record.ModelError, "bad request", 0},
		{"context", served(failing(&model.ContextError{Message: "too long"})), nil, record.ContextExceeded,
			"too long", 0},
		{"broken world", served(episodetest.Saying("break")), nil, record.EnvError, "the environment broke", 0},
		{"world with a bug", served(episodetest.Saying("panic")), nil, record.EnvError,
			"panic: the environment has a bug", 0},
		{"no world", episode.Player{Name: episode.Expert, Agent: episode.Expert}, errors.New("file is gone"),
			record.EnvError, "file is gone", 0},
		{"expert", episode.Player{Name: episode.Expert, Agent: episode.Expert}, nil, record.Success, "", 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			env := episodetest.NewCountdown(3)
			env.List = env.List[2:]
			env.Open = func(envs.Task) error { return c.open }
			p := planOne(t, benchmark(env), c.player, 0)
			results := sharedtest.Must(play(t, t.Context(), t.TempDir(), p, Options{}))(t)
			r := results[0]
			if r.Outcome != c.outcome || !strings.Contains(r.Error, c.text) || r.Steps != c.steps ||
				(r.Error == "") != (c.text == "") {
				t.Errorf("outcome %s, error %q, %d steps; want %s, %q, %d", r.Outcome, r.Error, r.Steps, c.outcome,
					c.text, c.steps)
			}
		})
	}
}

func failing(err error) episodetest.ModelFunc {
	return func(context.Context, model.Request) (model.Reply, error) { return model.Reply{}, err }
}

// Every step records what it cost; together they are what the episode cost.
func TestStepsRecordTheirCost(t *testing.T) {
	m := episodetest.ModelFunc(func(_ context.Context, req model.Request) (model.Reply, error) {
		return model.Reply{Text: "Action: down", PromptTokens: 10 + len(req.Messages), CompletionTokens: 2, Attempts: 1,
			Latency: 250 * time.Millisecond}, nil
	})
	p := planOne(t, benchmark(episodetest.NewCountdown(3)), served(m), 0)
	dir := t.TempDir()
	sharedtest.OK(t, sharedtest.Err(play(t, t.Context(), dir, p, Options{})))
	episodes := 0
	_, err := record.EachEpisode(record.Parts{dir}, func(_ *record.Manifest, e *record.Episode) {
		episodes++
		var prompt, completion int
		var seconds float64
		for _, s := range e.Trajectory {
			prompt, completion, seconds = prompt+s.PromptTokens, completion+s.CompletionTokens, seconds+s.ModelSeconds
		}
		if prompt != e.PromptTokens || completion != e.CompletionTokens || seconds != e.ModelSeconds ||
			seconds != 0.25*float64(e.Steps) {
			t.Errorf("the steps of %s cost %d and %d tokens and %v s, the episode %d, %d and %v", e.Task, prompt,
				completion, seconds, e.PromptTokens, e.CompletionTokens, e.ModelSeconds)
		}
	})
	if err != nil || episodes != 3 {
		t.Errorf("%d episodes, %v", episodes, err)
	}
}

// A reply without an action costs a step and is told to the agent.
func TestFormatErrors(t *testing.T) {
	calls := 0
	m := episodetest.ModelFunc(func(_ context.Context, req model.Request) (model.Reply, error) {
		calls++
		if calls == 1 {
			return model.Reply{Text: "I will count down."}, nil
		}
		if last := req.Messages[len(req.Messages)-1].Content; calls == 2 && last != "Observation: "+agent.FormatHelp {
			t.Errorf("the agent was told %q", last)
		}
		return model.Reply{Text: "Action: down"}, nil
	})
	e := episodetest.NewCountdown(1)
	e.Head = 0.25
	p := planOne(t, benchmark(e), served(m), 0)
	dir := t.TempDir()
	results := sharedtest.Must(play(t, t.Context(), dir, p, Options{}))(t)
	if r := results[0]; r.Outcome != record.Success || r.Steps != 2 || r.FormatErrors != 1 || r.Grounding != 0.5 {
		t.Errorf("%+v", r)
	}
	if _, err := record.EachEpisode(record.Parts{dir}, func(_ *record.Manifest, e *record.Episode) {
		sharedtest.Equal(t, e.Trajectory[0].Progress, 0.25, "progress after no action")
	}); err != nil {
		t.Error(err)
	}
}

// What is finished is not played again; what failed because of a server is.
func TestContinue(t *testing.T) {
	dir := t.TempDir()
	var down atomic.Bool
	var played sync.Map
	m := episodetest.ModelFunc(func(ctx context.Context, req model.Request) (model.Reply, error) {
		if down.Load() {
			return model.Reply{}, &model.UnavailableError{Attempts: 3}
		}
		played.Store(req.Messages[0].Content, true)
		return episodetest.Saying("down")(ctx, req)
	})
	env := episodetest.NewCountdown(4)
	spec := Spec{Benchmarks: []episode.Benchmark{benchmark(env)}, Players: []episode.Player{served(m)},
		Seeds: []int64{0}}
	spec.Benchmarks[0].Tasks = env.List[:2]
	sharedtest.OK(t, sharedtest.Err(play(t, t.Context(), dir, mustPlan(t, spec), Options{})))
	spec.Benchmarks[0].Tasks = env.List // the plan grows
	down.Store(true)
	results, err := play(t, t.Context(), dir, mustPlan(t, spec), Options{})
	if err != nil || len(results) != 4 || results[2].Outcome != record.ModelError || results[2].Requests != 3 {
		t.Fatalf("%v, %+v", err, results)
	}
	down.Store(false)
	played.Clear()
	results = sharedtest.Must(play(t, t.Context(), dir, mustPlan(t, spec), Options{}))(t)
	n := 0
	played.Range(func(any, any) bool { n++; return true })
	if n != 2 || len(results) != 6 || results[4].Attempt != 2 || results[5].Attempt != 2 {
		t.Errorf("%d tasks were played again, results %+v", n, results)
	}
	again := false
	spec.Players[0].Model = episodetest.ModelFunc(func(ctx context.Context, req model.Request) (model.Reply, error) {
		again = true
		return episodetest.Saying("down")(ctx, req)
	})
	if _, err := play(t, t.Context(), dir, mustPlan(t, spec), Options{}); err != nil || again {
		t.Errorf("a finished run was played again: %v, %v", again, err)
	}
}

// Cancelling stops the episodes in flight, which have no record then, and starts no more.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	asked := make(chan bool, 100)
	m := episodetest.ModelFunc(func(ctx context.Context, _ model.Request) (model.Reply, error) {
		asked <- true
		<-ctx.Done()
		return model.Reply{}, ctx.Err()
	})
	p := planOne(t, benchmark(episodetest.NewCountdown(9)), served(m), 0)
	go func() {
		<-asked
		<-asked
		cancel()
	}()
	var o ends
	results, err := play(t, ctx, t.TempDir(), p, Options{Concurrency: 2, Observer: &o})
	if !errors.Is(err, context.Canceled) || len(results) != 0 {
		t.Fatalf("%v, %d results", err, len(results))
	}
	if o.of[record.Cancelled] != 2 || len(o.of) != 1 {
		t.Errorf("%v", o.of)
	}
}

// ends is an observer that counts outcomes.
type ends struct {
	nobody
	mu sync.Mutex
	of map[record.Outcome]int
}

// EpisodeDone implements Observer.
func (o *ends) EpisodeDone(_ *episode.Episode, r record.Result) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.of == nil {
		o.of = map[record.Outcome]int{}
	}
	o.of[r.Outcome]++
}

// An error that every episode would meet ends the run.
func TestFatal(t *testing.T) {
	p := planOne(t, benchmark(episodetest.NewCountdown(9)),
		served(failing(&model.RequestError{Status: 401, Message: "wrong key"})), 0)
	results, err := play(t, t.Context(), t.TempDir(), p, Options{Concurrency: 1})
	var refused *model.RequestError
	if !errors.As(err, &refused) || len(results) != 1 {
		t.Errorf("%v, %d results", err, len(results))
	}
}

// No more episodes are in flight than asked for, and all slots are used.
func TestConcurrency(t *testing.T) {
	const slots = 4
	var inFlight, most atomic.Int32
	full := make(chan bool)
	var once sync.Once
	m := episodetest.ModelFunc(func(ctx context.Context, req model.Request) (model.Reply, error) {
		n := inFlight.Add(1)
		defer inFlight.Add(-1)
		for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
		}
		if n == slots {
			once.Do(func() { close(full) })
		}
		<-full
		return episodetest.Saying("down")(ctx, req)
	})
	p := planOne(t, benchmark(episodetest.NewCountdown(9)), served(m), 0, 1, 2)
	sharedtest.OK(t, sharedtest.Err(play(t, t.Context(), t.TempDir(), p, Options{Concurrency: slots})))
	sharedtest.Equal(t, most.Load(), slots)
}

// Every call of an episode has a seed of its own, and the same again in the next run of it.
func TestSeeds(t *testing.T) {
	seeds := func() map[int64]bool {
		var mu sync.Mutex
		got := map[int64]bool{}
		m := episodetest.ModelFunc(func(ctx context.Context, req model.Request) (model.Reply, error) {
			mu.Lock()
			defer mu.Unlock()
			got[req.Seed] = true
			return episodetest.Saying("down")(ctx, req)
		})
		p := planOne(t, benchmark(episodetest.NewCountdown(4)), served(m), 0, 1)
		sharedtest.OK(t, sharedtest.Err(play(t, t.Context(), t.TempDir(), p, Options{Concurrency: 4})))
		return got
	}
	first := seeds()
	sharedtest.Equal(t, len(first), 2*(1+2+3+4), "different seeds for 20 calls")
	sharedtest.Equal(t, cmp.Diff(first, seeds()), "")
}

type counting struct{ steps, episodes atomic.Int32 }

func (c *counting) EpisodeBegun(*episode.Episode)               {}
func (c *counting) StepDone(*episode.Episode, agent.Usage)      { c.steps.Add(1) }
func (c *counting) EpisodeDone(*episode.Episode, record.Result) { c.episodes.Add(1) }

func TestObserver(t *testing.T) {
	var c counting
	p := planOne(t, benchmark(episodetest.NewCountdown(3)),
		episode.Player{Name: episode.Random, Agent: episode.Random}, 0)
	results := sharedtest.Must(play(t, t.Context(), t.TempDir(), p, Options{Observer: &c}))(t)
	steps := 0
	for _, r := range results {
		steps += r.Steps
	}
	if int(c.steps.Load()) != steps || int(c.episodes.Load()) != 3 {
		t.Errorf("told of %d steps and %d episodes, want %d and 3", c.steps.Load(), c.episodes.Load(), steps)
	}
}

// What a model wrote is spelled as the benchmark's own agent would, and recorded so.
func TestSpelling(t *testing.T) {
	dir := t.TempDir()
	p := planOne(t, benchmark(episodetest.Shouting{Countdown: episodetest.NewCountdown(1)}),
		served(episodetest.Saying("DOWN")), 0)
	results, err := play(t, t.Context(), dir, p, Options{Concurrency: 1})
	if err != nil || len(results) != 1 || !results[0].Success {
		t.Fatalf("%+v, %v", results, err)
	}
	b, err := os.ReadFile(filepath.Join(dir, "episodes.jsonl"))
	if err != nil || !strings.Contains(string(b), `"action":"down"`) {
		t.Errorf("%s, %v", b, err)
	}
}
