package serve

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/scoring/record"
)

// shelf is a Recorder in memory.
type shelf struct {
	mu     sync.Mutex
	kept   []record.Episode
	limits []int
	forks  []record.Fork
	err    error
	closed bool
}

func (s *shelf) Append(t envs.Task, stepLimit, rollout int, e *record.Episode) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	e.Task, e.Seed = t.ID, int64(rollout)
	s.kept, s.limits = append(s.kept, *e), append(s.limits, stepLimit)
	return s.err
}

func (s *shelf) AppendFork(f *record.Fork) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forks = append(s.forks, *f)
	return s.err
}

func (s *shelf) Finished(t envs.Task, _, rollout int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.kept, func(e record.Episode) bool {
		return e.Task == t.ID && max(0, e.Seed) == int64(rollout) && e.Outcome.Final()
	})
}

func (s *shelf) Results() int { return len(s.kept) }

func (s *shelf) Close() error {
	s.closed = true
	return nil
}

func recording1(t *testing.T) (*Server, *shelf, *clock) {
	kept := &shelf{}
	s, clock := testServer(t, func(o *Options) {
		o.Record = func(name string, _ *Mount, _ *Set) (Recorder, error) {
			sharedtest.Equal(t, name, "echo", "the recorder is called")
			return kept, nil
		}
	})
	return s, kept, clock
}

// outcomes lists what was kept.
func (s *shelf) outcomes() (list []string) {
	for _, e := range s.kept {
		list = append(list, string(e.Outcome))
	}
	return list
}

func step(t *testing.T, s *Session, actions ...string) {
	t.Helper()
	for _, a := range actions {
		sharedtest.OK(t, sharedtest.Err(s.Step(a)))
	}
}

func TestRecording(t *testing.T) {
	s, kept, _ := recording1(t)
	session := start(t, s, Owner{})
	step(t, session, "look", "bad", "win")
	if len(kept.kept) != 1 {
		t.Fatalf("%d episodes were kept when the last reply was there", len(kept.kept))
	}
	e := kept.kept[0]
	if e.Outcome != record.Success || !e.Success || e.Steps != 3 || e.Progress != 1 || e.Grounding != 2.0/3 ||
		e.Goal != "say win" || e.Trajectory[1].Action != "bad" || kept.limits[0] != 5 {
		t.Errorf("kept %+v", e)
	}
}

func TestRecordingOfEndings(t *testing.T) {
	s, kept, clock := recording1(t)
	m := s.options.Mounts[0]
	again := func(session *Session) {
		t.Helper()
		set, task, err := m.Find(TaskChoice{})
		sharedtest.OK(t, err)
		sharedtest.OK(t, sharedtest.Err(session.Reset(EpisodeStart{Mount: m, Set: set, Task: task})))
	}
	session := start(t, s, Owner{})
	again(session) // nothing was played
	step(t, session, "look")
	again(session) // the client gave up
	step(t, session, "look", "look", "look", "look", "look")
	again(session)
	step(t, session, "look")
	session.Close(ByClient) // the client gave up
	gone := start(t, s, Owner{})
	step(t, gone, "look")
	gone.Close(Gone)
	broken := start(t, s, Owner{})
	sharedtest.Fails(t, sharedtest.Err(broken.Step("break")), "")
	panicked := start(t, s, Owner{})
	sharedtest.Fails(t, sharedtest.Err(panicked.Step("boom")), "")
	idle := start(t, s, Owner{})
	step(t, idle, "look")
	clock.pass(time.Hour)
	s.Table().Sweep()
	want := "failure failure failure cancelled env_error env_error cancelled"
	sharedtest.Equal(t, strings.Join(kept.outcomes(), " "), want, "outcomes")
}

// A record that cannot be written is no silent loss: the last reply says so.
func TestRecordingOnAFullDisk(t *testing.T) {
	s, kept, _ := recording1(t)
	kept.err = errors.New("no space left")
	session := start(t, s, Owner{})
	_, err := session.Step("win")
	sharedtest.Fails(t, err, "no space left", "the last step")
	if got := ask(s, "GET", "/metrics", "").Body.String(); !strings.Contains(got,
		"heldout_unrecorded_episodes_total 1") {
		t.Error("the lost episode is not counted")
	}
}

func TestRecordingOfALongEpisode(t *testing.T) {
	s, kept, _ := recording1(t)
	m := s.options.Mounts[0]
	set, task, err := m.Find(TaskChoice{})
	sharedtest.OK(t, err)
	session := sharedtest.Must(s.Table().Open(Owner{}))(t)
	sharedtest.OK(t, sharedtest.Err(session.Reset(EpisodeStart{Mount: m, Set: set, Task: task, MaxSteps: -1})))
	long := strings.Repeat("x", MaxAction)
	for range maxRecording/MaxAction/2 + 1 {
		step(t, session, long)
	}
	step(t, session, "win")
	if e := kept.kept[0]; e.Outcome != record.Cancelled || !strings.Contains(e.Error, "8388608 bytes") {
		t.Errorf("outcome %s, %s", e.Outcome, e.Error)
	}
}
