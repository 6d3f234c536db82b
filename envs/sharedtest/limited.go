package sharedtest

import (
	"context"
	"errors"
	"testing"
	"time"
)

// begin is when the tests began.
var begin = time.Now()

// Limited returns the context of a test, which ends after a third of the time that all tests have (go test
// -timeout). A test that waits for what never comes fails then, and can say for what.
func Limited(t testing.TB) context.Context {
	t.Helper()
	limited, ok := t.(interface{ Deadline() (time.Time, bool) })
	if !ok { // a benchmark
		return t.Context()
	}
	deadline, ok := limited.Deadline()
	if !ok {
		return t.Context()
	}
	ctx, cancel := context.WithTimeoutCause(t.Context(), deadline.Sub(begin)/3,
		errors.New("a third of the time of all tests is over"))
	t.Cleanup(cancel)
	return ctx
}
