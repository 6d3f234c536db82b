package eval

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"heldout/configs"
	"heldout/envs"
	"heldout/eval/model"
	"heldout/scoring/record"
)

// countdown is an environment for tests: a task is won by saying "down" as often
// as its number says. Other actions are not understood; "panic" and "break" are
// what they say.
type countdown struct {
	tasks []envs.Task
	// open is called for every new world.
	open func(envs.Task) error
}

func newCountdown(tasks int) *countdown {
	e := &countdown{open: func(envs.Task) error { return nil }}
	for i := range tasks {
		e.tasks = append(e.tasks, envs.Task{ID: fmt.Sprintf("from/%d", i+1), Index: i, Type: "from", Difficulty: envs.Easy, Digest: fmt.Sprint("digest", i)})
	}
	return e
}

func (e *countdown) Info() envs.Info {
	return envs.Info{Name: "countdown", Source: envs.Generated, StepLimit: 10}
}
func (e *countdown) Tasks() []envs.Task { return e.tasks }
func (e *countdown) NewWorld(t envs.Task) (envs.World, error) {
	return &countdownWorld{from: t.Index + 1}, e.open(t)
}

type countdownWorld struct{ from, said int }

func (w *countdownWorld) Start(context.Context) (envs.Start, error) {
	return envs.Start{Goal: "reach 0", Observation: fmt.Sprint(w.from)}, nil
}

func (w *countdownWorld) Step(_ context.Context, action string) (envs.Step, error) {
	switch action {
	case "panic":
		panic("the environment has a bug")
	case "break":
		return envs.Step{}, errors.New("the environment broke")
	case "down":
		w.said++
	}
	done := w.said == w.from
	return envs.Step{
		Observation: fmt.Sprint(w.from - w.said), Progress: float64(w.said) / float64(w.from),
		Done: done, Success: done, Valid: action == "down",
	}, nil
}

func (w *countdownWorld) Close() error { return nil }

func (w *countdownWorld) Actions(context.Context) ([]string, error) {
	return []string{"down", "up"}, nil
}

func (w *countdownWorld) ExpertAction(context.Context) (string, error) { return "down", nil }

// modelFunc is a model that is a function.
type modelFunc func(ctx context.Context, req model.Request) (model.Reply, error)

func (f modelFunc) Chat(ctx context.Context, req model.Request) (model.Reply, error) {
	return f(ctx, req)
}

// saying is a model that always takes the same action.
func saying(action string) modelFunc {
	return func(context.Context, model.Request) (model.Reply, error) {
		return model.Reply{Text: "Thought: t\nAction: " + action, PromptTokens: 10, CompletionTokens: 2, Attempts: 1}, nil
	}
}

var testPrompt = configs.Prompt{React: "format", Help: "help", Types: map[string]configs.Instructions{"": {Instruction: "count"}}}

// benchmark is all tasks of an environment.
func benchmark(e envs.Env) Benchmark {
	return Benchmark{Env: e, Tasks: e.Tasks(), StepLimit: 10, Prompt: testPrompt, PromptHash: "hash"}
}

// served is a player with a model.
func served(m model.Model) Player {
	return Player{Name: "vllm:m", Agent: React, Model: m, Decoding: record.Decoding{TopP: 1, MaxTokens: 8}}
}

func mustPlan(t testing.TB, s Spec) *Plan {
	t.Helper()
	p, err := NewPlan(&s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// clock is a clock that goes on by a second whenever it is read.
func clock() func() time.Time {
	ticks := make(chan time.Time, 1)
	ticks <- time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return func() time.Time {
		now := <-ticks
		ticks <- now.Add(time.Second)
		return now
	}
}

// play runs a plan in a directory and returns what is recorded afterwards.
func play(t testing.TB, ctx context.Context, dir string, p *Plan, o Options) ([]record.Result, error) {
	t.Helper()
	if o.Now == nil {
		o.Now = clock()
	}
	s, err := Begin(dir, p, About{Tool: record.Tool{Version: "test"}}, o.Now)
	if err != nil {
		t.Fatal(err)
	}
	runErr := Run(ctx, p, s.Store, o)
	if err := s.End(); err != nil {
		t.Fatal(err)
	}
	_, results, err := record.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	return results, runErr
}
