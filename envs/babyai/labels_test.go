package babyai

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"heldout/envs"
	"heldout/envs/agentboard"
	"heldout/envs/sharedtest"
)

// labelLine writes a line of a label file.
func labelLine(id int, level, subgoals string, difficulty envs.Difficulty) string {
	return fmt.Sprintf(
		`{"id":%d,"task":"babyai","goal":"x",%s,"difficulty":%q,"additional_info":{"subtask":%q,"init_obs":"y"}}`, id,
		subgoals, difficulty, level)
}

// labelFolder makes a data folder whose lines a test may change.
func labelFolder(t *testing.T, change func(lines []string) []string) string {
	t.Helper()
	var lines []string
	for i, p := range benchmark() {
		lines = append(lines, labelLine(i, p.level.ID, `"subgoals":["There is a **","never"]`, envs.Easy))
	}
	dir := t.TempDir()
	file := filepath.Join(dir, filepath.FromSlash(labelFile))
	sharedtest.OK(t, os.MkdirAll(filepath.Dir(file), 0o700))
	sharedtest.OK(t, os.WriteFile(file, []byte(strings.Join(change(lines), "\n")), 0o600))
	return dir
}

func same(lines []string) []string { return lines }

func TestLabels(t *testing.T) {
	e := opened(t, Options{Data: labelFolder(t, func(lines []string) []string {
		lines[1] = labelLine(1, benchmark()[1].level.ID, `"subgoals":["never"]`, envs.Hard)
		return lines
	})})
	info := e.Info()
	want := envs.Info{Name: Name, Source: envs.Official, Settings: map[string]string{"labels": "agentboard"},
		StepLimit: 30, DataHash: info.DataHash}
	if diff := cmp.Diff(want, info); diff != "" || len(info.DataHash) != 64 {
		t.Error(diff)
	}
	sharedtest.Equal(t, e.Tasks()[1].Difficulty, envs.Hard, "task 1")
	w, _ := played(t, e, e.Tasks()[3].ID)
	s := act(t, w, "turn left")
	for !strings.Contains(s.Observation, "There is a") {
		s = act(t, w, "turn left")
	}
	if s.Progress != 0.5 || s.Done {
		t.Errorf("%+v", s)
	}
}

// Labels are part of what a task is.
func TestDigests(t *testing.T) {
	plain := opened(t, Options{}).Tasks()
	gym := opened(t, Options{Variant: AgentGym}).Tasks()
	one := opened(t, Options{Data: labelFolder(t, same)}).Tasks()
	other := opened(t, Options{Data: labelFolder(t, func(lines []string) []string {
		lines[5] = strings.Replace(lines[5], "never", "ever", 1)
		return lines
	})}).Tasks()
	seen := map[string]string{}
	for name, tasks := range map[string][]envs.Task{"plain": plain, "gym": gym, "labels": one} {
		for _, task := range tasks {
			if before, ok := seen[task.Digest]; ok {
				t.Errorf("%s of %s has the digest of %s", task.ID, name, before)
			}
			seen[task.Digest] = name + " " + task.ID
		}
	}
	for i := range one {
		sharedtest.Equal(t, one[i] == other[i], i != 5, "task", i, one[i], other[i])
	}
}

func TestBadLabels(t *testing.T) {
	first := benchmark()[0].level.ID
	with := func(line string) func([]string) []string {
		return func(lines []string) []string { lines[0] = line; return lines }
	}
	for want, change := range map[string]func([]string) []string{
		"has 111 lines, but there are 112 tasks": func(lines []string) []string { return lines[:111] },
		"test.jsonl:1: want id 0, got 7":         with(labelLine(7, first, `"subgoals":["x"]`, envs.Easy)),
		`test.jsonl:1: want difficulty "easy"`:   with(labelLine(0, first, `"subgoals":["x"]`, "odd")),
		`test.jsonl:1: the line is about "moon"`: with(labelLine(0, "moon", `"subgoals":["x"]`, envs.Easy)),
		"test.jsonl:1: subgoals are missing":     with(labelLine(0, first, `"goals":["x"]`, envs.Easy)),
		"test.jsonl:1: a list of 0 subgoals":     with(labelLine(0, first, `"subgoals":[]`, envs.Easy)),
		"test.jsonl:1: a list of 1 subgoals": with(labelLine(0, first, `"subgoals":["x","y"],"subgoals_1":["z"]`,
			envs.Easy)),
		`test.jsonl:1: "subgoals": want a list`: with(labelLine(0, first, `"subgoals":"x"`, envs.Easy)),
		"test.jsonl:1: no is neither true":      with("no"),
	} {
		sharedtest.Fails(t, sharedtest.Err(New(Options{Data: labelFolder(t, change)})), want)
	}
	if _, err := New(Options{Data: t.TempDir()}); err == nil ||
		!strings.HasPrefix(err.Error(), "the labels of the official BabyAI tasks are missing") {
		t.Error(err)
	}
}

// Other keys with sub-goals count only beside a first alternative, in the order of the line.
func TestWays(t *testing.T) {
	for fields, want := range map[string][][]string{
		`"subgoals":["a"]`:                                        {{"a"}},
		`"my_subgoals":["b"],"subgoals":["a"]`:                    {{"a"}},
		`"subgoals_1":["b"],"subgoals":["a"]`:                     {{"b"}, {"a"}},
		`"subgoals":["a"],"subgoals_1":["b"],"my_subgoals":["c"]`: {{"a"}, {"b"}, {"c"}},
	} {
		l, err := parseLabel([]byte(labelLine(0, "x", fields, envs.Easy)), 0)
		if err != nil {
			t.Error(err)
		}
		sharedtest.Same(t, l.ways, want, fields)
	}
}

// FuzzLabels reads label files of any content.
func FuzzLabels(f *testing.F) {
	f.Add([]byte(labelLine(0, "x", `"subgoals":["a","b"],"subgoals_1":["c","d"]`, envs.Easy)))
	f.Add([]byte("{}\n[]\n1"))
	f.Fuzz(func(t *testing.T, b []byte) {
		labels, err := agentboard.Labels("labels", b, parseLabel)
		for _, l := range labels {
			if err != nil || len(l.ways) == 0 || len(l.ways[0]) == 0 || newSubgoals(l.ways).total != len(l.ways[0]) {
				t.Fatalf("%+v, %v", l, err)
			}
			if text, err := json.Marshal(l.ways); err != nil || len(text) > 10*len(b) {
				t.Fatalf("%d bytes of sub-goals from %d: %v", len(text), len(b), err)
			}
		}
	})
}
