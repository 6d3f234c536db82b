package agent

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"heldout/envs"
)

// errorRate is the chance that an erring expert errs where it may.
const errorRate = 0.25

// erring plays as the expert does, and errs on purpose now and then: its action is one
// that the environment does not carry out, of the kinds of AgentRefine's errors. After
// an error it goes on as the expert. Errors change nothing but the number of steps.
type erring struct {
	world  envs.World
	expert envs.Expert
	lister envs.Lister
	rng    *rand.Rand
	// plan is how the expert would go on from the first error, for an expert that knows
	// nothing after one; nil before.
	plan []foreseen
	// possible are the actions that were possible so far, last is the one before this.
	possible    []string
	last        string
	errs, erred bool
}

// NewErring returns an expert of a world that errs on purpose. The world must have an expert and list its actions.
func NewErring(w envs.World, rng *rand.Rand) (Agent, error) {
	e, ok := envs.As[envs.Expert](w)
	l, lists := envs.As[envs.Lister](w)
	if !ok || !lists {
		return nil, fmt.Errorf("the environment has no expert, or cannot list its valid actions")
	}
	return chooser((&erring{world: w, expert: e, lister: l, rng: rng}).choose), nil
}

func (e *erring) choose(ctx context.Context) (string, error) {
	right, err := e.next(ctx)
	if err != nil || right == "" {
		return "", err
	}
	action := right
	if !e.erred && e.rng.Float64() < errorRate {
		if action, err = e.wrong(ctx, right); err != nil {
			return "", err
		}
	}
	if e.erred = action != right; !e.erred {
		e.plan, e.last = e.plan[min(1, len(e.plan)):], right
	}
	e.errs = e.errs || e.erred
	return action, nil
}

// next is what the expert does now. One that follows a path knows nothing after an
// error; its path still leads to the goal.
func (e *erring) next(ctx context.Context) (string, error) {
	action, err := e.expert.ExpertAction(ctx)
	if action == "" && err == nil && e.errs && len(e.plan) > 0 {
		action = e.plan[0].action
	}
	return action, err
}

// wrong returns an action that is not carried out now, or the right one if none is found.
func (e *erring) wrong(ctx context.Context, right string) (string, error) {
	possible, err := e.lister.Actions(ctx)
	if err != nil {
		return "", err
	}
	fits := func(a string) bool { return a != "" && !slices.Contains(possible, a) }
	kinds := [][]string{{clipped(right)}, e.possible, {e.last}} // parameter, place, logic
	e.rng.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
	defer func() {
		for _, a := range possible {
			if i, found := slices.BinarySearch(e.possible, a); !found {
				e.possible = slices.Insert(e.possible, i, a)
			}
		}
	}()
	for _, candidates := range kinds {
		candidates = slices.DeleteFunc(slices.Clone(candidates), func(a string) bool { return !fits(a) })
		if len(candidates) == 0 {
			continue
		}
		action := candidates[e.rng.IntN(len(candidates))]
		if harmless, err := e.harmless(ctx, action); harmless || err != nil {
			return action, err
		}
	}
	return right, nil
}

// clipped is an action without its last word, which leaves a parameter out.
func clipped(action string) string {
	words := strings.Fields(action)
	return strings.Join(words[:max(0, len(words)-1)], " ")
}

// harmless tries an action on a fork of the world, and notes how the expert would go on.
// A world that does not fork is taken at its list's word.
func (e *erring) harmless(ctx context.Context, action string) (bool, error) {
	forker, can := envs.As[envs.Forker](e.world)
	if !can {
		return true, nil
	}
	if e.plan == nil {
		err := fork(forker, func(w envs.World) (err error) {
			e.plan, err = path(ctx, w, longestPath)
			return err
		})
		if err != nil {
			return false, err
		}
	}
	harmless := false
	err := fork(forker, func(w envs.World) error {
		step, err := w.Step(ctx, action)
		harmless = !step.Valid && !step.Understood && !step.Done
		return err
	})
	return harmless, err
}

func fork(f envs.Forker, fn func(envs.World) error) error {
	w, err := f.Fork()
	if err != nil {
		return err
	}
	return errors.Join(fn(w), w.Close())
}

// longestPath bounds how far an expert's path is followed ahead.
const longestPath = 1000

// foreseen is an action of an expert, and the answer to it.
type foreseen struct{ action, observation string }

// path plays the expert of a world to the end, for at most so many steps.
func path(ctx context.Context, w envs.World, limit int) (plan []foreseen, err error) {
	expert, ok := envs.As[envs.Expert](w)
	for ok && len(plan) < limit {
		action, err := expert.ExpertAction(ctx)
		if err != nil || action == "" {
			return plan, err
		}
		step, err := w.Step(ctx, action)
		plan = append(plan, foreseen{action, step.Observation})
		if err != nil || step.Done {
			return plan, err
		}
	}
	return plan, nil
}
