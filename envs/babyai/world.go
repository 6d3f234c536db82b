package babyai

import (
	"context"
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"strings"

	"heldout/envs"
)

// world implements envs.World.
type world struct {
	game *textGame
	gym  bool // every observation has the list of actions, as AgentGym's

	expert expert
}

// Start implements envs.World.
func (w *world) Start(context.Context) (envs.Start, error) {
	s := envs.Start{Goal: w.game.goal, Observation: w.game.observation}
	if w.gym {
		s.Observation = w.withActions("Your goal: " + s.Goal + "\n" + s.Observation)
	}
	return s, nil
}

// finished is what AgentGym's first environment says when a task is over.
const finished = "The task with environment 0 has finished."

// Step implements envs.World. Progress is the share of sub-goals reached or,
// with AgentGym, the reward of the last action that did something.
func (w *world) Step(_ context.Context, action string) (envs.Step, error) {
	var observation string
	switch {
	case !w.gym:
		observation = w.game.step(action)
	case w.game.done:
		observation = finished
	default:
		observation = w.withActions(w.game.step(action))
		w.game.total += w.game.reward
	}
	return envs.Step{
		Observation: observation,
		Progress:    max(0, w.game.reward), // the world's own reward eventually falls below 0
		Done:        w.game.done,
		Success:     w.game.done,
		Valid:       w.game.valid,
	}, nil
}

// Score implements envs.Scorer: the progress or, with AgentGym, the sum of the
// rewards after each step. An invalid step adds the last reward again.
func (w *world) Score() float64 {
	if w.gym {
		return w.game.total
	}
	return max(0, w.game.reward)
}

// Reward is the world's own reward after the last action that did something, or the
// share of sub-goals reached. The world's own falls below 0 after very many steps.
func (w *world) Reward() float64 { return w.game.reward }

// What AgentGym puts around its list of actions.
const (
	gymListPrefix = "\nAvailable actions: [\""
	gymListSuffix = "\"]"
)

// withActions adds the list of actions as AgentGym does (§6).
func (w *world) withActions(observation string) string {
	return observation + gymListPrefix + strings.Join(w.game.table.list(), `", "`) + gymListSuffix
}

// Close implements envs.World.
func (w *world) Close() error { return nil }

// Actions implements envs.Lister: the actions of the table that have an effect.
func (w *world) Actions(context.Context) ([]string, error) {
	t := &w.game.table
	out := make([]string, 0, len(t.entries))
	for i := range t.entries {
		if e := &t.entries[i]; e.reason == offered && t.acts(e) {
			out = append(out, e.text())
		}
	}
	slices.Sort(out)
	return out, nil
}

// Fork implements envs.Forker.
func (w *world) Fork() (envs.World, error) {
	f := *w
	f.game = w.game.clone()
	return &f, nil
}

// AppendState implements envs.StateAppender. Rewards of the world's own shrink with the number of steps.
func (w *world) AppendState(b []byte) ([]byte, error) {
	g := w.game
	b = strconv.AppendBool(strconv.AppendBool(b, g.done), g.valid)
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(g.reward))
	if g.goals != nil {
		for _, way := range g.goals.ways[1:] {
			for _, goal := range way {
				b = strconv.AppendQuote(b, goal.text)
			}
		}
	}
	return g.appendState(b), nil
}
