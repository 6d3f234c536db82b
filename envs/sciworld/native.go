package sciworld

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"golang.org/x/sync/singleflight"

	"heldout/envs"
	"heldout/envs/sciworld/lab"
)

// nativeVersion is the version of the official simulator whose answers our own
// gives.
const nativeVersion = "1.1.3"

// native is our own simulator. Its games are values in this process. Their number
// is not limited.
type native struct {
	portals bool // looks at doors and drains are answered
	library *lab.Library
	worlds  sync.Pool
	starts  starts
	making  singleflight.Group // of solutions
	known   sync.Map           // of solutions, by place
}

func (n *native) take(context.Context) (game, error) {
	w, ok := n.worlds.Get().(*lab.World)
	if !ok {
		w = n.library.New()
	}
	return &nativeGame{world: w, portals: n.portals, starts: &n.starts}, nil
}

func (n *native) giveBack(g game) { n.worlds.Put(g.(*nativeGame).world) }

func (*native) discard(game) {}

func (*native) close() error { return nil }

// solution returns the simulator's own solution. Making it can take seconds.
func (n *native) solution(_ context.Context, p place, simplifications string) ([]string, error) {
	if path, ok := n.known.Load(p); ok {
		return path.([]string), nil
	}
	path, err, _ := n.making.Do(p.id(), func() (any, error) {
		return lab.GoldPath(p.task, p.variation, simplifications)
	})
	if err != nil {
		return nil, fmt.Errorf("sciworld: the solution of %s: %w", p.id(), err)
	}
	n.known.Store(p, path)
	return path.([]string), nil
}

// nativeGame is a game of our own simulator.
type nativeGame struct {
	world   *lab.World
	portals bool
	starts  *starts
	list    lab.ValidList // of what was valid after the last step
}

func (g *nativeGame) start(ctx context.Context, p place, simplifications string) (report, error) {
	key := startKey{p, simplifications}
	if s, ok := g.starts.get(key); ok {
		g.world = s.world.Fork()
		g.list = s.list.In(g.world)
		return s.report, ctx.Err()
	}
	again := !g.starts.isNew(key)
	r, err := g.load(ctx, p, simplifications)
	if err == nil && again {
		w := g.world.Fork()
		g.starts.keep(key, started{w, g.list.In(w), r})
	}
	return r, err
}

// load loads a task and looks around.
func (g *nativeGame) load(ctx context.Context, p place, simplifications string) (report, error) {
	if trouble := g.world.Load(p.task, p.variation, simplifications); trouble != "" {
		return report{}, fmt.Errorf("sciworld: %s cannot be loaded: %s", p.id(), trouble)
	}
	if g.portals {
		g.world.AnswerPortals()
	}
	return g.act(ctx, "look around")
}

func (g *nativeGame) act(ctx context.Context, action string) (report, error) {
	if err := ctx.Err(); err != nil {
		return report{}, err
	}
	w := g.world
	r := report{observation: w.Step(action), score: w.Score(), completed: w.Completed(), moves: w.Moves()}
	// The Python package looks around and at the inventory and the task, which
	// draws nothing, and then lists the valid actions, which does.
	g.list = w.DrawValidActions()
	return r, nil
}

func (g *nativeGame) inventory(context.Context) (string, error) { return g.world.Inventory(), nil }

func (g *nativeGame) description(context.Context) (string, error) { return g.world.Description(), nil }

func (g *nativeGame) forms(context.Context) ([]string, error) { return g.world.PossibleActions(), nil }

func (g *nativeGame) objects(context.Context) ([]string, error) {
	return g.world.PossibleObjects(), nil
}

func (g *nativeGame) goals(context.Context) (string, error) { return g.world.Progress(), nil }

// errNoTree: the simulator's tree of objects came with version 1.2.
var errNoTree = errors.New("sciworld: ScienceWorld " + nativeVersion +
	", which heldout's own simulator is, has no object tree; give a simulator of version 1.2 or later with " +
	"--sciworld-jar")

func (g *nativeGame) tree(context.Context) (string, error) { return "", errNoTree }

func (g *nativeGame) valid(context.Context) ([]string, error) { return g.list.Sorted(), nil }

func (g *nativeGame) judge(_ context.Context, action string) (bool, error) {
	return g.world.DrawValidActions().Has(action), nil
}

// nativeWorld is a world of our own simulator. It can do more than a world of the
// official simulator.
type nativeWorld struct{ *world }

// moment is a snapshot of a world.
type moment struct {
	world world
	lab   *lab.Snapshot
	list  lab.ValidList
}

var errNotRunning = errors.New("sciworld: the world is not running")

// Snapshot implements envs.Snapshotter.
func (w *nativeWorld) Snapshot() (any, error) {
	g, ok := w.game.(*nativeGame)
	if !ok {
		return nil, errNotRunning
	}
	return &moment{w.world.copied(), g.world.Snapshot(), g.list}, nil
}

// Restore implements envs.Snapshotter.
func (w *nativeWorld) Restore(snapshot any) error {
	m, ok := snapshot.(*moment)
	if !ok {
		return fmt.Errorf("sciworld: a %T is no snapshot of this environment", snapshot)
	}
	g, ok := w.game.(*nativeGame)
	if !ok {
		return errNotRunning
	}
	*w.world = m.world.copied()
	w.game = g
	g.world.Restore(m.lab)
	g.list = m.list
	return nil
}

// Fork returns a world that goes on from the present moment by itself.
func (w *nativeWorld) Fork() (envs.World, error) {
	g, ok := w.game.(*nativeGame)
	if !ok {
		return nil, errNotRunning
	}
	out := w.world.copied()
	fork := &nativeGame{world: g.world.Fork(), portals: g.portals, starts: g.starts}
	fork.list = g.list.In(fork.world)
	out.game = fork
	return &nativeWorld{&out}, nil
}

// Inspect implements envs.Inspector: it shows the tree of objects.
func (w *nativeWorld) Inspect() (string, error) {
	g, ok := w.game.(*nativeGame)
	if !ok {
		return "", errNotRunning
	}
	return g.world.Tree(), nil
}
