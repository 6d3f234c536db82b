package alfworld

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"heldout/envs"
	"heldout/envs/agentboard"
	"heldout/envs/engine/planning"
	"heldout/envs/pytext"
)

const (
	checkAction = "check valid actions"
	checkPrefix = "Choose an action from these valid actions: "
	lookAction  = "look"
	arrival     = "You arrive at loc "

	// engineLimit is how many commands the reference's engine accepts, including rejected commands.
	engineLimit = 50
)

// world is a game with AgentBoard's layer around it.
type world struct {
	loading *loading
	// bare: the world has no layer; its texts and commands are the game's own.
	bare bool
	// limitPays: progress is 1 when the engine's limit is reached, as in the reference.
	limitPays bool
	rules     *rules  // nil until something needs more than the view at the start
	engine    *engine // nil as long as rules is nil
	// view is what "look" shows: first the room, later the view after the last
	// arrival or opening, however long ago.
	view     string
	answer   string // the engine's last answer
	commands int    // number of commands sent to the engine
	reached  []bool // the sub-goals, in order
	done     bool

	guide  planning.Guide // the expert's
	search *memory        // what the expert has been shown; nil if it knows all
}

// rules are shared by the worlds of one task.
type rules struct {
	game     *game
	subgoals []subgoal
}

func newWorld(l *loading) *world { return &world{loading: l, view: l.room} }

// load waits until the game is grounded.
func (w *world) load() error {
	if w.engine != nil {
		return nil
	}
	r, err := w.loading.rules()
	if err != nil {
		return err
	}
	w.rules, w.engine, w.reached = r, newEngine(r.game), make([]bool, len(r.subgoals))
	return nil
}

// Start implements envs.World.
func (w *world) Start(context.Context) (envs.Start, error) {
	if w.bare {
		return envs.Start{Goal: w.loading.goal, Observation: intro(w.loading.room, w.loading.goal)}, nil
	}
	return envs.Start{Goal: w.loading.goal, Observation: w.view}, nil
}

// Close implements envs.World.
func (w *world) Close() error { return nil }

// Step implements envs.World. Progress is the share of the sub-goals reached; the last sub-goal is the goal itself.
func (w *world) Step(_ context.Context, action string) (envs.Step, error) {
	if err := w.load(); err != nil {
		return envs.Step{}, err
	}
	var s envs.Step
	if w.bare {
		s = w.bareStep(action)
	} else {
		action = agentboard.ALFWorldAction(action, "put")
		valid := w.valid(action)
		s = w.step(action)
		s.Valid = valid
	}
	if w.search != nil {
		w.search.note(action, s.Observation)
	}
	return s, nil
}

// bareStep gives an action to the engine as it is. Progress is ALFWorld's score: 1 when the task is solved.
func (w *world) bareStep(action string) envs.Step {
	valid := !w.done && w.engine.find(pytext.Strip(action)) >= 0
	s := envs.Step{Observation: w.run(action), Done: w.done, Valid: valid}
	if w.done && w.engine.won() {
		s.Progress, s.Success = 1, true
	}
	return s
}

// valid reports whether an action is in the list, in exactly this spelling.
func (w *world) valid(action string) bool {
	return action == checkAction || w.engine.find(action) >= 0
}

// step is the benchmark's own step, after normalize. It leaves Valid unset.
func (w *world) step(action string) envs.Step {
	action = strings.TrimSuffix(action, ".")
	observation := ""
	switch action {
	case lookAction:
		w.run(action)
		observation = w.view
	case checkAction:
		observation = checkPrefix + strings.Join(append(w.engine.commands(), checkAction), ", ")
	default:
		observation = w.run(action)
	}
	if (strings.Contains(action, "go to") || strings.Contains(action, "open")) &&
		!strings.Contains(observation, strings.TrimSuffix(rejected, ".")) {
		w.view = observation
	}
	if strings.HasPrefix(observation, arrival) {
		_, observation, _ = strings.Cut(observation, ". ")
	}
	for i, s := range w.rules.subgoals {
		w.reached[i] = w.reached[i] || s.met(observation)
	}
	success := w.done && w.engine.won()
	return envs.Step{Observation: observation, Progress: w.progress(success), Done: w.done, Success: success}
}

// run gives a command to the engine. After the game is over, the last answer remains.
func (w *world) run(command string) string {
	if !w.done {
		w.answer = w.engine.do(command)
		w.commands++
		w.done = w.engine.won() || w.commands == engineLimit
	}
	return w.answer
}

func (w *world) progress(success bool) float64 {
	if success || w.done && w.limitPays {
		return 1
	}
	n := 0
	for _, r := range w.reached {
		if r {
			n++
		}
	}
	return float64(n) / float64(len(w.reached)+1)
}

// Actions implements envs.Lister: the commands that the engine accepts now.
func (w *world) Actions(context.Context) ([]string, error) {
	if err := w.load(); err != nil {
		return nil, err
	}
	return w.engine.commands(), nil
}

// ExpertAction implements envs.Expert.
func (w *world) ExpertAction(context.Context) (string, error) {
	if err := w.load(); err != nil {
		return "", err
	}
	if w.search != nil {
		return w.find(), nil
	}
	return w.planned(), nil
}

// planned is the next command of the expert's plan; "" without a plan.
func (w *world) planned() string {
	operator, ok := w.guide.Next(w.rules.game.task, w.engine.state)
	if !ok {
		return ""
	}
	return w.rules.game.texts[operator]
}

// Fork implements envs.Forker.
func (w *world) Fork() (envs.World, error) {
	if err := w.load(); err != nil {
		return nil, err
	}
	f := *w
	f.engine, f.reached = w.engine.clone(), slices.Clone(w.reached)
	if w.search != nil {
		m := *w.search
		m.actions = slices.Clone(m.actions)
		f.search = &m
	}
	return &f, nil
}

// AppendState implements envs.StateAppender. The engine's limit of commands counts steps.
func (w *world) AppendState(b []byte) ([]byte, error) {
	if err := w.load(); err != nil {
		return b, err
	}
	b = strconv.AppendBool(b, w.done)
	for _, r := range w.reached {
		b = strconv.AppendBool(b, r)
	}
	if w.done {
		b = strconv.AppendQuote(b, w.answer)
	}
	b = strconv.AppendQuote(b, w.view)
	return w.engine.appendState(b), nil
}
