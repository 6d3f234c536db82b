package serve

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"heldout/envs"
	"heldout/eval/agent"
	"heldout/eval/episode"
	"heldout/scoring/record"
)

// Recorder keeps the episodes of a set of tasks.
type Recorder interface {
	// Append writes an attempt at a task. It is on disk when Append returns without
	// an error.
	Append(t envs.Task, stepLimit int, e *record.Episode) error
	// AppendFork does so with what was played from a fork, which is not an attempt at its
	// task.
	AppendFork(f *record.Fork) error
	Close() error
}

// recorders holds a recorder for every set that is played.
type recorders struct {
	open func(name string, m *Mount, set *Set) (Recorder, error)
	now  func() time.Time

	mu     sync.Mutex
	opened map[*Set]Recorder
	closed bool
}

// get returns the recorder of a set. Protocol names apart what mounts of two protocols
// have in common.
func (r *recorders) get(m *Mount, set *Set, protocol string) (Recorder, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if rec := r.opened[set]; rec != nil {
		return rec, nil
	}
	if r.closed {
		return nil, &EndedError{ShutDown}
	}
	name := m.Name
	if protocol == agentGym {
		name = agentGym + "-" + name
	}
	if set != m.sets[0] || set.Name != "test" && len(m.sets) > 1 {
		name += "-" + strings.ReplaceAll(set.Name, ":", "-")
	}
	rec, err := r.open(name, m, set)
	if err != nil {
		return nil, fmt.Errorf("episodes cannot be recorded: %w", err)
	}
	r.opened[set] = rec
	return rec, nil
}

func (r *recorders) close() (err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	for _, kept := range r.opened {
		err = errors.Join(err, kept.Close())
	}
	return err
}

type recording struct {
	recorder  Recorder
	task      envs.Task
	stepLimit int
	log       episode.Log
	size      int // bytes of texts and tokens
	tooLong   bool
	// branch is the name of the episode once it is forked. That of a fork has a parent,
	// from which it goes on after step.
	branch, parent string
	step           int
}

// fork returns the recording of a fork of the episode. A fork on which nothing was played
// has no line, so its own forks are those of its parent.
func (r *recording) fork(now time.Time) *recording {
	if r.branch == "" {
		r.branch = newBranch()
	}
	f := &recording{recorder: r.recorder, task: r.task, stepLimit: r.stepLimit, branch: newBranch(), parent: r.branch,
		step: r.step + len(r.log.Episode.Trajectory)}
	if r.parent != "" && f.step == r.step {
		f.parent = r.parent
	}
	f.log.Episode = &record.Episode{Trajectory: []record.Step{}}
	f.log.Episode.Started = now.UTC()
	return f
}

// newBranch names an episode among all forks.
func newBranch() string { return newID()[:16] }

// maxRecording bounds the texts of an episode, in bytes.
const maxRecording = 8 << 20

func (r *recorders) begin(e *EpisodeStart, protocol string, start envs.Start) (*recording, error) {
	recorder, err := r.get(e.Mount, e.Set, protocol)
	if err != nil {
		return nil, err
	}
	limit := e.MaxSteps
	if limit < 0 {
		limit = math.MaxInt32 // none
	}
	rec := &record.Episode{Trajectory: []record.Step{}}
	rec.Started = r.now().UTC()
	log := episode.Log{Episode: rec}
	log.Begin(start, e.Mount.Perturbation != "")
	return &recording{recorder: recorder, task: e.Task, stepLimit: limit, log: log}, nil
}

func (r *recording) add(move agent.Move, sampled Sampled, step envs.Step) {
	if r.size += len(move.Action) + len(step.Observation) + sampled.bytes(); r.size > maxRecording ||
		len(r.log.Episode.Trajectory) == record.MaxSteps {
		r.tooLong = true // end says so
		return
	}
	r.log.Add(move, step)
	last := &r.log.Episode.Trajectory[len(r.log.Episode.Trajectory)-1]
	last.TokenIDs, last.Logprobs = sampled.TokenIDs, sampled.Logprobs
}

// end writes an episode. The cause is what went wrong; nil for a result.
func (r *recording) end(outcome record.Outcome, cause error, now time.Time) error {
	if r.tooLong {
		outcome, cause = record.Cancelled, fmt.Errorf(
			"the episode has more than %d steps or %d bytes of texts; later steps are not kept", record.MaxSteps,
			maxRecording)
	}
	r.log.Episode.Ended = now.UTC()
	r.log.End(outcome, cause)
	e := r.log.Episode
	if r.parent == "" {
		e.Branch = r.branch
		return r.recorder.Append(r.task, r.stepLimit, e)
	}
	return r.recorder.AppendFork(&record.Fork{
		Branch: r.branch, Parent: r.parent, Step: r.step, Task: r.task.ID, StepLimit: r.stepLimit, Outcome: e.Outcome,
		Error: e.Error, Success: e.Success, Progress: e.Progress, Started: e.Started, Ended: e.Ended,
		Trajectory: e.Trajectory,
	})
}
