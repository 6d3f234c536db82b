package calls

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"heldout/eval/fleet"
	"heldout/eval/model"
)

// Work does n pieces of work, numbered from 0, at most so many at a time, in the
// order of their numbers. A piece that fails because a call has no reply does not
// stop the others; missing counts those. An error that would stop every further
// call, such as an unknown model or a full disk, ends the work, as the end of ctx
// does.
func (b *Book) Work(ctx context.Context, n, concurrency int, piece func(ctx context.Context, i int) error) (missing int,
	err error) {
	var next, failed atomic.Int64
	workers, ctx := errgroup.WithContext(ctx)
	for range min(n, concurrency) {
		workers.Go(func() error {
			for {
				i := int(next.Add(1)) - 1
				if i >= n || ctx.Err() != nil {
					return ctx.Err()
				}
				err := piece(ctx, i)
				if err == nil {
					continue
				}
				if err := b.fatal(err); err != nil {
					return err
				}
				failed.Add(1)
			}
		})
	}
	err = workers.Wait()
	return int(failed.Load()), err
}

// fatal returns the error after which no further call should be made; nil if others
// may succeed.
func (b *Book) fatal(err error) error {
	switch refused, isRefusal := errors.AsType[*model.RequestError](err); {
	case errors.As(err, new(*fleet.LostError)), isRefusal && refused.Fatal():
		return err
	case isRefusal:
		return b.refused.add(err)
	case errors.As(err, new(*model.ContextError)), errors.As(err, new(*model.UnavailableError)):
		return nil
	}
	return err
}

// refusals counts calls that a server refused because of their content, until it
// answers one.
type refusals struct {
	mu       sync.Mutex
	n        int
	answered bool // some call was
}

// mostRefusals is the number of calls that may be refused before one is answered.
const mostRefusals = 8

func (r *refusals) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answered = true
}

// add counts a refusal. The error says that all calls so far were refused.
func (r *refusals) add(err error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.n++
	if r.answered || r.n < mostRefusals {
		return nil
	}
	return fmt.Errorf("the first %d calls were all refused: %w", r.n, err)
}
