package sciworld

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"heldout/envs"
	"heldout/envs/sciworld/py4j"
	"heldout/envs/stream"
)

// The ways in which a gateway fails.
var failures = []struct {
	name string
	says string
	done bool
}{
	{"cut", "", true},
	{"cut in the middle", "!ysYou wa", true},
	{"garbage", "\x00\xff\x00\n", false},
	{"another protocol", "HTTP/1.1 400 Bad Request\r\n\r\n", false},
	{"no answer", "", false},
	{"half an answer", "!ysYou wa", false},
	{"exception", "!xsjava.lang.OutOfMemoryError\n", false},
	{"another kind", "!yi7\n", false},
}

// failing makes machines that fail at a random request, in a random way. Some
// fail as soon as they are started, or last longer than an episode.
func failing(seed int64) *fakeMachines {
	var n atomic.Int64
	return &fakeMachines{timeout: 50 * time.Millisecond, make: func() answerer {
		rng := stream.New(seed, "failures", fmt.Sprint(n.Add(1)))
		at, how := rng.IntN(300), failures[rng.IntN(len(failures))]
		asked := 0
		return func(request []string) (string, bool) {
			asked++
			if asked > at {
				return how.says, how.done
			}
			return obliging(request), false
		}
	}}
}

// playTen plays ten steps, asking for actions and the expert in between.
func playTen(ctx context.Context, e *Env) error {
	w, err := e.NewWorld(e.Tasks()[0])
	if err != nil {
		return err
	}
	defer w.Close()
	if _, err := w.Start(ctx); err != nil {
		return err
	}
	for range 10 {
		if _, err := w.(envs.Lister).Actions(ctx); err != nil {
			return err
		}
		action, err := w.(envs.Expert).ExpertAction(ctx)
		if err != nil {
			return err
		}
		if _, err := w.Step(ctx, action); err != nil {
			return err
		}
	}
	return nil
}

// Whatever happens to machines, every episode comes to its end, no machine is
// left behind (which fakeEnv checks) or in use, and others play on.
func TestFailures(t *testing.T) {
	f := failing(1)
	e := fakeEnv(t, f, true, rakeLabel())
	var failed, fine atomic.Int32
	var g errgroup.Group
	g.SetLimit(8)
	for range 250 {
		g.Go(func() error {
			err := playTen(context.Background(), e)
			var reported *py4j.JavaError
			switch {
			case err == nil:
				fine.Add(1)
			case errors.Is(err, py4j.ErrBroken), errors.As(err, &reported), strings.Contains(err.Error(), "want a "):
				failed.Add(1)
			default:
				t.Errorf("an episode ends with %v", err)
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d episodes failed, %d did not, on %d machines", failed.Load(), fine.Load(), f.started.Load())
	if failed.Load() < 100 || fine.Load() == 0 {
		t.Errorf("%d episodes failed and %d did not: want at least 100, and some", failed.Load(), fine.Load())
	}
	if n := len(machinesOf(e).slots); n != 0 {
		t.Errorf("%d machines are in use", n)
	}
}

// A world waits for a machine, and no longer than its caller.
func TestPoolWaits(t *testing.T) {
	f := obligingMachines()
	f.timeout = time.Minute
	p := newPool(f.launch, 1)
	ctx, cancel := context.WithCancel(context.Background())
	s, err := p.take(ctx)
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan *simulator)
	go func() {
		s, err := p.take(context.Background())
		if err != nil {
			t.Error(err)
		}
		got <- s
	}()
	p.giveBack(s)
	if again := <-got; again != s || f.started.Load() != 1 {
		t.Errorf("%d machines were started", f.started.Load())
	}
	cancel()
	if _, err := p.take(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := p.close(); err != nil {
		t.Error(err)
	}
	p.giveBack(s)
	if _, err := p.take(context.Background()); !errors.Is(err, errClosed) {
		t.Error(err)
	}
	if n := f.running.Load(); n != 0 {
		t.Errorf("%d machines are left", n)
	}
}

// A machine that died while nobody used it is replaced.
func TestPoolReplaces(t *testing.T) {
	f := obligingMachines()
	f.timeout = time.Minute
	p := newPool(f.launch, 1)
	s, err := p.take(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	p.giveBack(s)
	s.alive = func() bool { return false }
	other, err := p.take(context.Background())
	if err != nil || other == s || f.running.Load() != 1 {
		t.Errorf("%v, %d machines", err, f.running.Load())
	}
	if err := p.close(); err != nil {
		t.Error(err)
	}
	p.discard(other) // by its world, which does not know
	if n := f.running.Load(); n != 0 {
		t.Errorf("%d machines are left", n)
	}
}
