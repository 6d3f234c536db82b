package sciworld

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strconv"
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

// errNotRunning says that a world was not started, or has been closed.
var errNotRunning = errors.New("sciworld: the world is not running")

// world is one running copy of a task. It has a game from Start on, until it is closed.
type world struct {
	env     *Env
	place   taskVariation
	label   *goalLabel // nil: progress is the simulator's score
	game    game       // nil before Start and after Close
	started bool

	reached []bool // by sub-goal of the label
	last    envs.Step
	score   float64  // the simulator's, not rounded; 0 with labels
	history []string // the actions so far
}

func newWorld(e *Env, p taskVariation, l *goalLabel) *world {
	w := &world{env: e, place: p, label: l}
	if l != nil {
		w.reached = make([]bool, len(l.subgoals))
	}
	return w
}

// Start implements envs.World.
func (w *world) Start(ctx context.Context) (envs.Start, error) {
	if w.started {
		return envs.Start{}, errors.New("sciworld: the world has been started already")
	}
	w.started = true
	if err := ctx.Err(); err != nil {
		return envs.Start{}, err
	}
	g := w.env.newGame()
	r, err := g.start(w.place, w.env.simplifications)
	if err != nil {
		return envs.Start{}, err
	}
	w.game = g
	return w.begin(r), nil
}

// begin makes the calls of an episode's start (§4.3).
func (w *world) begin(r report) envs.Start {
	s := envs.Start{Observation: r.observation}
	if w.label == nil {
		_, s.Progress = w.count(r)
		w.last.Progress = s.Progress
	}
	if w.env.board {
		s.Observation += "\n" + w.game.inventory()
	}
	if w.label != nil {
		s.Goal = w.label.goal
	} else {
		s.Goal = w.game.description()
	}
	return s
}

// Step implements envs.World.
func (w *world) Step(ctx context.Context, action string) (envs.Step, error) {
	if w.game == nil {
		return envs.Step{}, errNotRunning
	}
	if err := ctx.Err(); err != nil {
		return envs.Step{}, err
	}
	if w.env.board {
		w.last = w.boardTurn(action)
	} else {
		w.last = w.turn(action)
	}
	w.history = append(w.history, strings.Clone(action)) // it can be a piece of a list
	return w.last, nil
}

// boardTurn is a turn of AgentBoard's (§4.2): asking for help takes no time, and
// an action counts as valid if it is among those that are valid afterwards.
func (w *world) boardTurn(action string) envs.Step {
	s := w.last
	words := pytext.Strip(action)
	if words == helpAction {
		s.Observation = w.help()
	} else {
		s = w.turn(words)
	}
	understood := words == helpAction || s.Valid
	s.Valid = w.game.judge(action) || action == helpAction
	s.Understood = understood && !s.Valid
	return s
}

// turn is a step of the simulator. Valid is what the simulator understood.
func (w *world) turn(action string) envs.Step {
	r := w.game.act(action)
	s := envs.Step{Observation: r.observation, Valid: r.observation != notUnderstood}
	if w.label != nil {
		s.Progress, s.Success = w.reach(r.observation)
		s.Done = s.Success
		return s
	}
	var percent float64
	percent, s.Progress = w.count(r)
	s.Success = percent >= 100
	s.Done = r.completed || r.score < 0 || r.moves > cmp.Or(w.env.moves, plainStepLimit)
	return s
}

// count takes the score of a report. The package gives it in percent, rounded half to even (§3).
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
func (w *world) reach(observation string) (progress float64, complete bool) {
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
func (w *world) help() string {
	var b strings.Builder
	b.WriteString(helpPrefix)
	for _, f := range w.game.forms() {
		if !strings.Contains(f, "reset") {
			b.WriteString(f + ", ")
		}
	}
	b.WriteString(helpAction)
	return b.String()
}

// query asks the game of a running world.
func query[T any](w *world, question func(game) T) (answer T, err error) {
	if w.game == nil {
		return answer, errNotRunning
	}
	return question(w.game), nil
}

// Actions implements envs.Lister. The list is the one that the reference makes
// after each step anyway: asking for it changes nothing.
func (w *world) Actions(context.Context) ([]string, error) {
	return query(w, game.valid)
}

// ExpertAction implements envs.Expert: the next action of the simulator's own solution that was not played yet. It
// knows only this solution. The solution comes from another game, because making it would change this one.
func (w *world) ExpertAction(context.Context) (string, error) {
	path, err := w.env.native.solution(w.place, w.env.simplifications)
	if err != nil {
		return "", err
	}
	done := 0
	for _, a := range w.history {
		if done < len(path) && pytext.Strip(a) == path[done] {
			done++
		}
	}
	if done == len(path) {
		return "", nil
	}
	return path[done], nil
}

// Fork implements envs.Forker.
func (w *world) Fork() (envs.World, error) {
	if w.game == nil {
		return nil, errNotRunning
	}
	out := *w
	out.game = w.game.fork()
	out.reached, out.history = slices.Clone(w.reached), slices.Clone(w.history)
	return &out, nil
}

// AppendState implements envs.StateAppender. The simulator draws random numbers in
// every step, so its states seldom recur.
func (w *world) AppendState(b []byte) ([]byte, error) {
	if w.game == nil {
		return b, errNotRunning
	}
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(w.last.Progress))
	for _, r := range w.reached {
		b = strconv.AppendBool(b, r)
	}
	return w.game.appendState(b), nil
}

// Inspect implements envs.Inspector: it shows the tree of objects.
func (w *world) Inspect() (string, error) {
	return query(w, game.tree)
}

// Close implements envs.World.
func (w *world) Close() error {
	w.game = nil
	return nil
}

// PossibleActions lists the templates of actions, such as "open OBJ", sorted.
func (w *world) PossibleActions(context.Context) ([]string, error) {
	return query(w, game.forms)
}

// PossibleObjects lists what can be spoken of here, sorted. As in the reference,
// asking can draw random numbers, and then the episode goes on differently.
func (w *world) PossibleObjects(context.Context) ([]string, error) {
	return query(w, game.objects)
}

// Hints implements envs.Hinter. A copy of the game is asked, so that the episode draws nothing for it.
func (w *world) Hints(context.Context) (forms, things []string, err error) {
	if w.game == nil {
		return nil, nil, errNotRunning
	}
	fork := w.game.fork()
	return fork.forms(), fork.objects(), nil
}

// Goals is the simulator's table of the goals and whether they are reached.
func (w *world) Goals(context.Context) (string, error) {
	return query(w, game.goals)
}
