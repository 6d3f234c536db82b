package fleet

import (
	"context"
	"errors"
	"fmt"
	"time"

	"heldout/eval/model"
	"heldout/scoring/record"
)

// Await asks the servers about themselves, as Server does, again and again for so long while all of them answer as
// one that still loads its model: nobody is at the address, or it is not ready. Any other answer ends it.
func (f *Fleet) Await(ctx context.Context, patience time.Duration) (about record.ServerReport, err error) {
	if patience <= 0 {
		return f.server(ctx)
	}
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cause := ""
	for {
		about, err = f.server(waiting)
		var stopped *model.StoppedError
		switch {
		case ctx.Err() != nil:
			return about, ctx.Err()
		case errors.As(err, &stopped):
			cause = stopped.Last
		case waiting.Err() == nil && !Unready(err):
			return about, err
		case waiting.Err() == nil && cause == "":
			f.tell("waits for its model servers, at most %v: %v", patience, err)
			fallthrough
		case waiting.Err() == nil || cause == "":
			cause = err.Error()
		}
		if model.Pause(waiting, f.o.Pace); waiting.Err() != nil {
			return about, &unreadyError{patience, cause}
		}
	}
}

// unreadyError reports that no server was ready in time.
type unreadyError struct {
	patience time.Duration
	cause    string
}

// Error implements error.
func (e *unreadyError) Error() string {
	return fmt.Sprintf("no model server was ready after %v (--set wait-for-servers): %s", e.patience, e.cause)
}

// Unready reports whether an error of Server says that a server is not there or not
// ready, rather than that it would refuse the run.
func Unready(err error) bool {
	return errors.As(err, new(*model.UnavailableError)) || errors.As(err, new(*unreadyError))
}
