//go:build !linux

package load

import "time"

// sleeper sleeps as the Go runtime does.
type sleeper struct{}

func newSleeper() (*sleeper, error) { return &sleeper{}, nil }

func (*sleeper) sleep(d time.Duration) error {
	time.Sleep(d)
	return nil
}

func (*sleeper) close() {}
