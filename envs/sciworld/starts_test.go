package sciworld

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"heldout/envs"
	"heldout/envs/sharedtest"
)

var (
	startsEvery = flag.Int("starts-every", 500,
		"compare the start of every so many variations of each task with the official simulator; 1 for all")
	startsUpdate = flag.Bool("starts-update", false, "write the scores of all starts anew, from the official simulator")
)

// startScores is a file with a line for each task: its name and the scores, in percent, that the official simulator
// gives its variations at the start. The Python package looks around then, which reaches goals of some.
const startScores = "testdata/starts.txt"

// readStartScores returns the scores by the names of variations.
func readStartScores(t *testing.T) map[string]float64 {
	t.Helper()
	text := sharedtest.Must(os.ReadFile(startScores))(t)
	scores := map[string]float64{}
	for line := range strings.Lines(string(text)) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		for v, field := range strings.Fields(rest) {
			scores[taskVariation{name, v}.id()] = float64(sharedtest.Must(strconv.Atoi(field))(t)) / 100
		}
	}
	return scores
}

// begun is what a variation says at its start and, if it is asked, after a first action that does nothing.
type begun struct {
	start envs.Start
	score float64 // after the start
	step  envs.Step
	later float64 // the score after the step
}

func begin(t *testing.T, e *Env, task envs.Task, step bool) (b begun) {
	t.Helper()
	w := sharedtest.Must(e.NewWorld(task))(t)
	defer w.Close()
	ctx := context.Background()
	b.start = sharedtest.Must(w.Start(ctx))(t)
	b.score = w.(envs.Scorer).Score()
	if !step {
		return b
	}
	b.step = sharedtest.Must(w.Step(ctx, "look around"))(t)
	b.later = w.(envs.Scorer).Score()
	return b
}

// All variations begin with the score of the official simulator, and no action gets it later.
func TestStarts(t *testing.T) {
	want := readStartScores(t)
	scored, every := 0, sharedtest.Every(t, 41)
	for _, variant := range []Options{{Variant: ScienceWorld, Split: "all"}, {Variant: AgentGym}} {
		e := opened(t, variant)
		for i, task := range e.Tasks() {
			if i%every != 0 || variant.Variant == AgentGym && i%8 != 0 { // the same variations again
				continue
			}
			score := want[task.ID]
			b := begin(t, e, task, score > 0)
			if b.start.Progress != score || b.score != score || b.step.Progress != score || b.later != score {
				t.Errorf("%s, %s: progress %v and score %v, then %v and %v; want %v", variant.Variant, task.ID,
					b.start.Progress, b.score, b.step.Progress, b.later, score)
			}
			if score > 0 && variant.Variant == ScienceWorld {
				scored++
			}
		}
	}
	t.Logf("%d of %d variations begin with a score", scored, len(want))
}

// The official simulator begins as ours does: texts, progress and score, and the
// same after a first action that does nothing.
func TestRealStarts(t *testing.T) {
	simulator, o := startOfficial(t), Options{Variant: ScienceWorld, Split: "all"}
	ours, real := opened(t, o), simulator.plays(o)
	if *startsUpdate {
		updateStartScores(t, real)
	}
	variations := map[string]int{}
	for _, task := range ours.Tasks() {
		variations[task.Type]++
	}
	compared, different, nth := 0, 0, map[string]int{} // of its task
	for i, task := range ours.Tasks() {
		nth[task.Type]++
		if every := min(*startsEvery, variations[task.Type]); nth[task.Type]%every != *first%every {
			continue
		}
		compared++
		if got, want := begin(t, ours, task, true), begin(t, real, real.Tasks()[i], true); got != want {
			different++
			t.Logf("%s: %+v, want %+v", task.ID, got, want)
		}
	}
	t.Logf("version %s: %d starts, %d of them differ", simulator.version, compared, different)
	if different > 0 && simulator.version == nativeVersion {
		t.Errorf("%d of %d starts differ", different, compared)
	}
}

// updateStartScores writes the file of the scores.
func updateStartScores(t *testing.T, e *Env) {
	var text bytes.Buffer
	for i, task := range e.Tasks() {
		if name := task.Type; i == 0 || e.Tasks()[i-1].Type != name {
			fmt.Fprintf(&text, "\n%s", name)
		}
		fmt.Fprintf(&text, " %.0f", 100*begin(t, e, task, false).score)
	}
	sharedtest.OK(t, os.WriteFile(startScores, append(bytes.TrimSpace(text.Bytes()), '\n'), 0o644))
}
