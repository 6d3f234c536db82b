package serve

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"heldout/envs"
	"heldout/eval/agent"
	"heldout/scoring/record"
)

// ErrNoEpisode answers a step before the first reset or after the end of an episode.
var ErrNoEpisode = errors.New("no episode is running: send reset first")

// EndReason says why a session ended.
type EndReason string

// The reasons. They are values of a metric.
const (
	ByClient   EndReason = "client"   // the client closed it
	Gone       EndReason = "gone"     // the connection broke, or no ping was answered
	Idle       EndReason = "idle"     // no request for too long
	Failed     EndReason = "error"    // the environment panicked, or the client broke the protocol
	TooSlow    EndReason = "timeout"  // a step took too long
	ShutDown   EndReason = "shutdown" // the server ends
	Capacity   EndReason = "capacity" // there were too many sessions; it never began
	notYetOver EndReason = ""
)

// EndedError says that a session has ended.
type EndedError struct{ Reason EndReason }

func (e *EndedError) Error() string {
	switch e.Reason {
	case TooSlow:
		return fmt.Sprintf("the session has ended: a step took longer than %v", MaxStepTime)
	case Idle:
		return "the session has ended: there was no request for too long"
	case ShutDown:
		return "the session has ended: the server shuts down"
	case Failed:
		return "the session has ended after an error of the environment"
	}
	return "the session has ended"
}

// Owner says who has a session.
type Owner struct {
	Protocol string // the protocol's name, such as "openenv"
	Mount    *Mount // what the client plays, if the protocol settles it before a reset
	Address  string // the client's IP address, without the port; empty for the process that started this one
	// Idle ends the session after so long without a request; 0 for the table's time.
	Idle time.Duration
	// Ended is called once, when the session ends; nil for nothing. It must not wait for anything.
	Ended func(EndReason)
}

// Session is a client's place: at most one running episode at a time. Its methods
// may be called from several goroutines; requests run one after another.
type Session struct {
	id    string
	owner Owner
	table *Table
	ctx   context.Context
	stop  context.CancelFunc

	// used is when the last request ended, and busy when the running one began, in
	// nanoseconds of Unix time; busy is 0 between requests.
	used, busy atomic.Int64
	endErr     atomic.Pointer[EndedError] // nil until the session ends
	unused     atomic.Bool                // the session is a fork without a request yet
	// ended is called once, when the session ends; nil for nothing, and afterwards.
	ended atomic.Pointer[func(EndReason)]

	mu      sync.Mutex // held by the running request
	episode EpisodeStart
	world   envs.World // nil if no episode is running
	last    SessionState
	record  *recording // of the running episode; nil if it is not recorded
}

// EpisodeStart is what Reset starts.
type EpisodeStart struct {
	Mount   *Mount
	Set     *Set
	Task    envs.Task
	ID      string // the client's own name of the episode; may be empty
	Actions bool   // every observation has the valid actions
	Keys    bool   // every reply has keys
	// MaxSteps truncates the episode: 0 uses the limit of the mount, and -1 none.
	MaxSteps int
	Rollout  *int64 // which rollout of its task a record has the episode as, from 0; nil for the next one
	// Observe is called with the world after the reset and after every step, before a world whose episode is over
	// is closed; nil for nothing. Its error counts as one of the environment.
	Observe func(context.Context, envs.World) error
}

// SessionState is how far a session is.
type SessionState struct {
	EpisodeID string
	TaskID    string
	Steps     int
	Progress  float64
	Done      bool
}

// Reply is the answer to a reset or a step.
type Reply struct {
	TaskID      string
	Goal        string // of a reset
	Observation string
	Actions     []string // the valid actions, sorted; nil if they were not asked for
	Reward      float64  // as the mount defines it; it means nothing at a reset
	Progress    float64
	Success     bool
	Valid       bool // true at a reset
	Done        bool // the episode is over: won, lost or truncated
	Truncated   bool // the step limit ended the episode
	Steps       int
	Keys        *Keys // nil if they were not asked for
}

// ID returns the session's id.
func (s *Session) ID() string { return s.id }

// Touch counts as a request: the session is not idle.
func (s *Session) Touch() {
	s.used.Store(s.table.options.Now().UnixNano())
	s.unused.Store(false)
}

// name tells sessions apart in logs. The whole id would let its reader use a session.
func (s *Session) name() string { return s.id[:8] }

// lastReply is how long the reply of a running request is waited for once its session
// has ended. It is less than lastWords.
const lastReply = 2 * time.Second

// last returns the last reply of a session that has ended, if it comes in time.
func last[T any](replies <-chan T) (reply T, ok bool) {
	select {
	case reply = <-replies:
		return reply, true
	case <-time.After(lastReply):
		return reply, false
	}
}

// begin takes the session for a request. The caller calls end unless there is an error.
func (s *Session) begin() error {
	s.mu.Lock()
	if ended := s.endErr.Load(); ended != nil {
		s.end()
		return ended
	}
	s.busy.Store(s.table.options.Now().UnixNano())
	s.unused.Store(false)
	return nil
}

// end gives the session back.
func (s *Session) end() {
	s.used.Store(s.table.options.Now().UnixNano())
	s.busy.Store(0)
	s.mu.Unlock()
	s.clear()
}

// clear drops the episode of a session that is over. Whoever runs a request does it afterwards.
func (s *Session) clear() {
	if ended := s.endErr.Load(); ended != nil && s.mu.TryLock() {
		s.drop(ended.Reason)
		s.mu.Unlock()
	}
}

// drop ends the running episode, if there is one. reason is why the session ends, or empty if the session goes on.
func (s *Session) drop(reason EndReason) {
	if s.record != nil {
		s.table.abandon(s.record, reason)
		s.record = nil
	}
	if s.world == nil {
		return
	}
	world := s.world
	s.world = nil
	s.table.worlds.Add(-1)
	_ = world.Close() // its episode is over
}

// Close ends the session. The first call decides the reason.
func (s *Session) Close(reason EndReason) {
	if !s.endErr.CompareAndSwap(nil, &EndedError{reason}) {
		return
	}
	s.stop()
	s.table.remove(s, reason)
	if ended := s.ended.Swap(nil); ended != nil {
		(*ended)(reason)
	}
	s.clear()
}

// State returns how far the session is. It waits for the running request.
func (s *Session) State() (SessionState, error) {
	if err := s.begin(); err != nil {
		return SessionState{}, err
	}
	defer s.end()
	return s.last, nil
}

// Reset ends the running episode, if there is one, and starts another. A panic of the environment ends the session.
func (s *Session) Reset(e EpisodeStart) (r Reply, err error) {
	if err := s.begin(); err != nil {
		return r, err
	}
	defer s.end()
	defer s.guard(&err)
	if s.world == nil { // otherwise the new one takes the place of the old one
		if err := s.table.hold(); err != nil {
			return r, err
		}
	}
	s.drop(notYetOver)
	if e.MaxSteps == 0 {
		e.MaxSteps = e.Mount.limit(e.Set, e.Task)
	}
	e.Actions = e.Actions || e.Mount.Actions
	began := s.table.options.Now()
	world, err := e.Set.Env.NewWorld(e.Task)
	if err != nil {
		return r, s.failed(&e, err)
	}
	starting, stop := context.WithTimeout(s.ctx, startTime)
	defer stop()
	start, err := world.Start(starting)
	if err == nil {
		r = Reply{TaskID: e.Task.ID, Goal: start.Goal, Observation: start.Observation, Progress: start.Progress,
			Valid: true}
		err = e.complete(s.ctx, world, &r, &start)
	}
	if err != nil {
		_ = world.Close()
		return r, s.failed(&e, err)
	}
	if s.table.recorders != nil {
		if s.record, err = s.table.recorders.begin(&e, start, s.table.options.Now()); err != nil {
			_ = world.Close()
			return r, s.failed(&e, err)
		}
	}
	s.table.metrics.carriedOut(e.Mount, s.owner.Protocol, "reset", s.table.options.Now().Sub(began), true)
	s.episode, s.world = e, world
	s.table.worlds.Add(1)
	s.last = SessionState{EpisodeID: e.ID, TaskID: e.Task.ID, Progress: r.Progress}
	return r, nil
}

// Step carries out an action, as Take does.
func (s *Session) Step(action string) (Reply, error) { return s.Take(ClientAction{Text: action}) }

// Take carries out an action. Without a running episode it returns ErrNoEpisode. An error of the
// environment ends the episode; a panic ends the session.
func (s *Session) Take(action ClientAction) (r Reply, err error) {
	if err := s.begin(); err != nil {
		return r, err
	}
	defer s.end()
	defer s.guard(&err)
	if s.world == nil {
		return r, ErrNoEpisode
	}
	e := &s.episode
	began := s.table.options.Now()
	move, step, err := s.act(action.Text)
	if err == nil {
		r = Reply{
			TaskID: e.Task.ID, Observation: step.Observation, Reward: e.Mount.reward(step, s.last.Progress),
			Progress: step.Progress, Success: step.Success, Valid: step.Valid, Done: step.Done, Steps: s.last.Steps + 1,
		}
		if !r.Done && e.MaxSteps > 0 && r.Steps >= e.MaxSteps {
			r.Done, r.Truncated = true, true
		}
		if err = envs.ErrUnjudged; !r.Done || !step.Unjudged {
			err = e.complete(s.ctx, s.world, &r, nil)
		}
	}
	if err != nil {
		return r, s.failed(e, err)
	}
	s.table.metrics.carriedOut(e.Mount, s.owner.Protocol, "step", s.table.options.Now().Sub(began), r.Valid)
	s.last.Steps, s.last.Progress, s.last.Done = r.Steps, r.Progress, r.Done
	if s.record != nil {
		s.record.add(move, action.Sampled, step)
	}
	if !r.Done {
		return r, nil
	}
	rec := s.record
	s.record = nil
	s.drop(notYetOver)
	if rec == nil {
		return r, nil
	}
	outcome := record.Failure
	if step.Success {
		outcome = record.Success
	}
	return r, s.table.keep(rec, outcome, nil)
}

// act gives an action to the world. One that is too long is an invalid step, which the
// world does not see: a policy that runs on and on loses no other result.
func (s *Session) act(action string) (agent.Move, envs.Step, error) {
	if len(action) <= MaxAction {
		step, err := s.world.Step(s.ctx, action)
		return agent.Move{Step: record.Step{Action: action}}, step, err
	}
	text := fmt.Sprintf("The action has %d bytes; the limit is %d. Nothing was done.", len(action), MaxAction)
	return agent.Move{Step: record.Step{FormatError: true}, Correction: text},
		envs.Step{Observation: text, Progress: s.last.Progress}, nil
}

// WithWorld calls f with the running world, for what only one protocol asks.
func (s *Session) WithWorld(f func(context.Context, envs.World) error) (err error) {
	if err := s.begin(); err != nil {
		return err
	}
	defer s.end()
	defer s.guard(&err)
	if s.world == nil {
		return ErrNoEpisode
	}
	return f(s.ctx, s.world)
}

// complete asks the world what the reply to a reset or a step needs besides, and writes its observation in the form
// of the mount. Start is nil but at a reset.
func (e *EpisodeStart) complete(ctx context.Context, w envs.World, r *Reply, start *envs.Start) (err error) {
	form := e.Mount.Form
	var actions []string
	if e.Actions || form != nil && form.Lists(start != nil) {
		if actions, err = validActions(ctx, w); err != nil {
			return err
		}
	}
	if e.Actions {
		r.Actions = actions
	}
	if e.Observe != nil {
		if err := e.Observe(ctx, w); err != nil {
			return err
		}
	}
	switch {
	case form == nil:
	case start != nil:
		r.Observation = form.First(*start, actions)
	default:
		r.Observation = form.Next(r.Observation, r.Steps, actions)
	}
	return e.keys(w, r)
}

// validActions lists the valid actions; the list is not nil.
func validActions(ctx context.Context, w envs.World) ([]string, error) {
	l, err := envs.Need[envs.Lister](w, "cannot list its valid actions: reset without actions")
	if err != nil {
		return nil, err
	}
	actions, err := l.Actions(ctx)
	return append([]string{}, actions...), err
}

// failed ends the episode after an error of the environment.
func (s *Session) failed(e *EpisodeStart, err error) error {
	if ended := s.endErr.Load(); ended != nil {
		return ended
	}
	s.table.metrics.countersOf(e.Mount, s.owner.Protocol).errs.Inc()
	if s.record != nil {
		_ = s.table.keep(s.record, record.EnvError, err) // keep has logged it
		s.record = nil
	}
	s.last.Done = true
	s.drop(notYetOver)
	return err
}

// guard turns a panic of the world into an error, and ends the session: what the world holds may be damaged.
func (s *Session) guard(err *error) {
	p := recover()
	if p == nil {
		return
	}
	s.table.options.Log("panic", "session", s.name(), "env", s.episode.Mount.name(), "panic", fmt.Sprint(p), "stack",
		string(debug.Stack()))
	*err = fmt.Errorf("the environment panicked, and the session has ended: %v", p)
	if s.record != nil {
		_ = s.table.keep(s.record, record.EnvError, *err) // keep has logged it
		s.record = nil
	}
	if s.world != nil {
		s.table.worlds.Add(-1)
	}
	s.world = nil // closing it could panic as well
	s.Close(Failed)
}

// name returns the mount's name; a session that was never reset has none.
func (m *Mount) name() string {
	if m == nil {
		return ""
	}
	return m.Name
}
