//go:build !unix

// Package process runs shell commands that end with this process, with all that they start.
package process

import (
	"errors"
	"os"
	"time"
)

// Process is a command with all that it starts.
type Process struct{ Exited chan struct{} }

// Streams are the standard streams of a command.
type Streams struct{ In, Out, Err *os.File }

// Start reports that there is no shell.
func Start(string, Streams) (*Process, error) {
	return nil, errors.New("commands need a system with the shell sh, such as Linux or macOS")
}

// Ended says nothing.
func (*Process) Ended() string { return "" }

// Stop does nothing.
func (*Process) Stop(time.Duration) {}
