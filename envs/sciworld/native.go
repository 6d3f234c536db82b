package sciworld

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"sync"

	"golang.org/x/sync/singleflight"

	"heldout/envs"
	"heldout/envs/engine/scienceworld"
)

// nativeVersion is the version of the official simulator that ours answers like.
const nativeVersion = "1.1.3"

// native is our own simulator. Its games are values in this process, in any number.
type native struct {
	portals bool // looks at doors and drains are answered
	library *scienceworld.Library
	starts  starts
	making  singleflight.Group // of solutions
	known   sync.Map           // of solutions, by place
}

func (n *native) take(context.Context) (game, error) {
	return &nativeGame{library: n.library, portals: n.portals, starts: &n.starts}, nil
}

func (n *native) giveBack(g game) {
	if w := g.(*nativeGame).world; w != nil {
		w.Release()
	}
}

func (*native) discard(game) {}

func (*native) close() error { return nil }

// solution returns the simulator's own solution. Making it can take seconds.
func (n *native) solution(_ context.Context, p place, simplifications string) ([]string, error) {
	if path, ok := n.known.Load(p); ok {
		return path.([]string), nil
	}
	path, err, _ := n.making.Do(p.id(), func() (any, error) {
		return scienceworld.GoldPath(p.task, p.variation, simplifications)
	})
	if err != nil {
		return nil, fmt.Errorf("sciworld: the solution of %s: %w", p.id(), err)
	}
	n.known.Store(p, path)
	return path.([]string), nil
}

type nativeGame struct {
	library *scienceworld.Library
	world   *scienceworld.World // nil before the start, and until a game that begins with still goes on
	// still is the present moment that other games share; nil if none. It never changes.
	still   *scienceworld.World
	portals bool
	starts  *starts
	list    scienceworld.ValidList // of what was valid after the last step
}

func (g *nativeGame) start(ctx context.Context, p place, simplifications string) (report, error) {
	key := startKey{p, simplifications}
	if s, ok := g.starts.get(key); ok {
		g.still, g.list = s.world, s.list
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

// awake returns the world to go on with.
func (g *nativeGame) awake() *scienceworld.World {
	if g.world == nil {
		g.world = g.still.Fork()
		g.list = g.list.In(g.world)
	}
	return g.world
}

func (g *nativeGame) load(ctx context.Context, p place, simplifications string) (report, error) {
	g.world = g.library.New()
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
	w := g.awake()
	g.still = nil // it passes
	r := report{observation: w.Step(action), score: w.Score(), completed: w.Completed(), moves: w.Moves()}
	// The Python package looks around and at the inventory and the task, which
	// draws nothing, and then lists the valid actions, which does.
	g.list = w.DrawValidActions()
	return r, nil
}

func (g *nativeGame) inventory(context.Context) (string, error) { return g.awake().Inventory(), nil }

func (g *nativeGame) description(context.Context) (string, error) {
	return g.awake().Description(), nil
}

func (g *nativeGame) forms(context.Context) ([]string, error) {
	return g.awake().PossibleActions(), nil
}

func (g *nativeGame) objects(context.Context) ([]string, error) {
	return g.awake().PossibleObjects(), nil
}

func (g *nativeGame) goals(context.Context) (string, error) { return g.awake().Progress(), nil }

// errNoTree: the simulator's tree of objects came with version 1.2.
var errNoTree = errors.New("sciworld: ScienceWorld " + nativeVersion +
	", which heldout's own simulator is, has no object tree; give a simulator of version 1.2 or later with " +
	"--sciworld-jar")

func (g *nativeGame) tree(context.Context) (string, error) { return "", errNoTree }

func (g *nativeGame) valid(context.Context) ([]string, error) {
	g.awake()
	return g.list.Sorted(), nil
}

func (g *nativeGame) judge(_ context.Context, action string) (bool, error) {
	return g.awake().DrawValidActions().Has(action), nil
}

// nativeWorld can do more than a world of the official simulator.
type nativeWorld struct{ *world }

var errNotRunning = errors.New("sciworld: the world is not running")

// Fork implements envs.Forker. Forks share the present moment until they go on.
func (w *nativeWorld) Fork() (envs.World, error) {
	g, ok := w.game.(*nativeGame)
	if !ok {
		return nil, errNotRunning
	}
	if g.still == nil {
		g.still = g.world.Fork()
	}
	out := w.world.copied()
	out.game = &nativeGame{library: g.library, still: g.still, portals: g.portals, starts: g.starts, list: g.list}
	return &nativeWorld{&out}, nil
}

// AppendState implements envs.StateAppender. The simulator draws random numbers in
// every step, so its states seldom recur.
func (w *nativeWorld) AppendState(b []byte) ([]byte, error) {
	g, ok := w.game.(*nativeGame)
	if !ok {
		return b, errNotRunning
	}
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(w.last.Progress))
	for _, r := range w.reached {
		b = strconv.AppendBool(b, r)
	}
	return cmp.Or(g.world, g.still).AppendState(b), nil
}

// Inspect implements envs.Inspector: it shows the tree of objects.
func (w *nativeWorld) Inspect() (string, error) {
	g, ok := w.game.(*nativeGame)
	if !ok {
		return "", errNotRunning
	}
	return g.awake().Tree(), nil
}
