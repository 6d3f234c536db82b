package record

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"heldout/envs"
	"heldout/envs/sharedtest"
)

// plannedRun makes a run directory with a plan of n tasks and an attempt at each,
// and returns the lines of its episodes file.
func plannedRun(t *testing.T, dir string, n int) [][]byte {
	t.Helper()
	m := manifest()
	env, g := &m.Environments[0], &m.Groups[0]
	env.Tasks, g.Episodes = nil, nil
	s := open(t, dir)
	for i := range n {
		task := envs.Task{ID: fmt.Sprintf("box/%02d", i), Index: i, Type: "box", Difficulty: envs.Hard,
			Digest: fmt.Sprint("digest ", i)}
		id := sharedtest.Must(EpisodeID(1, task, g.Condition))(t)
		env.Tasks, g.Episodes = append(env.Tasks, task), append(g.Episodes, id)
	}
	sharedtest.OK(t, s.SetManifest(m))
	for i, id := range g.Episodes {
		e := episode(id)
		e.Task, e.TaskIndex = env.Tasks[i].ID, i
		sharedtest.OK(t, s.Append(e))
	}
	closed(t, s)
	content := sharedtest.Must(os.ReadFile(filepath.Join(dir, episodesFile)))(t)
	return bytes.SplitAfter(content, []byte("\n"))[:n]
}

// TestRecordsContradictThePlan changes one thing of a line, with a checksum that is right: reading and working name
// file, line and field. Working does not look at the trajectory then.
func TestRecordsContradictThePlan(t *testing.T) {
	ofTrajectory := []string{"steps: 3 contradicts", "format_errors: 0 contradicts", "grounding: 1 contradicts",
		"progress: 1 contradicts", "trajectory[1].valid: ", "trajectory[0].progress: "}
	for want, change := range map[string]func(*Episode){
		`id: run.json has no episode "x"`: func(e *Episode) { e.ID = "x" },
		"env: ":                           func(e *Episode) { e.Env = "chess" },
		"source: ":                        func(e *Episode) { e.Source = envs.Official },
		"task: ":                          func(e *Episode) { e.Task = "box/00" },
		"task_index: ":                    func(e *Episode) { e.TaskIndex = 0 },
		"task_type: ":                     func(e *Episode) { e.TaskType = "" },
		"difficulty: ":                    func(e *Episode) { e.Difficulty = envs.Easy },
		"model: ":                         func(e *Episode) { e.Model = "vllm:N" },
		"agent: ":                         func(e *Episode) { e.Agent = "act" },
		"seed: it is 8, but":              func(e *Episode) { e.Seed++ },
		"perturbation: ":                  func(e *Episode) { e.Perturbation = "P1" },
		"attempt: ":                       func(e *Episode) { e.Attempt = 0 },
		"success: outcome failure":        func(e *Episode) { e.Success = true },
		"error: outcome failure":          func(e *Episode) { e.Error = "broken" },
		"steps: 3 contradicts":            func(e *Episode) { e.Steps++ },
		"format_errors: 0 contradicts":    func(e *Episode) { e.FormatErrors = 0 },
		"grounding: 1 contradicts":        func(e *Episode) { e.Grounding = 1 },
		"progress: 1 contradicts":         func(e *Episode) { e.Progress = 1 },
		"trajectory[1].valid: ":           func(e *Episode) { e.Trajectory[1].Valid = true },
		"trajectory[0].progress: ":        func(e *Episode) { e.Trajectory[0].Progress = 2 },
		"steps: there are 31, but the step limit": func(e *Episode) {
			step := e.Trajectory[1]
			for len(e.Trajectory) < 31 {
				e.Trajectory = append(e.Trajectory, step)
				e.FormatErrors++
			}
			e.Steps, e.Grounding = 31, 1.0/31
		},
	} {
		t.Run(want, func(t *testing.T) {
			dir := t.TempDir()
			lines := plannedRun(t, dir, 3)
			e := sharedtest.Must(decoded(lines[1]))(t)
			change(&e)
			lines[1] = sharedtest.Must(encode(&e))(t)
			overwrite(t, dir, episodesFile, bytes.Join(lines, nil))
			_, _, readErr := Read(dir)
			errs := []error{readErr}
			s, openErr := Open(dir)
			if slices.Contains(ofTrajectory, want) {
				if openErr != nil || len(s.Attempts) != 3 {
					t.Fatalf("it was not opened: %v", openErr)
				}
				closed(t, s)
				s = nil
			} else {
				errs = append(errs, openErr)
			}
			for _, err := range errs {
				if err == nil || !strings.Contains(err.Error(), filepath.Join(dir, "episodes.jsonl:2: ")+want) ||
					!strings.Contains(err.Error(), "heldout repair "+dir) {
					t.Errorf("error %v", err)
				}
			}
			if s != nil {
				t.Fatal("it was opened")
			}
			r, err := Repair(dir)
			if err != nil || r.Attempts != 2 || len(r.Bad) != 1 || r.Bad[0].Number != 2 ||
				!strings.HasPrefix(r.Bad[0].Cause.Error(), want) {
				t.Fatalf("repaired %+v, error %v", r, err)
			}
			if len(r.Missing) != 1 || cmp.Diff([]string{"box/01"}, r.Missing[0].Tasks) != "" || r.Planned != 3 {
				t.Errorf("missing %+v of %d", r.Missing, r.Planned)
			}
			aside, err := os.ReadFile(r.File)
			if err != nil || !bytes.Equal(aside, lines[1]) {
				t.Errorf("set aside, error %v:\n%s", err, aside)
			}
			if _, results, err := Read(dir); err != nil || len(results) != 2 {
				t.Errorf("afterwards %d results, error %v", len(results), err)
			}
		})
	}
}

// TestManifestContradictsItself edits run.json.
func TestManifestContradictsItself(t *testing.T) {
	for name, c := range map[string]struct{ from, to, want string }{
		"step limit": {`"step_limit": 30,` + "\n        \"seed\"", `"step_limit": 31,` + "\n        \"seed\"",
			"groups[0].episodes[0]: the id of task box/00"},
		"extra":  {`"top_k": 20`, `"top_k": 21`, "groups[0].episodes[0]: "},
		"task":   {`"id": "box/01"`, `"id": "box/11"`, "groups[0].episodes[1]: the id of task box/11"},
		"source": {`"source": "generated"`, `"source": "official"`, "groups[0].condition: source or settings"},
		"type":   {`"type": "box"`, `"type": "bag"`, "episodes.jsonl:1: task_type: "},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			plannedRun(t, dir, 2)
			file := filepath.Join(dir, manifestFile)
			b, err := os.ReadFile(file)
			if err != nil || !strings.Contains(string(b), c.from) {
				t.Fatalf("error %v, no %s in\n%s", err, c.from, b)
			}
			changed := strings.Replace(string(b), c.from, c.to, 1)
			overwrite(t, dir, manifestFile, []byte(changed))
			sharedtest.Fails(t, sharedtest.Err(ReadManifest(dir)), "", "it was read")
			body, _, _ := cutSeal([]byte(strings.Replace(changed, `"schema": 2`, `"schema": 1`, 1)))
			overwrite(t, dir, manifestFile, append(body, '}')) // which no checksum covers
			if _, _, err := Read(dir); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
	t.Run("an id twice", func(t *testing.T) {
		dir := t.TempDir()
		plannedRun(t, dir, 1)
		m := sharedtest.Must(ReadManifest(dir))(t)
		m.Groups = append(m.Groups, m.Groups[0])
		b := sharedtest.Must(EncodeFile(m))(t)
		overwrite(t, dir, manifestFile, b)
		line := 1 + strings.Count(string(b[:bytes.LastIndex(b, []byte(m.Groups[0].Episodes[0]))]), "\n")
		want := fmt.Sprintf("%s:%d: groups[1].episodes[0]: the id is there twice",
			filepath.Join(dir, manifestFile), line)
		if _, err := ReadManifest(dir); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	})
}

// TestBigNumbers: a number that is no float keeps its digits, so that the ids of
// a run can be computed from its manifest.
func TestBigNumbers(t *testing.T) {
	dir := t.TempDir()
	m := manifest()
	c := &m.Groups[0].Condition
	c.Decoding.Extra["big"] = uint64(1<<60 + 1)
	id := sharedtest.Must(EpisodeID(1, m.Environments[0].Tasks[0], *c))(t)
	m.Groups[0].Episodes[0] = id
	s := open(t, dir)
	defer s.Close()
	sharedtest.OK(t, s.SetManifest(m))
	if _, err := ReadManifest(dir); err != nil {
		t.Error(err)
	}
}

// TestRepairOfManyKinds: torn lines and temporary files go, and it says so; nothing else
// changes, files of the user least of all, and a second repair finds nothing.
func TestRepairOfManyKinds(t *testing.T) {
	dir := t.TempDir()
	lines := plannedRun(t, dir, 3)
	bad := []byte("garbage\n")
	flipped := bytes.Replace(lines[1], []byte("It is open"), []byte("It is shut"), 1)
	torn := lines[2][:70]
	content := bytes.Join([][]byte{bad, lines[0], flipped, torn, []byte("\n\n"), lines[2][:len(lines[2])-1]}, nil)
	overwrite(t, dir, episodesFile, content)
	leftovers := []string{"run.json.heldout-unfinished1", "episodes.jsonl.heldout-unfinished2"}
	mine := []string{"run.json123", "run.json.tmp1", "episodes.jsonl20261122", "episodes.jsonl.heldout-unfinished"}
	for _, name := range append(mine, leftovers...) {
		overwrite(t, dir, name, nil)
	}
	r, err := Repair(dir)
	if err != nil || r.Attempts != 2 || len(r.Bad) != 3 {
		t.Fatalf("%+v, error %v", r, err)
	}
	for _, name := range leftovers {
		if want := dir + ": removed " + name + ", which a killed process left"; !slices.Contains(r.Warnings, want) {
			t.Errorf("%q, want %s", r.Warnings, want)
		}
	}
	after, err := os.ReadFile(filepath.Join(dir, episodesFile))
	if err != nil || !bytes.Equal(after, append(bytes.Clone(lines[0]), lines[2]...)) {
		t.Errorf("error %v:\n%s", err, after)
	}
	aside, err := os.ReadFile(filepath.Join(dir, asideFile))
	if want := bytes.Join([][]byte{bad, flipped, torn, []byte("\n")}, nil); err != nil || !bytes.Equal(aside, want) {
		t.Errorf("set aside, error %v:\n%s", err, aside)
	}
	if r, err := Repair(dir); err != nil || len(r.Bad) != 0 || r.File != "" || r.Attempts != 2 {
		t.Errorf("again: %+v, error %v", r, err)
	}
	entries, err := os.ReadDir(dir)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	want := append(mine, episodesFile, asideFile, lockFile, manifestFile)
	slices.Sort(want)
	if diff := cmp.Diff(want, names); diff != "" || err != nil {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
}

// TestRepairGluesNothing: the half line that a killed process of an earlier version left
// among those set aside stays one by itself.
func TestRepairGluesNothing(t *testing.T) {
	dir := t.TempDir()
	lines := plannedRun(t, dir, 2)
	overwrite(t, dir, asideFile, lines[0][:70])
	overwrite(t, dir, episodesFile, bytes.Join([][]byte{[]byte("bad\n"), lines[1]}, nil))
	r, err := Repair(dir)
	if err != nil || len(r.Bad) != 1 {
		t.Fatalf("%+v, error %v", r, err)
	}
	aside, err := os.ReadFile(r.File)
	if want := string(lines[0][:70]) + "\nbad\n"; err != nil || string(aside) != want {
		t.Errorf("set aside, error %v:\n%s", err, aside)
	}
}

// TestRepairRefuses: what is no run directory, what comes from the future, what
// another process works on, and what does not fit the disk, stays as it is.
func TestRepairRefuses(t *testing.T) {
	nowhere := filepath.Join(t.TempDir(), "nowhere")
	sharedtest.Fails(t, sharedtest.Err(Repair(nowhere)), "does not exist")
	sharedtest.Fails(t, sharedtest.Err(os.Stat(nowhere)), "", "it was made")
	dir := t.TempDir()
	lines := plannedRun(t, dir, 2)
	content := bytes.Join(append(lines, []byte("bad\n"), []byte(`{"schema": 3}`+"\n")), nil)
	overwrite(t, dir, episodesFile, content)
	sharedtest.Fails(t, sharedtest.Err(Repair(dir)), "episodes.jsonl:4: it has schema 3")
	content = bytes.Join(append(lines, []byte("bad\n"), lines[0]), nil)
	overwrite(t, dir, episodesFile, content)
	d := realDisk()
	d.rename = func(string, string) error { return syscall.ENOSPC }
	sharedtest.Fails(t, sharedtest.Err(repairOn(d, dir)), "is as it was")
	if left, err := filepath.Glob(filepath.Join(dir, "*"+Unfinished+"*")); len(left) > 0 || err != nil {
		t.Errorf("left behind: %q, %v", left, err)
	}
	if after, err := os.ReadFile(filepath.Join(dir, episodesFile)); err != nil || !bytes.Equal(after, content) {
		t.Errorf("error %v, the file is now\n%s", err, after)
	}
	other := sharedtest.Must(lockOn(realDisk(), dir))(t)
	defer other.release()
	sharedtest.Fails(t, sharedtest.Err(Repair(dir)), ErrBusy.Error())
}
