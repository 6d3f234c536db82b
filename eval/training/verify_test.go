package training

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"heldout/envs/sharedtest"
	"heldout/eval/training/synth"
)

// room is a trajectory in which the player takes an action of a script that has only "wait".
func room(action string) string {
	return fmt.Sprintf(`{"script": {"Environment": {}, "Goal": "g", "Completion Conditions": [], "Available Actions": `+
		`{"wait": {"verification code": "^wait$", "parameters": {}}}}, "trajectory": [{"turn": 0, "role": "DM", `+
		`"Thought": "", "Observation": "A room.", "parameter_error": false, "place_error": false, "logic_error": `+
		`false}, {"turn": 1, "role": "Player", "Thought": "", "Action": %q}, {"turn": 2, "role": "DM", "Thought": "", `+
		`"Observation": "Task Succeed", "parameter_error": false, "place_error": false, "logic_error": false}]}`+"\n",
		action)
}

// verified verifies a file with those lines.
func verified(t *testing.T, masked string, lines ...string) (out string, err error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "trajectories.jsonl")
	sharedtest.OK(t, os.WriteFile(file, []byte(strings.Join(lines, "")), 0o600))
	o := synth.DefaultOptions()
	o.MinErrors = 0
	var b strings.Builder
	v := Verification{Out: &b, Options: o}
	err = v.Files([]string{file}, masked, false)
	return b.String(), err
}

// Each trajectory has its line, the counts come last, and what passes is written.
func TestVerification(t *testing.T) {
	masked := filepath.Join(t.TempDir(), "masked.jsonl")
	got, err := verified(t, masked, room("wait"), room("jump"), `{"script": {}}`+"\n")
	if !errors.Is(err, ErrRejected) {
		t.Fatal(err)
	}
	want := `line 1: passed, 3 turns, 0 errors, 0 repaired
line 2: action at turn 2: "jump" matches none of the available actions, but the DM reports no error ` +
		`(1 of 3 turns verified)
line 3: format: the line needs the keys "script" and "trajectory"
1 passed, 2 rejected: 1 format, 1 action
0 error turns, 0 of them repaired at once
`
	sharedtest.Equal(t, cmp.Diff(want, got), "")
	again, err := os.ReadFile(masked)
	if err != nil || strings.Count(string(again), "\n") != 1 {
		t.Fatalf("%v: %s", err, again)
	}
	if _, err := verified(t, "", string(again)); err != nil {
		t.Errorf("what has passed does not pass again: %v", err)
	}
}

// Nothing has the name of the file if a file cannot be read.
func TestVerificationStops(t *testing.T) {
	masked := filepath.Join(t.TempDir(), "masked.jsonl")
	v := Verification{Out: new(strings.Builder), Options: synth.DefaultOptions()}
	if err := v.Files([]string{filepath.Join(t.TempDir(), "none.jsonl")}, masked, false); err == nil {
		t.Error("a file that is not there is verified")
	}
	if _, err := os.Stat(masked); err == nil {
		t.Error("there is a file of what passed")
	}
}
