package sciworld

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"heldout/envs"
	"heldout/envs/sciworld/py4j"
)

// kills is how many machines are killed at random moments.
var kills = flag.Int("kills", 4, "virtual machines that are killed")

// someActions are such as say something of most of what there is.
var someActions = []string{
	"open door to hallway", "go to hallway", "look around", "inventory", "open door to greenhouse", "go to greenhouse",
	"look around", "pick up jug", "wait", "wait1", "go outside", "look around", "task", "focus on orange", "jump", "",
	"go to kitchen", "look around", "pick up orange", "0", "open cupboard", "open fridge", "look around",
	"go to hallway", "go to art studio", "look around",
}

// A task says the same in a machine of its own and in one that was used, and
// whether or not somebody asks for the valid actions and for the expert.
func TestRealSameBytes(t *testing.T) {
	e := opened(t, Options{Jar: needJar(t), JVMs: 1})
	ctx := context.Background()
	first := map[string][]string{}
	said := func(id string, ask bool) (out []string) {
		task, err := e.Task(id)
		if err != nil {
			t.Fatal(err)
		}
		w, err := e.NewWorld(task)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		start, err := w.Start(ctx)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, start.Goal, start.Observation)
		for _, a := range someActions {
			if ask {
				actions, err := w.(envs.Lister).Actions(ctx)
				if err != nil || len(actions) == 0 { // few where the simulator asks which is meant
					t.Fatal(len(actions), err)
				}
				if _, err := w.(envs.Expert).ExpertAction(ctx); err != nil {
					t.Fatal(err)
				}
			}
			s, err := w.Step(ctx, a)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, fmt.Sprintf("%+v", s))
		}
		return out
	}
	// In the second, 1.1.3 asks which orange is meant, and lists the two in an
	// order that depends on hashing.
	ids := []string{"lifespan-longest-lived/5", "boil/7"}
	for i, id := range slices.Concat(ids, ids) {
		got := said(id, i > 0)
		if i < len(ids) {
			first[id] = got
		} else if diff := cmp.Diff(first[id], got); diff != "" {
			t.Errorf("%s: %s", id, diff)
		}
	}
}

// The table of tasks is the simulator's.
func TestRealTasks(t *testing.T) {
	e := opened(t, Options{Jar: needJar(t), JVMs: 1})
	ctx := context.Background()
	s, err := machinesOf(e).take(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer machinesOf(e).giveBack(s)
	names, err := s.list(ctx, "getTaskNames")
	if err != nil || len(names) != len(tasks) {
		t.Errorf("%d tasks, %v", len(names), err)
	}
	for _, task := range tasks {
		n, err := call[int32](ctx, s, "getTaskMaxVariations", task.name)
		if err != nil || int(n) != task.variations {
			t.Errorf("%s: %d variations, %v", task.name, n, err)
		}
		if err := s.load(ctx, place{task.name, 0}, "", false); err != nil {
			t.Fatal(err)
		}
		for part, method := range map[string]string{"train": "getVariationsTrain", "dev": "getVariationsDev",
			"test": "getVariationsTest"} {
			list, err := call[py4j.Ref](ctx, s, method)
			if err != nil {
				t.Fatal(err)
			}
			text, err := s.conn.Call(ctx, list, "toString")
			if err != nil {
				t.Fatal(err)
			}
			split, err := findSplit(part)
			if err != nil {
				t.Fatal(err)
			}
			from, to := split.bounds(task.variations)
			var want []string
			for v := from; v < to; v++ {
				want = append(want, fmt.Sprint(v))
			}
			if text != "["+strings.Join(want, ", ")+"]" {
				t.Errorf("%s, %s: %v, want %d to %d", task.name, part, text, from, to-1)
			}
		}
	}
}

// A machine that is killed in the middle of a step is an error of that episode,
// and the next has another machine.
func TestRealKills(t *testing.T) {
	e := opened(t, Options{Jar: needJar(t), JVMs: 1})
	ctx := context.Background()
	for i := range *kills {
		w := newStarted(t, e)
		sim := w.game.(*simulator)
		killed := make(chan error)
		var err error
		for n := 0; err == nil; n++ {
			if n == i%7 {
				go func() { killed <- sim.end() }()
			}
			_, err = w.Step(ctx, "wait1")
		}
		if !errors.Is(err, py4j.ErrBroken) {
			t.Errorf("%d: %v", i, err)
		}
		if err := <-killed; err != nil && !errors.Is(err, net.ErrClosed) {
			t.Error(err)
		}
		w.Close()
		if sim.alive() || len(machinesOf(e).all) != 0 {
			t.Errorf("%d: a machine is left", i)
		}
	}
	newStarted(t, e).Close()
}

// asTool makes this program a tool that has a world running, to be killed.
const asTool = "HELDOUT_TEST_TOOL"

func TestMain(m *testing.M) {
	if jar := os.Getenv(asTool); jar != "" {
		tool(jar)
	}
	os.Exit(m.Run())
}

// tool starts a world and waits for its end. It prints the port of its machine.
func tool(jar string) {
	e, err := New(Options{Jar: jar, JVMs: 1})
	if err == nil {
		var s *simulator
		if s, err = machinesOf(e).take(context.Background()); err == nil {
			_, port, _ := net.SplitHostPort(s.conn.RemoteAddr().String())
			fmt.Println(port)
			select {}
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// No machine outlives a tool that is killed, and its folders are removed by the
// next.
func TestRealKilledTool(t *testing.T) {
	jar := needJar(t)
	t.Setenv("TMPDIR", t.TempDir())
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), asTool+"="+jar)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	var port int
	if _, err := fmt.Fscan(out, &port); err != nil {
		t.Fatal(err)
	}
	watch, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Close()
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	c.Wait() // it says that it was killed
	watch.SetDeadline(time.Now().Add(time.Minute))
	if _, err := io.ReadAll(watch); os.IsTimeout(err) {
		t.Error("the machine is still there after a minute")
	}
	var next scratch
	if _, err := next.folder(); err != nil {
		t.Fatal(err)
	}
	if err := next.remove(); err != nil {
		t.Fatal(err)
	}
	if left, err := filepath.Glob(filepath.Join(os.TempDir(), scratchName+"*")); err != nil || len(left) > 0 {
		t.Errorf("left: %q, %v", left, err)
	}
}
