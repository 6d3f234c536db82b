package serve

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"heldout/envs"
	"heldout/eval/agent"
	"heldout/eval/episode"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// Recorder keeps the episodes of a set of tasks.
type Recorder interface {
	// Append writes an attempt at a rollout of a task, counted from 0; below 0 it is the next
	// one. It is on disk when Append returns without an error.
	Append(t envs.Task, stepLimit, rollout int, e *record.Episode) error
	// Finished reports whether a rollout of a task has a result.
	Finished(t envs.Task, stepLimit, rollout int) bool
	// Results counts the rollouts that have one.
	Results() int
	// AppendFork does so with what was played from a fork, which is not an attempt at its task.
	AppendFork(f *record.Fork) error
	Close() error
}

// recorders holds a recorder for every set that is played.
type recorders struct {
	open func(name string, m *Mount, set *Set) (Recorder, error)

	mu     sync.Mutex
	opened map[*Set]Recorder
	closed bool
}

// get returns the recorder of a set.
func (r *recorders) get(m *Mount, set *Set) (Recorder, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if rec := r.opened[set]; rec != nil {
		return rec, nil
	}
	if r.closed {
		return nil, &EndedError{ShutDown}
	}
	rec, err := r.open(m.recordingName(set), m, set)
	if err != nil {
		return nil, fmt.Errorf("episodes cannot be recorded: %w", err)
	}
	r.opened[set] = rec
	return rec, nil
}

// recordingName is what the recording of a set is called. AgentGym's mounts may have the names of others.
func (m *Mount) recordingName(set *Set) string {
	name := m.Name
	if m.gym {
		name = agentGym + "-" + name
	}
	if set != m.sets[0] || set.Name != "test" && len(m.sets) > 1 {
		name += "-" + strings.ReplaceAll(set.Name, ":", "-")
	}
	return name
}

// Resume opens the recordings that are there already, so that one of another player is refused before anything is
// played. It returns lines about recordings that whoever started the server should see: how far each is.
func (s *Server) Resume() (notices []string, err error) {
	mounts := slices.Concat(s.options.Mounts, table.Each(s.options.Gyms, func(g *Gym) *Mount { return g.Mount }))
	for _, m := range mounts {
		for _, set := range m.sets {
			if name := m.recordingName(set); s.table.recorders != nil && s.options.Recorded(name) {
				if err := s.resume(m, set, name); err != nil {
					return nil, err
				}
			}
		}
	}
	return s.options.Notices, nil
}

func (s *Server) resume(m *Mount, set *Set, name string) error {
	if err := set.open(); err != nil {
		return err
	}
	rec, err := s.table.recorders.get(m, set)
	if err != nil {
		return err
	}
	unplayed := 0
	for _, t := range set.Tasks {
		if !rec.Finished(t, m.limit(set, t), 0) {
			unplayed++
		}
	}
	if n := rec.Results(); n > 0 {
		s.options.Notices = append(s.options.Notices, fmt.Sprintf("%s goes on: results of %s are there, and %s "+
			"none yet; an episode that is played again keeps its first result", name, table.Counted(n, "episode"),
			table.Counted(unplayed, fmt.Sprintf("of %d tasks has", len(set.Tasks)),
				fmt.Sprintf("of %d tasks have", len(set.Tasks)))))
	}
	return nil
}

// unplayedTasks asks for what a recording lacks: rollouts of each task of a split, 1 if Seeds
// says nothing, with the step limit of the mount unless another one is given.
type unplayedTasks struct {
	pipeTasks
	Seeds     int `json:"seeds"`
	StepLimit int `json:"step_limit"`
}

// unplayedTask is what a reset takes to play it.
type unplayedTask struct {
	TaskID    string `json:"task_id"`
	Split     string `json:"split"`
	Rollout   int    `json:"rollout"`
	StepLimit int    `json:"step_limit,omitzero"`
}

// unplayed lists the rollouts that have no result, by seed and task.
func (s *Server) unplayed(q *unplayedTasks) (any, error) {
	m, err := s.mountOr(q.Env)
	switch {
	case err != nil:
		return nil, err
	case s.table.recorders == nil:
		return nil, &ChoiceError{"left", "nothing is recorded, so nothing says what is left: give --record DIR"}
	case q.Seeds < 0 || q.Seeds > maxRollouts || q.StepLimit < 0:
		return nil, &ChoiceError{"seeds", fmt.Sprintf("seeds is %d, want 1 to %d", q.Seeds, maxRollouts)}
	}
	set, err := m.Set(q.Split)
	if err != nil {
		return nil, err
	}
	rec, err := s.table.recorders.get(m, set)
	if err != nil {
		return nil, err
	}
	left := []unplayedTask{}
	for rollout := range max(1, q.Seeds) {
		for _, t := range set.Tasks {
			if !rec.Finished(t, cmp.Or(q.StepLimit, m.limit(set, t)), rollout) {
				left = append(left, unplayedTask{t.ID, set.Name, rollout, q.StepLimit})
			}
		}
	}
	return map[string]any{"left": left}, nil
}

// maxRollouts is the largest number of rollouts of a task that a client can choose from.
const maxRollouts = 1000

// close closes the recorders; nil has none.
func (r *recorders) close() (err error) {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	for _, recorder := range r.opened {
		err = errors.Join(err, recorder.Close())
	}
	return err
}

type recording struct {
	recorder  Recorder
	task      envs.Task
	stepLimit int
	rollout   int // below 0 for the next one
	log       episode.Log
	size      int // bytes of texts and tokens
	tooLong   bool
	// branch is the name of the episode once it is forked. That of a fork has a parent,
	// from which it goes on after step.
	branch, parent string
	step           int
}

// fork returns the recording of a fork of the episode. A fork on which nothing was played
// has no line, so its own forks count as its parent's.
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

func (r *recorders) begin(e *EpisodeStart, start envs.Start, now time.Time) (*recording, error) {
	recorder, err := r.get(e.Mount, e.Set)
	if err != nil {
		return nil, err
	}
	limit := e.MaxSteps
	if limit < 0 {
		limit = record.MaxSteps // none, but a record has no more
	}
	rec := &record.Episode{Trajectory: []record.Step{}}
	rec.Started = now.UTC()
	log := episode.Log{Episode: rec}
	log.Begin(start, e.Mount.Perturbation != "")
	rollout := -1
	if e.Rollout != nil {
		rollout = int(*e.Rollout)
	}
	return &recording{recorder: recorder, task: e.Task, stepLimit: limit, rollout: rollout, log: log}, nil
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
		return r.recorder.Append(r.task, r.stepLimit, r.rollout, e)
	}
	return r.recorder.AppendFork(&record.Fork{
		Branch: r.branch, Parent: r.parent, Step: r.step, Task: r.task.ID, StepLimit: r.stepLimit, Outcome: e.Outcome,
		Error: e.Error, Success: e.Success, Progress: e.Progress, Started: e.Started, Ended: e.Ended,
		Trajectory: e.Trajectory,
	})
}
