package frame

import (
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/scoring/record"
)

var began = time.Date(2026, 1, 2, 3, 4, 5, 678000, time.UTC)

// attempt is an attempt at task i that ended so many seconds after the start.
type attempt struct {
	task, number, ended int
	outcome             record.Outcome
}

// makeRun writes a run of three tasks.
func makeRun(t testing.TB, attempts ...attempt) record.Parts {
	t.Helper()
	info := envs.Info{Name: "pddl", Source: envs.Generated, StepLimit: 30}
	c := record.Condition{Env: "pddl", Source: envs.Generated, Model: "vllm:m", Agent: "react",
		Decoding: &record.Decoding{Temperature: 0.5, TopP: 1, MaxTokens: 9}, Perturbation: "none", StepLimit: 30}
	m := &record.Manifest{Schema: record.Schema, Behaviour: 2,
		Environments: []record.Environment{{Info: info, Total: 3}}, Groups: []record.Group{{Condition: c}},
		Servers: map[string][]record.ServerReport{"vllm:m": {{Software: "x"}, {Software: "vllm", Version: "1"}}}}
	for i := range 3 {
		task := envs.Task{ID: fmt.Sprintf("gripper/%d", i), Index: i, Type: "gripper", Digest: fmt.Sprint(i)}
		id := sharedtest.Must(record.EpisodeID(m.Behaviour, task, c))(t)
		m.Environments[0].Tasks = append(m.Environments[0].Tasks, task)
		m.Groups[0].Episodes = append(m.Groups[0].Episodes, id)
	}
	dir := t.TempDir()
	s := sharedtest.Must(record.Open(dir))(t)
	sharedtest.OK(t, s.SetManifest(m))
	for _, a := range attempts {
		sharedtest.OK(t, s.Append(episode(m, a)))
	}
	sharedtest.OK(t, s.Close())
	return record.Parts{dir}
}

// episode is the record of an attempt. A solved one has two steps.
func episode(m *record.Manifest, a attempt) *record.Episode {
	task, c := m.Environments[0].Tasks[a.task], m.Groups[0].Condition
	e := &record.Episode{Goal: "put \x00 <b>é</b>", Observation: "a room"}
	e.Schema, e.ID, e.Attempt = record.Schema, m.Groups[0].Episodes[a.task], a.number
	e.Env, e.Source, e.Task, e.TaskIndex, e.TaskType = c.Env, c.Source, task.ID, task.Index, task.Type
	e.Model, e.Agent, e.Perturbation, e.Outcome = c.Model, c.Agent, c.Perturbation, a.outcome
	e.Started, e.Ended = began, began.Add(time.Duration(a.ended)*time.Second)
	e.PromptTokens, e.Calls, e.Requests = 5, 2, 2
	switch a.outcome {
	case record.Success:
		e.Success, e.Progress, e.Steps, e.Grounding = true, 1, 2, 0.5
		e.FormatErrors, e.Faults = 1, map[record.Fault]int{record.NoAction: 1}
		e.Trajectory = []record.Step{
			{Observation: "What?", FormatError: true, Fault: record.NoAction, Reply: "hm"},
			{Thought: "so", Action: "look", Observation: "won", Progress: 1, Valid: true, PromptTokens: 5},
		}
	case record.Failure:
	default:
		e.Error = "the server is gone"
	}
	return e
}

func readRows[T any](t *testing.T, dir, name string) []T {
	t.Helper()
	return sharedtest.Must(parquet.ReadFile[T](filepath.Join(dir, name+".parquet")))(t)
}

// brief says which attempts are in the file of episodes, and which of them count.
func brief(rows []EpisodeRow) (out []string) {
	for _, r := range rows {
		out = append(out, fmt.Sprintf("%s %d %s %v", r.Task, r.Attempt, r.Outcome, r.Counts))
	}
	return out
}

func TestWrite(t *testing.T) {
	run := makeRun(t, attempt{0, 1, 1, record.ModelError}, attempt{1, 1, 2, record.Failure},
		attempt{0, 2, 3, record.Success})
	dir := t.TempDir()
	report := sharedtest.Must(Write(t.Context(), []record.Parts{run}, Options{Dir: dir, Texts: true, Steps: true}))(t)
	if report.Runs != 1 || report.Episodes != 2 || report.Steps != 2 || len(report.Files) != 4 {
		t.Errorf("%+v", report)
	}
	episodes := readRows[EpisodeRow](t, dir, "episodes")
	want := []string{"gripper/1 1 failure true", "gripper/0 2 success true"}
	sharedtest.Equal(t, cmp.Diff(want, brief(episodes)), "")
	e := episodes[1]
	if e.FaultNoAction != 1 || !e.Ended.Equal(began.Add(3*time.Second)) || e.Goal == nil ||
		*e.Goal != "put \x00 <b>é</b>" ||
		e.Error != nil || e.Trial != nil || e.Progress != 1 {
		t.Errorf("%+v", e)
	}
	steps := readRows[StepRow](t, dir, "steps")
	if len(steps) != 2 || steps[0].Fault == nil || *steps[0].Fault != "no_action" || *steps[0].Reply != "hm" ||
		steps[1].Step != 1 || *steps[1].Action != "look" || steps[1].Reply != nil || steps[1].ID != e.ID {
		t.Errorf("%+v", steps)
	}
	r := readRows[RunRow](t, dir, "runs")
	if r[0].State != "incomplete" || *r[0].Success != 0.5 || *r[0].SuccessLow <= 0 || *r[0].SuccessHigh >= 1 ||
		*r[0].Progress != 0.5 || r[0].Interval != "kinds" ||
		*r[0].ServerSoftware != "vllm" || r[0].ModelDigest != nil ||
		!r[0].Started.Equal(began) || !r[0].Ended.Equal(began.Add(3*time.Second)) {
		t.Errorf("%+v", r)
	}
	if len(r) != 1 || r[0].Planned != 3 || r[0].Finished != 2 || r[0].Failed != 1 || r[0].PromptTokens != 15 ||
		*r[0].Temperature != 0.5 || r[0].Preset != nil || r[0].Run != filepath.Base(run[0]) {
		t.Errorf("%+v", r)
	}
}

var update = flag.Bool("update", false, "write testdata/columns.txt")

// Names and types of columns stay: users have code that depends on them. A new column
// does not change an old one.
func TestColumns(t *testing.T) {
	got := fmt.Sprintln(parquet.SchemaOf(RunRow{}), parquet.SchemaOf(EpisodeRow{}), parquet.SchemaOf(StepRow{}))
	if *update {
		sharedtest.OK(t, os.WriteFile("testdata/columns.txt", []byte(got), 0o666))
	}
	want := sharedtest.Must(os.ReadFile("testdata/columns.txt"))(t)
	sharedtest.Equal(t, cmp.Diff(string(want), got), "")
}

// A run of which nothing was played has rows without rates.
func TestNothingPlayed(t *testing.T) {
	dir := t.TempDir()
	sharedtest.OK(t, sharedtest.Err(Write(t.Context(), []record.Parts{makeRun(t)}, Options{Dir: dir, Steps: true})))
	r := readRows[RunRow](t, dir, "runs")
	if len(r) != 1 || r[0].State != "incomplete" || r[0].Planned != 3 || r[0].Success != nil ||
		r[0].SuccessLow != nil || r[0].Started != nil {
		t.Errorf("%+v", r)
	}
}

// An attempt that counts may stand behind one that does not, where two processes
// worked on a run at once.
func TestOtherOneCounts(t *testing.T) {
	run := makeRun(t, attempt{2, 1, 9, record.Failure}, attempt{1, 1, 5, record.Failure},
		attempt{2, 1, 8, record.Success},
		attempt{2, 1, 7, record.Failure}, attempt{1, 2, 4, record.Success})
	for _, attempts := range []bool{false, true} {
		dir := t.TempDir()
		sharedtest.OK(t, sharedtest.Err(Write(t.Context(), []record.Parts{run}, Options{Dir: dir, Attempts: attempts})))
		want := []string{"gripper/1 1 failure true", "gripper/2 1 failure true"}
		if attempts {
			want = []string{"gripper/2 1 failure false", "gripper/1 1 failure true", "gripper/2 1 success false",
				"gripper/2 1 failure true", "gripper/1 2 success false"}
		}
		sharedtest.Equal(t, cmp.Diff(want, brief(readRows[EpisodeRow](t, dir, "episodes"))), "")
		if r := readRows[RunRow](t, dir, "runs"); r[0].Finished != 2 {
			t.Errorf("%d are finished, want 2", r[0].Finished)
		}
		if _, err := os.Stat(filepath.Join(dir, "steps.parquet")); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("steps are there: %v", err)
		}
	}
}

// The same records give the same bytes, and files that are there stay.
func TestSameBytes(t *testing.T) {
	run := makeRun(t, attempt{0, 1, 1, record.Success}, attempt{1, 1, 2, record.Failure})
	var sums []string
	dir := t.TempDir()
	for _, force := range []bool{false, true} {
		sharedtest.OK(t, sharedtest.Err(Write(t.Context(), []record.Parts{run, run},
			Options{Dir: dir, Texts: true, Steps: true, Force: force})))
		sum := sha256.New()
		for _, name := range []string{"runs", "episodes", "steps"} {
			b := sharedtest.Must(os.ReadFile(filepath.Join(dir, name+".parquet")))(t)
			sum.Write(b)
		}
		sums = append(sums, fmt.Sprintf("%x", sum.Sum(nil)))
	}
	sharedtest.Equal(t, sums[0], sums[1], "the bytes differ")
	if _, err := Write(t.Context(), []record.Parts{run}, Options{Dir: dir}); err == nil {
		t.Error("files are replaced without force")
	}
}

// Nothing is left of files that could not be written whole.
func TestBadRun(t *testing.T) {
	run := makeRun(t, attempt{0, 1, 1, record.Success})
	name := filepath.Join(run[0], "episodes.jsonl")
	b := sharedtest.Must(os.ReadFile(name))(t)
	b[len(b)/2] ^= 1
	sharedtest.OK(t, os.WriteFile(name, b, 0o666))
	dir := t.TempDir()
	if _, err := Write(t.Context(), []record.Parts{run}, Options{Dir: dir, Steps: true}); err == nil {
		t.Error("a changed record is read")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
}
