package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/eval/bench"
	"heldout/eval/replay"
	"heldout/scoring/record"
)

// played is the directory of a run of two models and its number of steps.
func played(t *testing.T) (dir string, steps int) {
	t.Helper()
	run := configs.DefaultRun()
	run.Env, run.Model, run.Limit = configs.Strings{"pddl"}, configs.Strings{"expert", "random"}, 2
	run.StepLimit, run.Out = 6, filepath.Join(t.TempDir(), "run")
	job, err := bench.New(bench.Outside{Now: time.Now, Getenv: func(string) string { return "" },
		Warn: func(string) {}}, bench.Plain, bench.Default(run)...)
	sharedtest.OK(t, err)
	defer job.Close()
	ignore := func(string) {}
	sharedtest.OK(t, job.Play(t.Context(), bench.Screen{Say: ignore, Warn: ignore}))
	_, err = record.EachEpisode(record.Parts{run.Out}, func(_ *record.Manifest, e *record.Episode) {
		steps += len(e.Trajectory)
	})
	if err != nil || steps < 4 {
		t.Fatalf("%d steps, %v", steps, err)
	}
	return run.Out, steps
}

// replayed replays a path.
func replayed(t *testing.T, setup envs.Setup, path string) (*replay.Replayer, error) {
	t.Helper()
	r := replay.New(setup, envs.Outside{Now: time.Now})
	return r, r.Path(t.Context(), path)
}

// A run is what its environment does again; a record that says something else is a difference at its step.
func TestReplayedRun(t *testing.T) {
	dir, steps := played(t)
	r, err := replayed(t, envs.Setup{}, dir)
	if err != nil || len(r.Counts) != 1 || *r.Counts[0] != (replay.Count{Env: "pddl", Episodes: 4, Steps: steps}) ||
		r.First != nil || r.Passed != 0 {
		t.Fatalf("%v: %+v, first difference %+v", err, r.Counts, r.First)
	}

	name := filepath.Join(dir, "episodes.jsonl")
	content := sharedtest.Must(os.ReadFile(name))(t)
	lines := bytes.SplitAfter(bytes.TrimSpace(content), []byte("\n"))
	line := bytes.TrimSpace(lines[1])
	last := bytes.LastIndex(line, []byte(`"observation":"`)) + len(`"observation":"`)
	line = append(append(bytes.Clone(line[:last]), "Not so. "...), line[last:]...)
	line = append(line[:bytes.LastIndex(line, []byte(`,"checksum":`))], '}')
	lines[1] = append(record.Seal(line), '\n')
	sharedtest.OK(t, os.WriteFile(name, append(bytes.Join(lines, nil), '\n'), 0o600))
	r, err = replayed(t, envs.Setup{}, dir)
	if err != nil || r.Counts[0].Mismatches != 1 || r.First == nil || r.First.Field != "observation" ||
		!strings.HasPrefix(r.First.Want, "Not so. ") || r.Location != dir {
		t.Errorf("%v: %+v, first difference %+v at %s", err, r.Counts[0], r.First, r.Location)
	}
}

// What cannot be replayed is no success.
func TestNothingToReplay(t *testing.T) {
	folder := t.TempDir()
	for want, content := range sharedtest.Table[string](t, "nothing-to-replay.yaml") {
		file := filepath.Join(folder, "recorded.jsonl")
		sharedtest.OK(t, os.WriteFile(file, []byte(content), 0o600))
		sharedtest.Fails(t, sharedtest.Err(replayed(t, envs.Setup{}, file)), want)
	}
	for _, path := range []string{folder, filepath.Join(folder, "none")} {
		sharedtest.Fails(t, sharedtest.Err(replayed(t, envs.Setup{}, path)), "", path)
	}
}

// Recorded episodes of the reference implementation are replayed without a difference, and
// one that never was differs.
func TestReplayedRecords(t *testing.T) {
	setup := envs.Setup{Data: sharedtest.AgentBoard(t)}
	r, err := replayed(t, setup, sharedtest.Golden(t, "agentboard-logs/pddl.jsonl.gz"))
	if err != nil || len(r.Counts) != 1 || *r.Counts[0] != (replay.Count{Env: "pddl", Episodes: 91, Steps: 2702}) {
		t.Errorf("%v: %+v", err, r.Counts)
	}
	file := filepath.Join(t.TempDir(), "recorded.jsonl")
	sharedtest.OK(t, os.WriteFile(file, []byte(`{"env":"pddl","source":"me","id":0,"steps":[{"action":"dance",`+
		`"observation":"You dance."}]}`), 0o600))
	if r, err = replayed(t, setup, file); err != nil || r.Counts[0].Mismatches == 0 || r.First.Field != "observation" ||
		r.First.Want != "You dance." || r.Location != file+":1" {
		t.Errorf("%v: %+v, first difference %+v at %s", err, r.Counts, r.First, r.Location)
	}
}
