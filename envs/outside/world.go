package outside

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"heldout/envs"
)

// world shows of an instance what its environment can.
type world struct{ *checked }

// Unwrap implements envs.Wrapper.
func (w world) Unwrap() any { return w.checked }

// Rewrites implements envs.Wrapper: an ability that the environment lacks is hidden.
func (w world) Rewrites() []any {
	return []any{
		shownIf[envs.Lister](w, CanList), shownIf[envs.Expert](w, CanAdvise),
		shownIf[envs.Forker](w, CanFork), shownIf[envs.StateAppender](w, CanKey),
	}
}

func shownIf[Ability any](w world, can string) func(Ability) Ability {
	return func(own Ability) (visible Ability) {
		if slices.Contains(w.env.about.Can, can) {
			visible = own
		}
		return visible
	}
}

// checked is a world whose instance elsewhere is checked step by step.
type checked struct {
	env  *Env
	task string
	seed int64
	game Instance // nil before the start
	// progress is the progress so far, and sum the sum of the rewards.
	progress, sum float64
}

// SetSeed implements envs.Seeder.
func (w *checked) SetSeed(seed int64) { w.seed = seed }

// Start implements envs.World.
func (w *checked) Start(ctx context.Context) (envs.Start, error) {
	game, b, err := w.env.provider.Begin(ctx, w.task, w.seed)
	if err != nil {
		return envs.Start{}, err
	}
	w.game = game
	err = errors.Join(checkText("goal", b.Goal), checkText("observation", b.Observation))
	if b.Progress != nil {
		if !w.env.about.Progress {
			err = errors.Join(err, errUnexpected("progress"))
		}
		err = errors.Join(err, checkShare(*b.Progress))
		w.progress = *b.Progress + 0 // no -0
	}
	if err != nil {
		return envs.Start{}, w.env.wrong(err)
	}
	if r := w.env.about.Return; r != nil {
		w.progress = share(0, r)
	}
	return envs.Start{Goal: b.Goal, Observation: b.Observation, Progress: w.progress}, nil
}

// Step implements envs.World.
func (w *checked) Step(ctx context.Context, action string) (envs.Step, error) {
	a, err := w.game.Step(ctx, action)
	if err != nil {
		return envs.Step{}, err
	}
	if err := errors.Join(checkText("observation", a.Observation), w.measure(&a)); err != nil {
		return envs.Step{}, w.env.wrong(err)
	}
	if a.Done && a.Unjudged {
		return envs.Step{}, envs.ErrUnjudged
	}
	s := envs.Step{Observation: a.Observation, Progress: w.progress, Done: a.Done, Valid: a.Valid == nil || *a.Valid,
		Unjudged: a.Unjudged}
	if w.env.about.Success {
		s.Success = a.Success != nil && *a.Success
	} else {
		s.Success = w.progress >= w.env.Threshold
	}
	return s, nil
}

// wrong says which environment an error is about.
func (e *Env) wrong(err error) error { return fmt.Errorf("the environment %s: %w", e.About.Name, err) }

// measure computes the progress after a step.
func (w *checked) measure(a *StepReply) error {
	about := w.env.about
	switch {
	case a.Success != nil && !about.Success:
		return errUnexpected("success")
	case a.Success == nil && about.Success && a.Done:
		return errors.New("the last step lacks success")
	case a.Progress != nil && !about.Progress:
		return errUnexpected("progress")
	case a.Reward != nil && about.Return == nil:
		return errUnexpected("reward")
	case about.Progress:
		if a.Progress == nil {
			return errors.New("a step lacks progress")
		}
		w.progress = *a.Progress + 0 // no -0
		return checkShare(*a.Progress)
	case about.Return != nil:
		if a.Reward == nil {
			return errors.New("a step lacks reward")
		}
		if w.sum += *a.Reward; math.IsNaN(w.sum) || math.IsInf(w.sum, 0) {
			return fmt.Errorf("the sum of rewards is %v, want a finite number", w.sum)
		}
		w.progress = share(w.sum, about.Return)
	case a.Success != nil && *a.Success:
		w.progress = 1
	default:
		w.progress = 0
	}
	return nil
}

// share is where a sum of rewards lies between the least and the largest.
func share(sum float64, r *[2]float64) float64 { return min(max((sum-r[0])/(r[1]-r[0]), 0), 1) }

func checkShare(progress float64) error {
	if !(progress >= 0 && progress <= 1) {
		return fmt.Errorf("progress is %v, want a number from 0 to 1", progress)
	}
	return nil
}

func checkText(field, text string) error {
	if len(text) > longestText {
		return fmt.Errorf("%s has %d bytes, want at most %d", field, len(text), longestText)
	}
	return nil
}

// errUnexpected reports a value that the environment said it does not have.
func errUnexpected(field string) error {
	return fmt.Errorf("it sends %s, which its description does not announce", field)
}

// Close implements envs.World.
func (w *checked) Close() error {
	if w.game == nil {
		return nil
	}
	return w.game.Close()
}

// Actions implements envs.Lister.
func (w *checked) Actions(ctx context.Context) ([]string, error) {
	list, err := w.game.Actions(ctx)
	if err != nil {
		return nil, err
	}
	return sorted(list)
}

// ExpertAction implements envs.Expert.
func (w *checked) ExpertAction(ctx context.Context) (string, error) {
	action, err := w.game.Advice(ctx)
	if len(action) > longestAction {
		err = fmt.Errorf("the expert's action has %d bytes, want at most %d", len(action), longestAction)
	}
	return action, err
}

// Fork implements envs.Forker.
func (w *checked) Fork() (envs.World, error) {
	game, err := w.game.Fork()
	if err != nil {
		return nil, err
	}
	fork := *w
	fork.game = game
	return world{&fork}, nil
}

// AppendState implements envs.StateAppender. The sum of rewards decides the progress to come.
func (w *checked) AppendState(b []byte) ([]byte, error) {
	key, err := w.game.StateKey()
	if n := len(key); err == nil && (n == 0 || n > longestKey) {
		err = fmt.Errorf("the state key has %d bytes, want 1 to %d", n, longestKey)
	}
	return fmt.Appendf(b, "%s %v", key, w.sum), err
}
