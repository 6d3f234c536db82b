package serve

import (
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

// of returns the recorder of a set. Protocol names apart what mounts of two protocols
// have in common.
func (r *recorders) of(m *Mount, set *Set, protocol string) (Recorder, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if kept := r.opened[set]; kept != nil {
		return kept, nil
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
	kept, err := r.open(name, m, set)
	if err != nil {
		return nil, fmt.Errorf("episodes cannot be recorded: %w", err)
	}
	r.opened[set] = kept
	return kept, nil
}

// close closes all recorders.
func (r *recorders) close() (errs []error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	for _, kept := range r.opened {
		errs = append(errs, kept.Close())
	}
	return errs
}

// recording is an episode that is being recorded.
type recording struct {
	to        Recorder
	task      envs.Task
	stepLimit int
	log       episode.Log
	size      int // bytes of texts
	over      bool
}

// maxRecording bounds the texts of an episode, in bytes.
const maxRecording = 8 << 20

// begin begins to record an episode.
func (r *recorders) begin(e *Episode, protocol string, start envs.Start) (*recording, error) {
	to, err := r.of(e.Mount, e.Set, protocol)
	if err != nil {
		return nil, err
	}
	limit := e.MaxSteps
	if limit < 0 {
		limit = math.MaxInt32 // none
	}
	rec := &record.Episode{Goal: start.Goal, Observation: start.Observation, Trajectory: []record.Step{}}
	rec.Started = r.now().UTC()
	return &recording{to: to, task: e.Task, stepLimit: limit, log: episode.Log{Episode: rec}}, nil
}

// add adds a step.
func (r *recording) add(move agent.Move, step envs.Step) {
	if r.size += len(move.Action) + len(step.Observation); r.size > maxRecording ||
		len(r.log.Episode.Trajectory) == record.MaxSteps {
		r.over = true // end says so
		return
	}
	r.log.Add(move, step)
}

// end writes an episode. The cause is what went wrong; nil for a result.
func (r *recording) end(outcome record.Outcome, cause error, now time.Time) error {
	if r.over {
		outcome, cause = record.Cancelled, fmt.Errorf(
			"the episode has more than %d steps or %d bytes of texts; later steps are not kept", record.MaxSteps,
			maxRecording)
	}
	r.log.Episode.Ended = now.UTC()
	r.log.End(outcome, cause)
	return r.to.Append(r.task, r.stepLimit, r.log.Episode)
}
