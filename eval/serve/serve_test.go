package serve

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"heldout/envs"
	"heldout/envs/sharedtest"
)

// echo is an environment whose worlds repeat actions. The action "win" solves a
// task, "boom" panics, "break" is an error, "bad" is not valid, "wait" waits until
// the world's context ends, and "hang" until the environment is closed.
type echo struct {
	tasks []envs.Task
	// head is the progress at the start.
	head float64
	// waiting receives a value when a wait begins.
	waiting chan struct{}
	closed  chan struct{}
}

func newEcho(n int) *echo {
	e := &echo{waiting: make(chan struct{}, 64), closed: make(chan struct{})}
	for i := range n {
		e.tasks = append(e.tasks, envs.Task{ID: fmt.Sprintf("echo/%d", i), Index: i, Type: "echo",
			Digest: envs.Digest(fmt.Sprint(i))})
	}
	if n > 1 {
		e.tasks[1].Difficulty = envs.Hard
	}
	return e
}

func (e *echo) Info() envs.Info {
	return envs.Info{Name: "echo", Source: envs.Generated, StepLimit: 5}
}
func (e *echo) Tasks() []envs.Task { return e.tasks }
func (e *echo) NewWorld(t envs.Task) (envs.World, error) {
	return &echoWorld{echo: e, task: t}, nil
}

type echoWorld struct {
	*echo
	task  envs.Task
	steps int
}

func (w *echoWorld) Start(context.Context) (envs.Start, error) {
	return envs.Start{Goal: "say win", Observation: "this is " + w.task.ID, Progress: w.head}, nil
}

func (w *echoWorld) Step(ctx context.Context, action string) (envs.Step, error) {
	w.steps++
	s := envs.Step{Observation: "echo " + action, Progress: min(1, w.head+float64(w.steps)/10), Valid: action != "bad"}
	switch action {
	case "win":
		s.Progress, s.Success, s.Done = 1, true, true
	case "boom":
		panic("bang")
	case "break":
		return s, errors.New("the echo broke")
	case "wait":
		w.waiting <- struct{}{}
		<-ctx.Done()
		return s, ctx.Err()
	case "hang":
		w.waiting <- struct{}{}
		<-w.closed
	}
	return s, nil
}

func (w *echoWorld) Actions(context.Context) ([]string, error) { return []string{"look", "win"}, nil }
func (w *echoWorld) Close() error                              { return nil }
func (w *echoWorld) Fork() (envs.World, error)                 { f := *w; return &f, nil }
func (w *echoWorld) AppendState(b []byte) ([]byte, error)      { return append(b, byte(w.steps)), nil }

// clock is a clock that a test sets.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// echoMount mounts an echo of n tasks.
func echoMount(n int) *Mount {
	return NewMount(MountOptions{Name: "echo", Splits: []Split{
		{Name: "train", Open: func() (envs.Env, []envs.Task, error) {
			e := newEcho(n)
			return e, e.tasks, nil
		}}}})
}

// waiting returns what receives a value when a wait begins.
func waiting(t *testing.T, s *Server) <-chan struct{} {
	t.Helper()
	set := sharedtest.Must(s.options.Mounts[0].Set(""))(t)
	return set.Env.(*echo).waiting
}

// testServer returns a server of an echo, and its clock.
func testServer(t testing.TB, change func(*Options)) (*Server, *clock) {
	t.Helper()
	c := newClock()
	o := Options{
		Mounts: []*Mount{echoMount(3)}, Now: c.Now, Log: func(string, ...any) {},
		MaxSessions: 8, MaxPerAddress: 8, Idle: time.Minute, Version: "test",
	}
	if change != nil {
		change(&o)
	}
	s := sharedtest.Must(New(o))(t)
	return s, c
}

// start opens a session and resets it.
func start(t *testing.T, s *Server, o Owner) *Session {
	t.Helper()
	session := sharedtest.Must(s.Table().Open(o))(t)
	m := s.options.Mounts[0]
	set, task, err := m.Find(TaskChoice{})
	sharedtest.OK(t, err)
	sharedtest.OK(t, sharedtest.Err(session.Reset(EpisodeStart{Mount: m, Set: set, Task: task})))
	return session
}
