package sciworld

import (
	"cmp"
	"fmt"
	"sync"

	"heldout/envs/engine/scienceworld"
)

// nativeVersion is the version of the official simulator that ours answers like.
const nativeVersion = "1.1.3"

// native is our own simulator. Its games are values in this process, in any number.
type native struct {
	newer     bool // as version 1.2.3 where that differs
	library   *scienceworld.Library
	solutions sync.Map // of functions that solve once, by place
}

func (n *native) game() game {
	return &nativeGame{library: n.library, newer: n.newer}
}

// solution returns the simulator's own solution. Making it can take seconds.
func (n *native) solution(p taskVariation, simplifications string) ([]string, error) {
	solve, _ := n.solutions.LoadOrStore(p, sync.OnceValues(func() ([]string, error) {
		return scienceworld.GoldPath(p.task, p.variation, simplifications)
	}))
	path, err := solve.(func() ([]string, error))()
	if err != nil {
		return nil, fmt.Errorf("sciworld: the solution of %s: %w", p.id(), err)
	}
	return path, nil
}

type nativeGame struct {
	library *scienceworld.Library
	world   *scienceworld.World // nil before the start, and until a game that begins with shared goes on
	// shared is the present moment that other games share; nil if none. It never changes.
	shared *scienceworld.World
	newer  bool
	list   scienceworld.ValidList // of what was valid after the last step
}

func (g *nativeGame) start(p taskVariation, simplifications string) (report, error) {
	g.world = g.library.New()
	if trouble := g.world.Load(p.task, p.variation, simplifications); trouble != "" {
		return report{}, fmt.Errorf("sciworld: %s cannot be loaded: %s", p.id(), trouble)
	}
	g.world.SetNewer(g.newer)
	return g.act("look around"), nil
}

// awake returns the world to go on with.
func (g *nativeGame) awake() *scienceworld.World {
	if g.world == nil {
		g.world = g.shared.Fork()
		g.list = g.list.In(g.world)
	}
	return g.world
}

func (g *nativeGame) act(action string) report {
	w := g.awake()
	g.shared = nil // it passes
	r := report{observation: w.Step(action), score: w.Score, completed: w.Completed, moves: w.Moves}
	// The Python package looks around and at the inventory and the task, which
	// draws nothing, and then lists the valid actions, which does.
	g.list = w.DrawValidActions()
	return r
}

func (g *nativeGame) inventory() string { return g.awake().Inventory() }

func (g *nativeGame) description() string { return g.awake().Description() }

func (g *nativeGame) forms() []string { return g.awake().PossibleActions() }

func (g *nativeGame) objects() []string { return g.awake().PossibleObjects() }

func (g *nativeGame) goals() string { return g.awake().Progress() }

func (g *nativeGame) valid() []string {
	g.awake()
	return g.list.Sorted()
}

func (g *nativeGame) judge(action string) bool { return g.awake().DrawValidActions().Contains(action) }

// fork shares the present moment with the fork until either goes on.
func (g *nativeGame) fork() game {
	if g.shared == nil {
		g.shared = g.world.Fork()
	}
	return &nativeGame{library: g.library, shared: g.shared, newer: g.newer, list: g.list}
}

func (g *nativeGame) appendState(b []byte) []byte { return cmp.Or(g.world, g.shared).AppendState(b) }

func (g *nativeGame) tree() string { return g.awake().Tree() }

// game is one running simulation, for one goroutine. It is an interface because
// tests also play made-up games, and games of the official simulator.
type game interface {
	// start loads a task and looks around, as the Python package does.
	start(p taskVariation, simplifications string) (report, error)
	// act makes a step and then lists what is valid, as the Python package does.
	act(action string) report
	inventory() string
	// description is what the task asks for.
	description() string
	// forms lists the templates of actions.
	forms() []string
	// objects lists what can be spoken of. It can draw random numbers.
	objects() []string
	// goals is the simulator's table of the goals and whether they are reached.
	goals() string
	// valid lists what was valid after the last step. It changes nothing.
	valid() []string
	// judge makes another list of what is valid, which can draw random numbers,
	// and reports whether an action is on it.
	judge(action string) bool
	// fork returns a game that goes on from the present moment by itself.
	fork() game
	appendState(b []byte) []byte
	// tree shows the tree of objects.
	tree() string
}

// report is what a game says after an action.
type report struct {
	observation string
	score       float64 // 0 to 1; negative when the task has failed
	completed   bool
	moves       int // ticks so far
}
