package logging

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// Pipe runs a command of the Python package that reads what write writes, and returns the lines that it
// prints. The error is the last line of its standard error, or says what has to be installed.
func Pipe(ctx context.Context, python, binary string, write func(io.Writer) error, arguments ...string) (
	lines []string, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := exec.CommandContext(ctx, python, append([]string{"-m", "heldout"}, arguments...)...)
	cmd.Cancel = func() error { kill(cmd); return nil }
	var last lastLine
	var input io.WriteCloser
	output, err := start(cmd, binary, &last, &input)
	if err != nil {
		return nil, fmt.Errorf("%s does not start: %w", python, err)
	}
	sent := make(chan error, 1)
	go func() {
		buffer := bufio.NewWriter(input)
		err := write(buffer)
		if err == nil {
			err = buffer.Flush()
		}
		if err != nil {
			cancel() // or it would take a part for the whole
		}
		input.Close()
		sent <- err
	}()
	for printed := bufio.NewScanner(output); printed.Scan(); {
		lines = append(lines, printed.Text())
	}
	err = cmd.Wait()
	failed := <-sent
	switch {
	case failed != nil && !errors.Is(failed, syscall.EPIPE) && !errors.Is(failed, os.ErrClosed): // it had ended
		return nil, failed
	case err != nil:
		return nil, fmt.Errorf("%s: %s", python, lacking(last.String()))
	}
	return lines, nil
}

// lacking is the last line of a process, or what has to be installed first.
func lacking(last string) string {
	if strings.Contains(last, "No module named heldout") {
		return "the package heldout is not installed there: pip install a wheel of it (heldout help python)"
	}
	return strings.TrimPrefix(last, "heldout: ")
}
