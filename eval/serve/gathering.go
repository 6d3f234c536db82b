package serve

import "sync"

// gathering counts those present. Others may come while somebody waits until all
// are gone.
type gathering struct {
	mu    sync.Mutex
	n     int
	empty *sync.Cond
}

func newGathering() *gathering {
	g := &gathering{}
	g.empty = sync.NewCond(&g.mu)
	return g
}

func (g *gathering) enter() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.n++
}

func (g *gathering) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.n--; g.n == 0 {
		g.empty.Broadcast()
	}
}

func (g *gathering) wait() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.n > 0 {
		g.empty.Wait()
	}
}
