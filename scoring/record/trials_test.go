package record

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"heldout/envs/sharedtest"
)

// trialsRun makes a run directory of one task with up to three trials and a memory
// of two: the first two failed, the last succeeded. It returns the lines.
func trialsRun(t *testing.T, dir string) [][]byte {
	t.Helper()
	m := manifest()
	g := &m.Groups[0]
	g.Condition.Trials = &Trials{Limit: 3, Memory: 2, PromptHash: "abc", Decoding: &Decoding{TopP: 1, MaxTokens: 256},
		SameAction: 3}
	first := sharedtest.Must(EpisodeID(1, m.Environments[0].Tasks[0], g.Condition))(t)
	g.Episodes[0] = first
	s := open(t, dir)
	sharedtest.OK(t, s.SetManifest(m))
	for trial := 1; trial <= 3; trial++ {
		e := episode(TrialID(first, trial))
		e.Task, e.TaskIndex = m.Environments[0].Tasks[0].ID, m.Environments[0].Tasks[0].Index
		e.Trial = trial
		for earlier := 1; earlier < trial; earlier++ {
			e.Memory = append(e.Memory, Remembered{earlier, "plan"})
		}
		if trial < 3 {
			e.Reflection = &Reflection{Text: "plan"}
		} else {
			e.Outcome, e.Success = Success, true
		}
		sharedtest.OK(t, s.Append(e))
	}
	closed(t, s)
	content := sharedtest.Must(os.ReadFile(filepath.Join(dir, episodesFile)))(t)
	return bytes.SplitAfter(content, []byte("\n"))[:3]
}

func TestTrialID(t *testing.T) {
	ids := map[string]bool{}
	for trial := 1; trial <= 100; trial++ {
		ids[TrialID("a", trial)] = true
	}
	if len(ids) != 100 || TrialID("a", 1) != "a" || len(TrialID("a", 2)) != 20 || TrialID("b", 2) == TrialID("a", 2) {
		t.Errorf("%d ids", len(ids))
	}
}

// TestTrialsContradictThePlan changes one thing of the second of three trials: reading and working name file, line
// and field, and a repair also takes out the trial that followed it, whose memory comes from it.
func TestTrialsContradictThePlan(t *testing.T) {
	for want, change := range map[string]func(*Episode){
		"trial: it is 0, but":                  func(e *Episode) { e.Trial, e.Memory, e.Reflection = 0, nil, nil },
		"trial: it is 1, but":                  func(e *Episode) { e.Trial, e.Memory = 1, nil },
		"trial: -1 is negative":                func(e *Episode) { e.Trial = -1 },
		"trial: it is missing":                 func(e *Episode) { e.Trial = 0 },
		"reflection: outcome failure of trial": func(e *Episode) { e.Reflection = nil },
		"reflection: outcome success contradicts": func(e *Episode) {
			e.Outcome, e.Success = Success, true
		},
		"memory[0].trial: ":               func(e *Episode) { e.Memory[0].Trial = 2 },
		"cut: unknown rule":               func(e *Episode) { e.Cut = "bored" },
		"cut: the condition of":           func(e *Episode) { e.Cut = SameStep },
		"forgotten: 2 contradicts":        func(e *Episode) { e.Forgotten = 2 },
		"seed: it is 8, but":              func(e *Episode) { e.Seed++ },
		"id: run.json has no episode \"x": func(e *Episode) { e.ID = "x" },
	} {
		t.Run(want, func(t *testing.T) {
			dir := t.TempDir()
			lines := trialsRun(t, dir)
			if _, results, err := Read(dir); err != nil || len(results) != 3 {
				t.Fatalf("%d results, error %v", len(results), err)
			}
			e := sharedtest.Must(decoded(lines[1]))(t)
			change(&e)
			lines[1] = sharedtest.Must(encode(&e))(t)
			overwrite(t, dir, episodesFile, bytes.Join(lines, nil))
			_, _, readErr := Read(dir)
			_, openErr := Open(dir)
			for _, err := range []error{readErr, openErr} {
				sharedtest.Fails(t, err, "episodes.jsonl:2: "+want, "error")
			}
			r, err := Repair(dir)
			if err != nil || r.Attempts != 1 || len(r.Bad) != 2 ||
				!strings.HasPrefix(r.Bad[1].Cause.Error(), "trial: trial 3 of the task box/01 has no failed trial 2") {
				t.Fatalf("repaired %+v, error %v", r, err)
			}
			if len(r.Missing) != 1 || cmp.Diff([]string{"box/01 (trial 2)"}, r.Missing[0].Tasks) != "" ||
				r.Planned != 2 {
				t.Errorf("missing %+v of %d", r.Missing, r.Planned)
			}
			if _, results, err := Read(dir); err != nil || len(results) != 1 {
				t.Errorf("afterwards %d results, error %v", len(results), err)
			}
		})
	}
}

// A trial after a success, or before the one before it, is an error.
func TestTrialNeedsAFailedOne(t *testing.T) {
	dir := t.TempDir()
	lines := trialsRun(t, dir)
	first := sharedtest.Must(decoded(lines[0]))(t)
	first.Outcome, first.Success, first.Reflection = Success, true, nil
	won := sharedtest.Must(encode(&first))(t)
	for name, content := range map[string][][]byte{
		"no first trial":      lines[1:],
		"solved before":       {won, lines[1]},
		"in the wrong order":  {lines[1], lines[0]},
		"a trial is left out": {lines[0], lines[2]},
	} {
		overwrite(t, dir, episodesFile, bytes.Join(content, nil))
		if _, _, err := Read(dir); err == nil || !strings.Contains(err.Error(), "has no failed trial") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	// Two processes without locks: both results of the first trial are there.
	overwrite(t, dir, episodesFile, bytes.Join([][]byte{won, lines[0], lines[1]}, nil))
	if _, _, err := Read(dir); err != nil {
		t.Error(err)
	}
}
