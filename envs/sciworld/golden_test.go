package sciworld

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sync/errgroup"

	"heldout/eval"
)

// shared is where the recorded behaviour and the official data lie.
const shared = "../../../shared/"

const officialData = shared + "data/agentboard"

// needJar returns the simulator's file, or skips the test.
func needJar(t testing.TB) string {
	t.Helper()
	path := os.Getenv("HELDOUT_SCIWORLD_JAR")
	if path == "" {
		t.Skip("needs the simulator: name scienceworld.jar in HELDOUT_SCIWORLD_JAR; heldout doctor sciworld says how to get it")
	}
	if err := Missing(Options{Jar: path}); err != nil {
		t.Skip(err)
	}
	return path
}

// needData skips the test if there are no official data.
func needData(t testing.TB) {
	t.Helper()
	if _, err := os.Stat(officialData); err != nil {
		t.Skip("needs the official data: put AgentBoard's data folder at ../shared/data/agentboard beside the module root")
	}
}

// opened sets up an environment that is closed with the test.
func opened(t testing.TB, o Options) *Env {
	t.Helper()
	e, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// Which of the recorded episodes are replayed: every so many, from the first so
// many. All of them take hours.
var (
	every   = flag.Int("every", 20, "replay every so many recorded episodes; 1 for all")
	first   = flag.Int("first", 0, "the number of the first episode that is replayed")
	machine = flag.Int("machines", 2, "virtual machines in the replay")
)

// differences counts in what replayed steps differ from their records.
type differences struct {
	mu                                 sync.Mutex
	episodes, steps                    int
	observation, progress, done, valid int // the last two by episode
	lines                              []string
}

// The simulator of 1.1.3, which AgentBoard had, lists some sets in an order that
// depends on hashing, which nobody can repeat: of the observations at most 1 in
// 200 may differ, of progress nothing.
func TestRecordedRuns(t *testing.T) {
	jar := needJar(t)
	needData(t)
	e := opened(t, Options{Jar: jar, Data: officialData, JVMs: *machine})
	var d differences
	var g errgroup.Group
	g.SetLimit(*machine)
	for i, rec := range recorded(t) {
		if i%*every != *first%*every || i < *first {
			continue
		}
		g.Go(func() error {
			found, err := eval.Replay(context.Background(), e, rec)
			if err != nil {
				return fmt.Errorf("episode %d: %w", i, err)
			}
			d.add(i, rec, found)
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	slices.Sort(d.lines)
	t.Logf("version %s, %d episodes, %d steps: %d observations and %d progress values differ, %d ends and %d groundings\n%s",
		e.jar.version, d.episodes, d.steps, d.observation, d.progress, d.done, d.valid, strings.Join(d.lines, "\n"))
	if d.progress > 0 || d.done > 0 {
		t.Errorf("%d progress values and %d ends differ", d.progress, d.done)
	}
	if most := float64(d.steps) / 200; float64(d.observation) > most {
		t.Errorf("%d observations differ, want at most %.1f", d.observation, most)
	}
}

func (d *differences) add(episode int, rec *eval.Recorded, found []eval.Mismatch) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.episodes++
	d.steps += len(rec.Steps)
	for _, m := range found {
		switch m.What {
		case "observation":
			d.observation++
		case "progress":
			d.progress++
		case "done", "final progress":
			d.done++
		case "grounding":
			d.valid++
		}
		d.lines = append(d.lines, fmt.Sprintf("episode %03d, task %s, run %s, step %02d, %q: %s\n  recorded %q\n  ours     %q",
			episode, m.Task.ID, m.Source, m.Step, m.Action, m.What, m.Want, m.Got))
	}
}

// recorded reads the episodes of golden/agentboard-logs.
func recorded(t testing.TB) (out []*eval.Recorded) {
	t.Helper()
	const name = shared + "golden/agentboard-logs/scienceworld.jsonl.gz"
	f, err := os.Open(name)
	if err != nil {
		t.Skip("needs recorded behaviour of the reference: put it at ../shared/golden beside the module root")
	}
	defer f.Close()
	err = eval.ReadRecorded(f, name, func(_ int, e *eval.Recorded) error {
		out = append(out, e)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
