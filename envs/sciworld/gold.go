package sciworld

import (
	"context"
	"sync"
)

// goldPaths are the simulator's own solutions. They come from a separate machine.
// After a request for a solution, a machine makes another solution at every
// reset, which is slow and draws random numbers (§7.10a).
type goldPaths struct {
	machines *pool // of one

	mu    sync.Mutex
	known map[place][]string
}

func newGoldPaths(machines *pool) *goldPaths {
	return &goldPaths{machines: machines, known: map[place][]string{}}
}

func (g *goldPaths) path(ctx context.Context, p place, simplifications string) ([]string, error) {
	if path, ok := g.find(p); ok {
		return path, nil
	}
	sim, err := g.machines.take(ctx)
	if err != nil {
		return nil, err
	}
	if path, ok := g.find(p); ok { // while waiting
		g.machines.giveBack(sim)
		return path, nil
	}
	err = sim.load(ctx, p, simplifications, true)
	var path []string
	if err == nil {
		path, err = sim.list(ctx, "getGoldActionSequence")
	}
	if err != nil {
		g.machines.discard(sim)
		return nil, err
	}
	g.machines.giveBack(sim)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.known[p] = path
	return path, nil
}

func (g *goldPaths) find(p place) ([]string, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	path, ok := g.known[p]
	return path, ok
}
