package serve

import (
	"errors"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	"heldout/envs"
	"heldout/envs/sharedtest"
)

func TestSession(t *testing.T) {
	s, _ := testServer(t, nil)
	session := start(t, s, Owner{Protocol: "test", Address: "a"})
	r, err := session.Step("look")
	if err != nil || r.Observation != "echo look" || r.Reward != 0 || r.Done || !r.Valid {
		t.Fatalf("step: %+v, %v", r, err)
	}
	if r, err = session.Step("win"); err != nil || r.Reward != 1 || !r.Done || !r.Success || r.Truncated {
		t.Fatalf("winning step: %+v, %v", r, err)
	}
	if _, err = session.Step("look"); !errors.Is(err, ErrNoEpisode) {
		t.Errorf("step after the end: %v", err)
	}
	state, err := session.State()
	if err != nil || !state.Done || state.Steps != 2 || state.Progress != 1 {
		t.Errorf("state %+v, %v", state, err)
	}
}

// What a start has reached is no reward of the first action.
func TestHeadStart(t *testing.T) {
	e := newEcho(1)
	e.head = 0.5
	s, _ := testServer(t, func(o *Options) {
		o.Mounts = []*Mount{NewMount(MountOptions{Name: "echo", Reward: RewardDelta, Splits: []Split{
			{Name: "train", Open: func() (envs.Env, []envs.Task, error) {
				return e, e.tasks, nil
			}}}})}
	})
	session := start(t, s, Owner{})
	sharedtest.Equal(t, sharedtest.Must(session.State())(t).Progress, 0.5, "at the start")
	if r, err := session.Step("look"); err != nil || math.Abs(r.Reward-0.1) > 1e-9 {
		t.Errorf("after a step: %+v, %v", r, err)
	}
}

func TestTruncation(t *testing.T) {
	s, _ := testServer(t, nil)
	session := start(t, s, Owner{})
	for i := range 5 { // the environment's limit
		r, err := session.Step("look")
		if err != nil || r.Truncated != (i == 4) || r.Done != r.Truncated {
			t.Fatalf("step %d: %+v, %v", i, r, err)
		}
	}
}

func TestCapacity(t *testing.T) {
	s, _ := testServer(t, func(o *Options) { o.MaxSessions, o.MaxPerAddress = 3, 2 })
	open := func(address string) (*Session, error) { return s.Table().Open(Owner{Address: address}) }
	first := sharedtest.Must(open("a"))(t)
	sharedtest.OK(t, sharedtest.Err(open("a")))
	var full *CapacityError
	if _, err := open("a"); !errors.As(err, &full) || !full.Address {
		t.Errorf("third session of an address: %v", err)
	}
	sharedtest.OK(t, sharedtest.Err(open("b")))
	if _, err := open("c"); !errors.As(err, &full) ||
		err.Error() != "Server at capacity: 3/3 sessions active. Cannot accept new connections." {
		t.Errorf("fourth session: %v", err)
	}
	first.Close(ByClient)
	if _, err := open("c"); err != nil {
		t.Errorf("a free place is refused: %v", err)
	}
	sharedtest.Equal(t, s.Table().Len(), 3, "sessions are open")
}

func TestIdleAndSlow(t *testing.T) {
	s, clock := testServer(t, nil)
	ended := make(chan EndReason, 2)
	idle := start(t, s, Owner{Ended: func(r EndReason) { ended <- r }})
	clock.pass(59 * time.Second)
	s.Table().Sweep()
	if _, err := idle.Step("look"); err != nil {
		t.Fatalf("a session ended too early: %v", err)
	}
	clock.pass(61 * time.Second)
	s.Table().Sweep()
	sharedtest.Equal(t, <-ended, Idle, "reason")
	var over *EndedError
	if _, err := idle.Step("look"); !errors.As(err, &over) || over.Reason != Idle {
		t.Errorf("step of an idle session: %v", err)
	}

	slow := start(t, s, Owner{Ended: func(r EndReason) { ended <- r }})
	answered := make(chan error)
	go func() {
		_, err := slow.Step("wait")
		answered <- err
	}()
	<-waiting(t, s)
	clock.pass(MaxStepTime + time.Second)
	s.Table().Sweep()
	if err := <-answered; !errors.As(err, &over) || over.Reason != TooSlow || !strings.Contains(err.Error(), "30s") {
		t.Errorf("slow step: %v", err)
	}
	sharedtest.Equal(t, <-ended, TooSlow, "reason")
}

func TestPanicEndsItsSessionOnly(t *testing.T) {
	s, _ := testServer(t, nil)
	bad, good := start(t, s, Owner{}), start(t, s, Owner{})
	_, err := bad.Step("boom")
	sharedtest.Fails(t, err, "the environment panicked, and the session has ended: bang", "panic")
	var over *EndedError
	if _, err := bad.Step("look"); !errors.As(err, &over) {
		t.Errorf("step after a panic: %v", err)
	}
	_, err = good.Step("break")
	sharedtest.Fails(t, err, "the echo broke", "error of the environment")
	if _, err := good.Step("look"); !errors.Is(err, ErrNoEpisode) {
		t.Errorf("step after an error: %v", err)
	}
	sharedtest.Equal(t, s.Table().Len(), 1, "sessions are open")
}

// A request that ends its own session still has its reply.
func TestLastReply(t *testing.T) {
	s, _ := testServer(t, nil)
	for range 100 {
		session := start(t, s, Owner{})
		_, err := runUntilEnd(session, func() (Reply, error) {
			r, err := session.Step("boom")
			for range 100 {
				runtime.Gosched() // to whoever waits for the session's end
			}
			return r, err
		})
		if err == nil || !strings.Contains(err.Error(), "bang") {
			t.Fatalf("a panic is answered by %v", err)
		}
	}
}
