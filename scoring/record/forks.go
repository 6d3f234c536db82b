package record

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"
)

// forksFile holds the episodes that were played from forks. No table reads it: a fork is not a
// trial of its task, because it begins in the middle of another episode.
const forksFile = "forks.jsonl"

// Fork is one line of forks.jsonl: what was played from a fork of an episode of this run, or of another fork.
type Fork struct {
	Schema int `json:"schema"`
	// Branch is the fork's own name, Parent the branch of the episode or of the fork that it
	// was made of, and Step the number of steps of the episode before it. A parent that was
	// not played to an end that is recorded has no line.
	Branch    string  `json:"branch"`
	Parent    string  `json:"parent"`
	Step      int     `json:"step"`
	Task      string  `json:"task"`       // the ID of the task
	StepLimit int     `json:"step_limit"` // for the whole episode, with the steps before the fork
	Outcome   Outcome `json:"outcome"`    // cancelled if the fork was closed before the end of its episode
	// Error says what went wrong when there is no result.
	Error    string    `json:"error,omitempty"`
	Success  bool      `json:"success"`
	Progress float64   `json:"progress"`
	Started  time.Time `json:"started"`
	Ended    time.Time `json:"ended"`
	// Trajectory holds the steps after the fork.
	Trajectory []Step `json:"trajectory"`
	Checksum   string `json:"checksum,omitempty"` // the last field of the line, as of Episode
}

func (f *Fork) check() error {
	switch {
	case f.Branch == "" || f.Parent == "" || f.Branch == f.Parent:
		return fmt.Errorf("branch %q, parent %q: want two names", f.Branch, f.Parent)
	case f.Step < 0 || f.Step > MaxSteps:
		return fmt.Errorf("step: %d is outside of 0 to %d", f.Step, MaxSteps)
	case !f.Outcome.valid():
		return fmt.Errorf("outcome: unknown outcome %q", f.Outcome)
	case f.Success != (f.Outcome == Success):
		return fmt.Errorf("success: outcome %s contradicts success %v", f.Outcome, f.Success)
	case !fraction(f.Progress):
		return fmt.Errorf("progress: %v is outside of [0,1]", f.Progress)
	case len(f.Trajectory) == 0:
		return errors.New("trajectory: nothing was played")
	}
	return nil
}

// forks is the file of forks, once there are any.
type forks struct {
	mu   sync.Mutex
	file *appender
}

// AppendFork writes what was played from a fork, as Append does.
func (s *Store) AppendFork(f *Fork) error {
	f.Schema = Schema
	if err := f.check(); err != nil {
		return err
	}
	file, err := s.forksFile()
	if err != nil {
		return err
	}
	return file.add(f)
}

// forksFile opens the file of forks when it is first needed. The lock of the directory is the store's.
func (s *Store) forksFile() (*appender, error) {
	s.forks.mu.Lock()
	defer s.forks.mu.Unlock()
	if s.forks.file != nil {
		return s.forks.file, nil
	}
	a := &appender{dir: s.dir, name: filepath.Join(s.dir, forksFile), base: forksFile, noun: "forks", disk: s.disk}
	err := a.openFile()
	if err == nil {
		err = a.resume(checking, func(*scanned) error { return nil })
	}
	if err != nil {
		return nil, errors.Join(err, a.release())
	}
	s.forks.file = a
	return a, nil
}

// Close ends the work on the directory, as an appender's Close does.
func (s *Store) Close() error {
	s.forks.mu.Lock()
	defer s.forks.mu.Unlock()
	var err error
	if s.forks.file != nil {
		err = s.forks.file.Close()
	}
	return errors.Join(err, s.Replies.close(), s.appender.Close())
}
