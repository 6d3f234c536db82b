// Package checkpoints plays the checkpoints of a training one after the other, each on a
// server that it starts and stops.
package checkpoints

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"heldout/envs"
	"heldout/eval/bench"
	"heldout/eval/model"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// Series says which checkpoints are played, and how they are served.
type Series struct {
	Pattern string // the pattern of the checkpoints' names, as filepath.Glob reads it
	// Command serves a checkpoint: a command of the shell in which {} stands for the path of
	// the checkpoint, as a word, and {port} for the port.
	Command string
	// Follow goes on with checkpoints that appear later.
	Follow  bool
	Outside bench.Outside
	Screen  bench.Screen
	// Prepare sets up the run of a checkpoint, whose server has that address.
	Prepare func(c Checkpoint, address string) (*bench.Job, error)
	Report  func(dir string) error // told the directory of each run that was played
	Pace    time.Duration          // the time between two looks for checkpoints, by default 5 seconds

	states    map[string]fingerprint // by path
	attempted map[string]bool
	printed   map[string]bool // lines that are said once
	dirs      []string        // run directories
	failed    []string        // why checkpoints were not played to the end
}

// UnplayedError says which checkpoints were not played to the end.
type UnplayedError struct {
	// Reasons begin with the names of the checkpoints. Total counts those that were tried.
	Reasons []string
	Total   int
}

// Error implements error.
func (e *UnplayedError) Error() string {
	share := fmt.Sprintf("of %d checkpoints", e.Total)
	return fmt.Sprintf("%s again\n%s", table.Counted(len(e.Reasons),
		share+" was not played to the end; the same command tries it",
		share+" were not played to the end; the same command tries them"),
		strings.Join(e.Reasons, "\n"))
}

// patience is how long a server may take to load a checkpoint if --set wait-for-servers does not say it.
const patience = 30 * time.Minute

// Check reports what is wrong with pattern and command.
func (s *Series) Check() error {
	if _, err := find(s.Pattern); err != nil {
		return err
	}
	for _, part := range []string{"{}", "{port}"} {
		if !strings.Contains(s.Command, part) {
			return fmt.Errorf("--serve %q has no %s: write it as 'vllm serve {} --port {port}'", s.Command, part)
		}
	}
	return nil
}

// Found lists the checkpoints that are there, in natural order. None is an error.
func (s *Series) Found() ([]Checkpoint, error) {
	found, err := find(s.Pattern)
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("no checkpoint matches %s", s.Pattern)
	}
	return found, err
}

// Play plays the checkpoints that have no complete run yet. It returns the run directories of all, in natural order
// of the checkpoints as long as none appears late. A checkpoint that cannot be played does not keep the next from
// being played; an *UnplayedError names it. With Follow, only ctx ends it.
func (s *Series) Play(ctx context.Context) (dirs []string, err error) {
	s.Pace = cmp.Or(s.Pace, 5*time.Second)
	s.states, s.attempted, s.printed = map[string]fingerprint{}, map[string]bool{}, map[string]bool{}
	for {
		next, wait, err := s.next()
		switch {
		case err != nil:
			return s.dirs, err
		case next != nil:
			s.attempted[next.Path] = true
			err = s.playCheckpoint(ctx, *next)
		case wait:
			err = model.Pause(ctx, s.Pace)
		case len(s.failed) > 0:
			return s.dirs, &UnplayedError{s.failed, len(s.attempted)}
		default:
			return s.dirs, nil
		}
		switch {
		case ctx.Err() != nil:
			return s.dirs, errors.New("stopped; what is finished is kept, and the same command continues")
		case errors.As(err, new(bench.ConfigError)):
			return s.dirs, err
		case err != nil:
			s.fail(*next, err.Error())
		}
	}
}

// fail notes why a checkpoint is not played.
func (s *Series) fail(c Checkpoint, cause string) {
	s.failed = append(s.failed, c.Name+": "+cause)
	s.Screen.Warn(c.Name + ": " + cause)
}

// next returns the first checkpoint that is complete and was not tried; nil for none. wait
// says that others may be complete later.
func (s *Series) next() (next *Checkpoint, wait bool, err error) {
	found, err := find(s.Pattern)
	if err == nil && len(found) == 0 && !s.Follow {
		_, err = s.Found()
	}
	if err != nil {
		return nil, false, bench.Misconfigured(err)
	}
	now := s.Outside.Now()
	for _, c := range found {
		if s.attempted[c.Path] {
			continue
		}
		s.states[c.Path] = c.look(s.states[c.Path], now)
		young, lacks := now.Sub(s.states[c.Path].since) < settled, c.lacks()
		switch {
		case young:
			s.once("%s has changed less than %v ago; it is played when it is complete", c.Path, settled)
			wait = true
		case lacks == "":
			return &c, false, nil
		case s.Follow:
			s.once("%s is not complete: %s", c.Path, lacks)
		default:
			s.attempted[c.Path] = true
			s.fail(c, "it is not complete: "+lacks)
		}
	}
	if s.Follow {
		s.once("%s played; waiting for more: %s", table.Counted(len(s.attempted), "checkpoint is", "checkpoints are"),
			s.Pattern)
	}
	return nil, wait || s.Follow, nil
}

// once says a line, unless it is said already.
func (s *Series) once(format string, args ...any) {
	if line := fmt.Sprintf(format, args...); !s.printed[line] {
		s.printed[line] = true
		s.say("%s", line)
	}
}

// say shows a line, which may have names of files.
func (s *Series) say(format string, args ...any) {
	s.Screen.Say(table.Printable(fmt.Sprintf(format, args...)))
}

// Dirs are the directories of the runs that are over.
func (s *Series) Dirs() []string { return slices.Clone(s.dirs) }

// playCheckpoint plays a checkpoint, unless its run is complete.
func (s *Series) playCheckpoint(ctx context.Context, c Checkpoint) error {
	port, err := freePort()
	if err != nil {
		return err
	}
	job, err := s.Prepare(c, fmt.Sprintf("http://127.0.0.1:%d/v1", port))
	if err != nil {
		return bench.Misconfigured(err)
	}
	defer job.Close()
	defer func() {
		if record.IsRun(job.Dir) {
			s.dirs = append(s.dirs, job.Dir)
		}
	}()
	if job.Finished() {
		s.say("%s is played: %s", c.Name, job.Dir)
		return nil
	}
	command := strings.NewReplacer("{}", quoted(c.Path), "{port}", strconv.Itoa(port)).Replace(s.Command)
	s.say("%s: %s", c.Name, command)
	warn := func(line string) { s.Screen.Warn(c.Name + ": " + line) }
	served, err := serve(command, job.Dir, warn)
	if err != nil {
		return err
	}
	playing, stop := context.WithCancelCause(ctx)
	var keeping sync.WaitGroup
	keeping.Go(func() { stop(served.keep(playing)) })
	err = s.play(playing, job, warn)
	stop(nil)
	keeping.Wait()
	if cause := context.Cause(playing); ctx.Err() == nil && !errors.Is(cause, context.Canceled) {
		return cause
	}
	return err
}

// play waits for the server of a job, says what heldout doctor finds wrong with it, and plays.
// Whether it plays is left to the run, as without checkpoints.
func (s *Series) play(ctx context.Context, job *bench.Job, warn func(string)) error {
	job.Config.WaitForServers = cmp.Or(job.Config.WaitForServers, patience)
	if _, err := job.Served[0].Fleet.Await(ctx, job.Config.WaitForServers); err != nil {
		return err
	}
	doctor := bench.Doctor{Outside: s.Outside, Server: func(string) {}, Tell: func(c envs.Check) {
		line := c.Name + ": " + c.Text
		if bad := c.Status == envs.CheckFail || c.Status == envs.CheckWarn; bad && !s.printed[line] {
			s.printed[line] = true // most are the same for all checkpoints
			warn(line)
		}
	}}
	doctor.Servers(ctx, job)
	if err := job.Play(ctx, s.Screen); err != nil {
		return err
	}
	return s.Report(job.Dir)
}
