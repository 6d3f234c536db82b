package main

import (
	"context"
	"io"
	"os"
	"strings"

	"heldout/eval/scale/logging"
)

// trackers log a run to wandb and MLflow.
type trackers []*logging.Logger

// openTrackers starts what logs to the trackers of --log. An error says what is missing.
func (o *output) openTrackers(ctx context.Context, sys *system) (open trackers, err error) {
	for _, place := range o.logTo {
		var logger *logging.Logger
		if dir, ok := strings.CutPrefix(place, toTensorboard+":"); ok {
			err = usage(appendPoints(ctx, sys, dir, noLines))
		} else if logger, err = openTracker(ctx, sys, place); err == nil {
			open = append(open, logger)
		}
		if err != nil {
			open.close(ctx)
			return nil, err
		}
	}
	return open, nil
}

func openTracker(ctx context.Context, sys *system, place string) (*logging.Logger, error) {
	binary, python, err := sys.python()
	if err != nil {
		return nil, err
	}
	screen := sys.screen()
	logger, err := logging.Start(ctx, logging.Options{Python: python, Binary: binary, Place: place, Warn: screen.Warn,
		Say: screen.Say})
	return logger, usage(err)
}

// python returns this program, and the interpreter that has its Python package.
func (sys *system) python() (binary, python string, err error) {
	if binary, err = os.Executable(); err == nil {
		python, err = logging.Python(sys.getenv("HELDOUT_PYTHON"), binary)
		err = usage(err)
	}
	return binary, python, err
}

// pipe runs a command of the Python package on what is written to it, and returns the lines that it prints.
func (sys *system) pipe(ctx context.Context, write func(io.Writer) error, command ...string) ([]string, error) {
	binary, python, err := sys.python()
	if err != nil {
		return nil, err
	}
	return logging.Pipe(ctx, python, binary, write, command...)
}

func (t trackers) log(ctx context.Context, series bool, dirs ...string) {
	for _, logger := range t {
		logger.Log(ctx, series, dirs...)
	}
}

func (t trackers) close(ctx context.Context) {
	for _, logger := range t {
		logger.Close(ctx)
	}
}
