package sciworld

import (
	"context"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"heldout/envs/sharedtest"
	"heldout/eval/episode"
)

// opened sets up an environment.
func opened(t testing.TB, o Options) *Env {
	t.Helper()
	return sharedtest.Must(New(o))(t)
}

// The recorded episodes that the official simulator replays: one in so many of them. All of
// them take a quarter of an hour and more.
var (
	every = flag.Int("every", 20, "replay every so many recorded episodes; 1 for all")
	first = flag.Int("first", 0, "which of so many episodes, tasks and starts are compared: another number, others")
)

// differences counts in what replayed steps differ from their records.
type differences struct {
	episodes, steps int
	counts          map[string]int // by what differs
	classes         map[string]int // of observations
	lines           []string
}

// mostObservations is the share of observations that may differ in versions after the
// one that AgentBoard had, which word and move some things differently.
const mostObservations = 1.0 / 100

// The official simulator repeats what it said to AgentBoard, as ours does: the same differs,
// and no progress. Later versions differ in a few observations.
func TestRecordedRuns(t *testing.T) {
	o, options := startOfficial(t), Options{Data: sharedtest.AgentBoard(t)}
	d := compareRecorded(t, o.plays(options), *every, *first)
	if o.version == nativeVersion {
		sharedtest.Same(t, d.lines, compareRecorded(t, opened(t, options), *every, *first).lines)
	} else if most := mostObservations * float64(d.steps); float64(d.counts["observation"]) > most {
		t.Errorf("%d observations differ, want at most %.1f", d.counts["observation"], most)
	}
}

// Our own simulator differs from all the records in what the official one differs from them, where all objects have
// one hash code: the order of some things followed the hash codes of that day's virtual machine.
func TestRecordedRunsNatively(t *testing.T) {
	every := sharedtest.Every(t, 8)
	d := compareRecorded(t, opened(t, Options{Data: sharedtest.AgentBoard(t)}), every, 0)
	if n := d.counts["observation"]; n > nativeObservations || every == 1 && n < nativeObservations {
		t.Errorf("%d observations differ, want %d, as with the official simulator", n, nativeObservations)
	}
}

// nativeObservations is how many observations of the official simulator 1.1.3 differ from the records.
const nativeObservations = 53

// compareRecorded replays every so many recorded episodes.
func compareRecorded(t *testing.T, e *Env, every, first int) *differences {
	t.Helper()
	d := &differences{counts: map[string]int{}, classes: map[string]int{}}
	for i, rec := range recorded(t) {
		if i%every != first%every {
			continue
		}
		found, err := episode.Replay(context.Background(), e, rec)
		if err != nil {
			t.Fatalf("episode %d: %v", i, err)
		}
		d.add(i, rec, found)
	}
	t.Logf("%d episodes, %d steps; what differs: %v; observations by reason: %v\n%s",
		d.episodes, d.steps, d.counts, d.classes, strings.Join(d.lines, "\n"))
	if n := d.counts["progress"] + d.counts["final progress"] + d.counts["done"]; n > 0 {
		t.Errorf("%d progress values and ends differ", n)
	}
	return d
}

func (d *differences) add(episode int, rec *episode.Recorded, found []episode.Mismatch) {
	d.episodes++
	d.steps += len(rec.Steps)
	for _, m := range found {
		d.counts[m.Field]++
		why := m.Field
		if m.Field == "observation" {
			why = classify(m.Want, m.Got)
			d.classes[why]++
		}
		d.lines = append(d.lines,
			fmt.Sprintf("episode %03d, task %s, run %s, step %02d, %q: %s\n  recorded %q\n  ours     %q",
				episode, m.Task.ID, m.Source, m.Step, m.Action, why, m.Want, m.Got))
	}
}

var (
	words   = regexp.MustCompile(`[\pL\pN]+`)
	numbers = regexp.MustCompile(`-?\d+`)
)

// classify says in what two observations differ.
func classify(recorded, ours string) string {
	sorted := func(s string) []string {
		w := words.FindAllString(s, -1)
		slices.Sort(w)
		return w
	}
	switch {
	case slices.Equal(sorted(recorded), sorted(ours)) && strings.HasPrefix(ours, "Ambiguous request"):
		return "order of choices"
	case slices.Equal(sorted(recorded), sorted(ours)):
		return "order of things"
	case numbers.ReplaceAllString(recorded, "") == numbers.ReplaceAllString(ours, ""):
		return "a number"
	case strings.Contains(recorded, " bee") && strings.Contains(ours, " bee"): // which fly about at random
		return "where bees are"
	}
	return "other"
}

// recorded reads the episodes of golden/agentboard-logs.
func recorded(t testing.TB) (out []*episode.Recorded) {
	t.Helper()
	name := sharedtest.Golden(t, "agentboard-logs/scienceworld.jsonl.gz")
	f := sharedtest.Must(os.Open(name))(t)
	defer f.Close()
	err := episode.ReadRecorded(t.Context(), f, name, func(_ int, e *episode.Recorded) error {
		out = append(out, e)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
