package calls

import (
	"context"
	"errors"
	"fmt"
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
	var failed atomic.Int64
	workers, ctx := errgroup.WithContext(ctx)
	workers.SetLimit(max(1, concurrency))
	for i := range n {
		workers.Go(func() error {
			err := ctx.Err()
			if err == nil {
				err = piece(ctx, i)
			}
			if err == nil {
				return nil
			}
			if err = b.fatal(err); err == nil {
				failed.Add(1)
			}
			return err
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
		if n := b.refused.Add(1); n >= mostRefusals && !b.answered.Load() {
			return fmt.Errorf("the first %d calls were all refused: %w", n, err)
		}
		return nil
	case errors.As(err, new(*model.ContextError)), errors.As(err, new(*model.UnavailableError)):
		return nil
	}
	return err
}

// mostRefusals is the number of calls that may be refused before one is answered.
const mostRefusals = 8
