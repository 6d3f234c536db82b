package sciworld

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode"

	"heldout/envs"
)

// The fixed words of AgentBoard's layer (§4.2) and of the simulator (§2).
const (
	helpAction    = "check valid actions"
	helpPrefix    = "Choose an action from these valid actions: "
	notUnderstood = "No known action matches that input."
)

// world is one running copy of a task. It has a simulator from Start on, until
// it is closed or something breaks.
type world struct {
	env     *Env
	place   place
	label   *label     // nil: progress is the simulator's score
	sim     *simulator // nil before Start and when it is given back
	started bool

	reached []bool // by sub-goal of the label
	last    envs.Step
	played  []string // the actions so far
}

func newWorld(e *Env, p place, l *label) *world {
	w := &world{env: e, place: p, label: l}
	if l != nil {
		w.reached = make([]bool, len(l.subgoals))
	}
	return w
}

// Start implements envs.World. It waits until a virtual machine is free.
func (w *world) Start(ctx context.Context) (envs.Start, error) {
	if w.started {
		return envs.Start{}, errors.New("sciworld: the world has been started already")
	}
	sim, err := w.env.machines.take(ctx)
	if err != nil {
		return envs.Start{}, err
	}
	w.sim, w.started = sim, true
	s, err := w.begin(ctx)
	if err != nil {
		w.abandon()
	}
	return s, err
}

// begin makes the calls of an episode's start (§4.3).
func (w *world) begin(ctx context.Context) (s envs.Start, err error) {
	r, err := w.sim.start(ctx, w.place, w.env.simplifications)
	if err != nil {
		return s, err
	}
	s.Observation = r.observation
	if w.env.board {
		inventory, err := call[string](ctx, w.sim, "freeActionInventory")
		if err != nil {
			return s, err
		}
		s.Observation += "\n" + inventory
	}
	if w.label != nil {
		s.Goal = w.label.goal
		return s, nil
	}
	s.Goal, err = call[string](ctx, w.sim, "getTaskDescription")
	return s, err
}

// Step implements envs.World.
func (w *world) Step(ctx context.Context, action string) (envs.Step, error) {
	if w.sim == nil {
		return envs.Step{}, errors.New("sciworld: the world is not running")
	}
	step := w.turn
	if w.env.board {
		step = w.boardTurn
	}
	s, err := step(ctx, action)
	if err != nil {
		w.abandon()
		return envs.Step{}, err
	}
	w.last = s
	w.played = append(w.played, action)
	return s, nil
}

// boardTurn is a turn of AgentBoard's (§4.2): asking for help takes no time, and
// an action counts as valid if it is among those that are valid afterwards.
func (w *world) boardTurn(ctx context.Context, action string) (envs.Step, error) {
	s := w.last
	var err error
	if words := strip(action); words == helpAction {
		s.Observation, err = w.help(ctx)
	} else {
		s, err = w.turn(ctx, words)
	}
	if err != nil {
		return s, err
	}
	valid, err := w.validNow(ctx)
	if err != nil {
		return s, err
	}
	s.Valid = action == helpAction || valid[action]
	return s, nil
}

// turn is a step of the simulator. An action counts as valid if the simulator
// understood it.
func (w *world) turn(ctx context.Context, action string) (envs.Step, error) {
	r, err := w.sim.act(ctx, action)
	if err != nil {
		return envs.Step{}, err
	}
	s := envs.Step{Observation: r.observation, Valid: r.observation != notUnderstood}
	if w.label != nil {
		s.Progress, s.Success = w.reach(r.observation)
		s.Done = s.Success
		return s, nil
	}
	// The package gives the score in percent, rounded half to even (§3).
	percent := math.RoundToEven(100 * r.score)
	s.Progress = max(0, percent/100)
	s.Success = percent >= 100
	s.Done = r.completed || r.score < 0 || r.moves > plainStepLimit
	return s, nil
}

// reach marks the sub-goals whose patterns occur in an observation.
func (w *world) reach(observation string) (progress float64, all bool) {
	n := 0
	for i, re := range w.label.subgoals {
		w.reached[i] = w.reached[i] || re.MatchString(observation)
		if w.reached[i] {
			n++
		}
	}
	return float64(n) / float64(len(w.reached)), n == len(w.reached)
}

// help lists the forms of actions.
func (w *world) help(ctx context.Context) (string, error) {
	forms, err := w.sim.list(ctx, "getPossibleActions")
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(helpPrefix)
	for _, f := range forms {
		if !strings.Contains(f, "reset") {
			b.WriteString(f + ", ")
		}
	}
	b.WriteString(helpAction)
	return b.String(), nil
}

// validNow lists the actions against which AgentBoard's evaluator judges. The
// call can draw from the simulator's generator.
func (w *world) validNow(ctx context.Context) (map[string]bool, error) {
	text, err := call[string](ctx, w.sim, "getValidActionObjectCombinationsJSON")
	if err != nil {
		return nil, err
	}
	var list struct {
		Actions []struct {
			Action string `json:"action"`
		} `json:"validActions"`
	}
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		return nil, fmt.Errorf("sciworld: the list of valid actions: %w", err)
	}
	valid := make(map[string]bool, len(list.Actions))
	for _, a := range list.Actions {
		valid[a.Action] = true
	}
	return valid, nil
}

// strip removes white space from both ends, of which Python knows some that Go
// does not.
func strip(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f })
}

// Actions implements envs.Lister. The list is the one that the reference makes
// after each step anyway: asking for it changes nothing.
func (w *world) Actions(ctx context.Context) ([]string, error) {
	if w.sim == nil {
		return nil, errors.New("sciworld: the world is not running")
	}
	actions, err := w.sim.items(ctx, w.sim.listing)
	if err != nil {
		w.abandon()
	}
	return actions, err
}

// ExpertAction implements envs.Expert: the next action of the simulator's own
// solution that was not played yet. It knows no other way than that one. The
// solution comes from another virtual machine, for making it would change the
// game.
func (w *world) ExpertAction(ctx context.Context) (string, error) {
	path, err := w.env.gold.path(ctx, w.place, w.env.simplifications)
	if err != nil {
		return "", err
	}
	done := 0
	for _, a := range w.played {
		if done < len(path) && strip(a) == path[done] {
			done++
		}
	}
	if done == len(path) {
		return "", nil
	}
	return path[done], nil
}

// abandon gives back a simulator with which something is wrong.
func (w *world) abandon() {
	w.env.machines.discard(w.sim)
	w.sim = nil
}

// Close implements envs.World.
func (w *world) Close() error {
	if w.sim != nil {
		w.env.machines.giveBack(w.sim)
		w.sim = nil
	}
	return nil
}
