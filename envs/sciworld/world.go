package sciworld

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strings"

	"heldout/envs"
	"heldout/envs/pytext"
)

// The fixed words of AgentBoard's layer (§4.2) and of the simulator (§2).
const (
	helpAction    = "check valid actions"
	helpPrefix    = "Choose an action from these valid actions: "
	notUnderstood = "No known action matches that input."
	choicePrefix  = "Ambiguous request: Please enter the number for the action you intended (or blank to cancel):\n"
)

// world is one running copy of a task. It has a game from Start on, until it is
// closed or something breaks.
type world struct {
	env     *Env
	place   place
	label   *label // nil: progress is the simulator's score
	game    game   // nil before Start and after it is given back
	started bool

	reached []bool // by sub-goal of the label
	last    envs.Step
	score   float64  // the simulator's, not rounded; 0 with labels
	played  []string // the actions so far
}

func newWorld(e *Env, p place, l *label) *world {
	w := &world{env: e, place: p, label: l}
	if l != nil {
		w.reached = make([]bool, len(l.subgoals))
	}
	return w
}

// Start implements envs.World. It waits until a game is free.
func (w *world) Start(ctx context.Context) (envs.Start, error) {
	if w.started {
		return envs.Start{}, errors.New("sciworld: the world has been started already")
	}
	g, err := w.env.games.take(ctx)
	if err != nil {
		return envs.Start{}, err
	}
	w.game, w.started = g, true
	s, err := w.begin(ctx)
	if err != nil {
		w.abandon()
	}
	return s, err
}

// begin makes the calls of an episode's start (§4.3).
func (w *world) begin(ctx context.Context) (s envs.Start, err error) {
	r, err := w.game.start(ctx, w.place, w.env.simplifications)
	if err != nil {
		return s, err
	}
	s.Observation = r.observation
	if w.label == nil {
		_, s.Progress = w.count(r)
		w.last.Progress = s.Progress
	}
	if w.env.board {
		inventory, err := w.game.inventory(ctx)
		if err != nil {
			return s, err
		}
		s.Observation += "\n" + inventory
	}
	if w.label != nil {
		s.Goal = w.label.goal
		return s, nil
	}
	s.Goal, err = w.game.description(ctx)
	return s, err
}

// Step implements envs.World.
func (w *world) Step(ctx context.Context, action string) (envs.Step, error) {
	if w.game == nil {
		return envs.Step{}, errNotRunning
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
	w.played = append(w.played, strings.Clone(action)) // it can be a piece of a list
	return s, nil
}

// boardTurn is a turn of AgentBoard's (§4.2): asking for help takes no time, and
// an action counts as valid if it is among those that are valid afterwards.
func (w *world) boardTurn(ctx context.Context, action string) (envs.Step, error) {
	s := w.last
	var err error
	words := pytext.Strip(action)
	if words == helpAction {
		s.Observation, err = w.help(ctx)
	} else {
		s, err = w.turn(ctx, words)
	}
	if err != nil {
		return s, err
	}
	valid, err := w.game.judge(ctx, action)
	understood := words == helpAction || s.Valid
	s.Valid = valid || action == helpAction
	s.Understood = understood && !s.Valid
	return s, err
}

// turn is a step of the simulator. Valid is what the simulator understood.
func (w *world) turn(ctx context.Context, action string) (envs.Step, error) {
	r, err := w.game.act(ctx, action)
	if err != nil {
		return envs.Step{}, err
	}
	s := envs.Step{Observation: r.observation, Valid: r.observation != notUnderstood}
	if w.label != nil {
		s.Progress, s.Success = w.reach(r.observation)
		s.Done = s.Success
		return s, nil
	}
	var percent float64
	percent, s.Progress = w.count(r)
	s.Success = percent >= 100
	s.Done = r.completed || r.score < 0 || r.moves > cmp.Or(w.env.moves, plainStepLimit)
	return s, nil
}

// count takes the score of a report. The package gives it in percent, rounded half
// to even (§3).
func (w *world) count(r report) (percent, progress float64) {
	w.score = r.score
	percent = math.RoundToEven(100 * r.score)
	return percent, max(0, percent/100)
}

// Score implements envs.Scorer: the simulator's score, negative after a fatal
// mistake, or the progress if there are labels.
func (w *world) Score() float64 {
	if w.label != nil {
		return w.last.Progress
	}
	return math.RoundToEven(100*w.score) / 100
}

// ExactScore implements envs.ExactScorer.
func (w *world) ExactScore() float64 {
	if w.label != nil {
		return w.last.Progress
	}
	return w.score
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
	forms, err := w.game.forms(ctx)
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

// Actions implements envs.Lister. The list is the one that the reference makes
// after each step anyway: asking for it changes nothing.
func (w *world) Actions(ctx context.Context) ([]string, error) {
	if w.game == nil {
		return nil, errNotRunning
	}
	actions, err := w.game.valid(ctx)
	if err != nil {
		w.abandon()
	}
	return actions, err
}

// ExpertAction implements envs.Expert: the next action of the simulator's own
// solution that was not played yet. It knows only this solution. The solution
// comes from another game, because making it would change this one.
func (w *world) ExpertAction(ctx context.Context) (string, error) {
	path, err := w.env.games.solution(ctx, w.place, w.env.simplifications)
	if err != nil {
		return "", err
	}
	done := 0
	for _, a := range w.played {
		if done < len(path) && pytext.Strip(a) == path[done] {
			done++
		}
	}
	if done == len(path) {
		return "", nil
	}
	return path[done], nil
}

// copied returns a copy that shares no mutable state except the game.
func (w *world) copied() world {
	out := *w
	out.reached, out.played = slices.Clone(w.reached), slices.Clone(w.played)
	return out
}

// abandon discards a broken game.
func (w *world) abandon() {
	w.env.games.discard(w.game)
	w.game = nil
}

// Close implements envs.World.
func (w *world) Close() error {
	if w.game != nil {
		w.env.games.giveBack(w.game)
		w.game = nil
	}
	return nil
}
