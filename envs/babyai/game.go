package babyai

import (
	"slices"
	"strings"

	"heldout/envs/engine/minigrid"
	"heldout/envs/pytext"
)

// The fixed answers of the text layer (§5.6).
const (
	notRecognized = "The action is not recognized. Please check valid actions."
	noChange      = "No change in state."
	barrierAhead  = "There is a barrier in front of you, you can't move forward."
	completed     = "\n The task is completed."
	listPrefix    = "You can take the following actions: "
)

// textGame is AgentBoard's text layer around a world.
type textGame struct {
	world *minigrid.World
	goal  string
	view  minigrid.View // the view that the next one is compared with
	table table
	goals *subgoals // nil if rewards are the world's own

	observation string // of the world as it is now
	reward      float64
	total       float64 // of the rewards after each step, as AgentGym's client adds them up
	done, valid bool
}

// newGame starts a game. Without sub-goals the reward is the world's own.
func newGame(w *minigrid.World, ways [][]string) *textGame {
	g := &textGame{world: w, goals: newSubgoals(ways), view: *w.View()}
	g.goal = strings.ReplaceAll(strings.ReplaceAll(w.Mission(), "then", "and"), "after you", "and")
	g.look()
	return g
}

// look describes the world as it is and finds what can be done in it.
func (g *textGame) look() {
	g.table.fill(g.world.View(), g.world.Agent(), g.world.Object(g.world.Carrying()))
	g.observation = describe(g.table.things, g.table.carried)
}

// normalize changes an action as the text layer does before it reads it.
func normalize(action string) string { return pytext.Strip(pytext.Lower(action)) }

func asksForActions(action string) bool { return strings.Contains(action, "check") }

// step carries out an action as the agent typed it.
func (g *textGame) step(action string) (observation string) {
	action = normalize(action)
	switch {
	case asksForActions(action):
		g.valid = true
		return listPrefix + strings.Join(g.table.list(), ", ")
	case action == "":
		g.valid = false
		return noChange
	}
	c := g.table.choice(action)
	switch {
	case c == nil:
		g.valid = false
		return g.table.reason(action)
	case !g.table.acts(c):
		return noChange // valid stays as it was
	}
	g.carryOut(g.table.moves(c))
	return g.observation
}

// carryOut makes primitive steps until one leaves the view unchanged; the last counts.
func (g *textGame) carryOut(moves []minigrid.Action) {
	var last minigrid.Result
	for _, m := range moves {
		last = g.world.Step(m)
		if g.view == *g.world.View() {
			break
		}
		g.view = *g.world.View()
	}
	g.valid = true
	g.done = last.Terminated
	g.look()
	if g.done {
		g.observation += completed
	}
	if g.goals == nil {
		g.reward = last.Reward
	} else if share, ok := g.goals.score(g.observation); ok {
		g.reward = max(g.reward, share)
	}
	if g.done && g.reward <= 0.5 {
		g.done = false
	}
	if g.reward == 1 && !g.done {
		g.done = true
		g.observation += completed
	}
}

func (g *textGame) clone() *textGame {
	c := *g
	c.world = g.world.Clone()
	c.goals = g.goals.clone()
	c.table.things = slices.Clone(g.table.things)
	c.table.entries = slices.Clone(g.table.entries)
	return &c
}
