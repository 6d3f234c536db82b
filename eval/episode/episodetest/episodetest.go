// Package episodetest has an environment and models for tests of whole episodes.
package episodetest

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"heldout/configs"
	"heldout/envs"
	"heldout/eval/model"
	"heldout/scoring/record"
)

// Settle computes the totals of an attempt from its steps.
func Settle(e *record.Episode) {
	e.Steps, e.FormatErrors, e.Faults, e.Progress = len(e.Trajectory), 0, nil, 0
	valid := 0
	for _, s := range e.Trajectory {
		e.Progress = s.Progress
		if s.Valid {
			valid++
		}
		if s.FormatError {
			e.FormatErrors++
		}
		if s.Fault != "" {
			if e.Faults == nil {
				e.Faults = map[record.Fault]int{}
			}
			e.Faults[s.Fault]++
		}
	}
	e.Grounding = float64(valid) / float64(max(1, e.Steps))
}

// Countdown is an environment for tests: a task is won by saying "down" as often as its number says. Other actions
// are not understood; "panic" and "break" are what they say.
type Countdown struct {
	List []envs.Task
	// Head is the progress at the start.
	Head float64
	// Open is called for every new world.
	Open func(envs.Task) error
}

// NewCountdown returns a Countdown with so many tasks: from/1, from/2, and so on.
func NewCountdown(tasks int) *Countdown {
	e := &Countdown{Open: func(envs.Task) error { return nil }}
	for i := range tasks {
		e.List = append(e.List, envs.Task{ID: fmt.Sprintf("from/%d", i+1), Index: i, Type: "from",
			Difficulty: envs.Easy, Digest: fmt.Sprint("digest", i)})
	}
	return e
}

func (e *Countdown) Info() envs.Info {
	return envs.Info{Name: "countdown", Source: envs.Generated, StepLimit: 10}
}
func (e *Countdown) Tasks() []envs.Task { return e.List }
func (e *Countdown) NewWorld(t envs.Task) (envs.World, error) {
	return &CountdownWorld{Count: t.Index + 1, Head: e.Head}, e.Open(t)
}

// CountdownWorld counts down from From.
type CountdownWorld struct {
	Count, Steps int
	Head         float64 // progress at the start
}

func (w *CountdownWorld) Start(context.Context) (envs.Start, error) {
	return envs.Start{Goal: "reach 0", Observation: fmt.Sprint(w.Count), Progress: w.Head}, nil
}

func (w *CountdownWorld) Step(_ context.Context, action string) (envs.Step, error) {
	switch action {
	case "panic":
		panic("the environment has a bug")
	case "break":
		return envs.Step{}, errors.New("the environment broke")
	case "down":
		w.Steps++
	}
	done := w.Steps == w.Count
	return envs.Step{
		Observation: fmt.Sprint(w.Count - w.Steps), Progress: float64(w.Steps) / float64(w.Count),
		Done: done, Success: done, Valid: action == "down",
	}, nil
}

func (w *CountdownWorld) Close() error { return nil }

func (w *CountdownWorld) Actions(context.Context) ([]string, error) {
	return []string{"down", "up"}, nil
}

func (w *CountdownWorld) ExpertAction(context.Context) (string, error) { return "down", nil }

// ModelFunc is a model that is a function.
type ModelFunc func(ctx context.Context, req model.Request) (model.Reply, error)

func (f ModelFunc) Chat(ctx context.Context, req model.Request) (model.Reply, error) {
	return f(ctx, req)
}

// Saying is a model that always takes the same action.
func Saying(action string) ModelFunc {
	return func(context.Context, model.Request) (model.Reply, error) {
		return model.Reply{Text: "Thought: t\nAction: " + action, PromptTokens: 10, CompletionTokens: 2,
			Attempts: 1}, nil
	}
}

// Prompt is a prompt for Countdown.
var Prompt = configs.Prompt{React: "format", Help: "help", Types: map[string]configs.Instructions{
	"": {Instruction: "count"}}}

// Shouting is Countdown for models that write in capitals.
type Shouting struct{ *Countdown }

// NewWorld implements envs.Env.
func (e Shouting) NewWorld(t envs.Task) (envs.World, error) {
	w, err := e.Countdown.NewWorld(t)
	return shoutingWorld{w.(*CountdownWorld)}, err
}

type shoutingWorld struct{ *CountdownWorld }

func (shoutingWorld) Spell(action string) string { return strings.ToLower(action) }
