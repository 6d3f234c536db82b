package sciworld

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// pool keeps simulators for reuse: a new world loads everything anew (§5). It
// starts them when they are needed and never has more than its size. It is safe
// for concurrent use.
type pool struct {
	launch func(context.Context) (*simulator, error)
	slots  chan struct{} // holds one for each simulator in use

	mu     sync.Mutex
	idle   []*simulator
	all    map[*simulator]bool
	closed bool
}

func newPool(launch func(context.Context) (*simulator, error), size int) *pool {
	return &pool{launch: launch, slots: make(chan struct{}, size), all: map[*simulator]bool{}}
}

var errClosed = errors.New("sciworld: the environment is closed")

// take returns a free simulator. The caller gives it back, or discards it.
func (p *pool) take(ctx context.Context) (*simulator, error) {
	select {
	case p.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, fmt.Errorf("sciworld: all virtual machines are in use, jvms allows %d: %w", cap(p.slots), ctx.Err())
	}
	s, err := p.ready(ctx)
	if err != nil {
		<-p.slots
	}
	return s, err
}

// ready returns an idle simulator that still runs, or a new one.
func (p *pool) ready(ctx context.Context) (*simulator, error) {
	for {
		s, err := p.unused()
		if err != nil {
			return nil, err
		}
		if s == nil {
			break
		}
		if s.alive() {
			return s, nil
		}
		p.end(s)
	}
	s, err := p.launch(ctx)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, errors.Join(errClosed, s.end())
	}
	p.all[s] = true
	return s, nil
}

// unused takes an idle simulator; nil if there is none.
func (p *pool) unused() (*simulator, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, errClosed
	}
	if len(p.idle) == 0 {
		return nil, nil
	}
	last := len(p.idle) - 1
	s := p.idle[last]
	p.idle = p.idle[:last]
	return s, nil
}

// giveBack returns a simulator that can be used again.
func (p *pool) giveBack(s *simulator) {
	p.mu.Lock()
	if !p.closed {
		p.idle = append(p.idle, s)
	}
	p.mu.Unlock()
	<-p.slots
}

func (p *pool) discard(s *simulator) {
	p.end(s)
	<-p.slots
}

// end ends a simulator, unless the pool has ended it already.
func (p *pool) end(s *simulator) {
	p.mu.Lock()
	known := p.all[s]
	delete(p.all, s)
	p.mu.Unlock()
	if known {
		s.end() // nothing can be done about its error: a folder may stay until the environment is closed
	}
}

// close ends all simulators, including those in use. take then fails.
func (p *pool) close() error {
	p.mu.Lock()
	p.closed = true
	all := p.all
	p.all, p.idle = map[*simulator]bool{}, nil
	p.mu.Unlock()
	var errs []error
	for s := range all {
		errs = append(errs, s.end())
	}
	return errors.Join(errs...)
}
