package sciworld

import (
	"bufio"
	"context"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"heldout/envs"
)

// answerer is the inside of a fake gateway: it answers one request, given as its
// lines without the last. What it says is sent as it is; done ends the
// connection.
type answerer func(request []string) (says string, done bool)

// fakeMachines is what takes the place of launching virtual machines: gateways in
// this process, with an answerer each.
type fakeMachines struct {
	make    func() answerer
	timeout time.Duration
	running atomic.Int32 // those not ended
	started atomic.Int32
}

func (f *fakeMachines) launch(ctx context.Context) (*simulator, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	f.running.Add(1)
	f.started.Add(1)
	var served sync.WaitGroup
	served.Go(func() { serve(l, f.make()) })
	s, err := connect(ctx, l.Addr().(*net.TCPAddr).Port, f.timeout)
	end := sync.OnceValue(func() error {
		err := l.Close()
		if s != nil {
			s.conn.Close()
		}
		served.Wait()
		f.running.Add(-1)
		return err
	})
	if err != nil {
		end()
		return nil, err
	}
	s.alive, s.end = func() bool { return true }, end
	return s, nil
}

// serve answers the requests of one connection.
func serve(l net.Listener, answer answerer) {
	c, err := l.Accept()
	if err != nil {
		return
	}
	defer c.Close()
	in := bufio.NewReader(c)
	var request []string
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		if line = strings.TrimSuffix(line, "\n"); line != "e" {
			request = append(request, line)
			continue
		}
		says, done := answer(request)
		request = nil
		if _, err := io.WriteString(c, says); err != nil || done {
			return
		}
	}
}

// fakeEnv is an environment whose machines are fake.
func fakeEnv(t testing.TB, f *fakeMachines, board bool, labels []label) *Env {
	t.Helper()
	if f.timeout == 0 {
		f.timeout = time.Minute
	}
	e := &Env{
		info: envs.Info{Name: Name, Source: envs.Official, StepLimit: boardStepLimit}, board: board, labels: labels,
		simplifications: "openDoors",
		games:           &official{newPool(f.launch, 2), newGoldPaths(newPool(f.launch, 1)), &scratch{}},
	}
	for _, p := range boardPlaces() {
		e.tasks = append(e.tasks, e.task(p, len(e.tasks)))
		if len(e.tasks) == max(1, len(labels)) {
			break
		}
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		if n := f.running.Load(); n != 0 {
			t.Errorf("%d machines are left", n)
		}
	})
	return e
}

// machinesOf are the virtual machines of an environment that is played by the
// official simulator.
func machinesOf(e *Env) *pool { return e.games.(*official).machines }

// script reads exchanges from a file: a line with the parts of a request, and
// one with the reply. Empty lines and what follows # are left out.
func script(t testing.TB, file string) (lines []string) {
	t.Helper()
	b, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(b), "\n") {
		if line != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	return lines
}

// scripted answers as a file says, to exactly its requests in its order.
func scripted(t testing.TB, file string) *fakeMachines {
	t.Helper()
	lines := script(t, file)
	next := 0
	t.Cleanup(func() {
		if next != len(lines) {
			t.Errorf("%s: the exchange ends before %q", file, lines[next])
		}
	})
	answer := func(request []string) (string, bool) {
		got := strings.Join(request, " | ")
		if next == len(lines) || lines[next] != got {
			want := "nothing"
			if next < len(lines) {
				want = lines[next]
			}
			t.Errorf("%s: the gateway was asked %q, want %q", file, got, want)
			return "", true
		}
		next += 2
		return lines[next-1] + "\n", false
	}
	return &fakeMachines{make: func() answerer { return answer }}
}

// play starts a world of the first task and makes steps.
func play(t testing.TB, e *Env, actions ...string) (envs.Start, []envs.Step) {
	t.Helper()
	w := newStarted(t, e)
	defer w.Close()
	var steps []envs.Step
	for _, a := range actions {
		s, err := w.Step(context.Background(), a)
		if err != nil {
			t.Fatal(err)
		}
		steps = append(steps, s)
	}
	return w.started, steps
}

// startedWorld is a world with what it said.
type startedWorld struct {
	*world
	started envs.Start
}

func newStarted(t testing.TB, e *Env) startedWorld {
	t.Helper()
	w, err := e.NewWorld(e.Tasks()[0])
	if err != nil {
		t.Fatal(err)
	}
	s, err := w.Start(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return startedWorld{w.(*world), s}
}
