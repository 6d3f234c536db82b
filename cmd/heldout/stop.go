package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// stopped is why a context has ended: a signal came, or the process that started this one
// has ended, which is as if Ctrl-C was pressed.
type stopped struct{ signal syscall.Signal }

// Error implements error.
func (s stopped) Error() string { return "stopped by a signal: " + s.signal.String() }

// Is reports that a stop is a kind of cancellation.
func (s stopped) Is(target error) bool { return target == context.Canceled }

// stopCode is the exit code of a command that was stopped, also if it came to its end
// meanwhile: 130 after Ctrl-C, 143 after SIGTERM.
func stopCode(ctx context.Context) int {
	if s, ok := errors.AsType[stopped](context.Cause(ctx)); ok {
		return 128 + int(s.signal)
	}
	return exitInterrupted
}

// stoppable returns a context that ends with the first signal, or with the process whose
// id parent is, unless that is 0. A second signal ends the process at once.
func stoppable(parent int) context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, stopSignals()...)
	go func() {
		s := <-signals
		signal.Stop(signals)
		cancel(stopped{s.(syscall.Signal)})
	}()
	if parent != 0 {
		go func() {
			awaitEnd(parent)
			signals <- syscall.SIGINT
		}()
	}
	return ctx
}

// stopSignals are the signals that end a command in good order. A hang-up of the
// terminal is one of them, unless the process ignores it, as under nohup.
func stopSignals() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}

// grace is how long a command may take to end after a signal.
const grace = 1500 * time.Millisecond

// inTime runs a command, and leaves it once its context has ended and grace is over. What
// commands write is whole at every moment, so this harms as little as a kill does.
func inTime(ctx context.Context, command func() error) error {
	ended := make(chan error, 1)
	go func() { ended <- command() }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-ended:
		return err
	case <-time.After(grace):
		return context.Cause(ctx)
	}
}
