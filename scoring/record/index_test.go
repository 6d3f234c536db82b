package record

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"heldout/envs"
	"heldout/envs/sharedtest"
)

// indexedRun makes a run directory with a manifest for so many tasks and returns
// it with the attempts that fit the plan.
func indexedRun(t testing.TB, tasks int) (dir string, episodes []*Episode) {
	t.Helper()
	env := Environment{Info: envs.Info{Name: "boxes", Source: envs.Generated, StepLimit: 5}, Total: tasks}
	c := Condition{Env: "boxes", Source: envs.Generated, Model: "vllm:M", Agent: "react", Perturbation: "none",
		StepLimit: 5, Seed: 7}
	m := &Manifest{Schema: Schema, Behaviour: 2, Groups: []Group{{Condition: c}}}
	for i := range tasks {
		task := envs.Task{ID: fmt.Sprintf("box/%02d", i), Index: i, Type: "box", Difficulty: envs.Hard,
			Digest: fmt.Sprint(i)}
		id := sharedtest.Must(EpisodeID(2, task, c))(t)
		env.Tasks = append(env.Tasks, task)
		m.Groups[0].Episodes = append(m.Groups[0].Episodes, id)
		e := episode(id)
		e.Task, e.TaskIndex = task.ID, i
		episodes = append(episodes, e)
	}
	m.Environments = []Environment{env}
	dir = t.TempDir()
	content := sharedtest.Must(EncodeFile(m))(t)
	sharedtest.OK(t, os.WriteFile(filepath.Join(dir, manifestFile), content, 0o644))
	return dir, episodes
}

func appended(t *testing.T, dir string, episodes ...*Episode) {
	t.Helper()
	s := open(t, dir)
	for _, e := range episodes {
		sharedtest.OK(t, s.Append(e))
	}
	closed(t, s)
}

func updated(t *testing.T, x *Index) {
	t.Helper()
	sharedtest.OK(t, x.Update())
}

// The index has the results that Read has, gives every episode back, and follows a file that grows.
func TestIndexFollowsARun(t *testing.T) {
	dir, episodes := indexedRun(t, 4)
	x, err := OpenIndex(Parts{dir}) // before there is an episodes file
	if err != nil || x.Results().Len() != 0 {
		t.Fatalf("%d results, %v", x.Results().Len(), err)
	}
	hostile := episodes[1]
	hostile.Goal, hostile.Trajectory[0].Thought = `","goal":"`, "\",\"goal\":\"\x00\xff</script>"
	hostile.Outcome, hostile.Error = ModelError, `,"goal":"x"`
	for n := 1; n <= len(episodes); n++ {
		appended(t, dir, episodes[n-1])
		updated(t, x)
		_, want, err := Read(dir)
		sharedtest.OK(t, err)
		for i := range want { // what no list says
			r := &want[i]
			r.Started, r.ModelSeconds, r.Trimmed, r.PromptTokens, r.Calls, r.Requests = time.Time{}, 0, 0, 0, 0, 0
		}
		if diff := cmp.Diff(want, results(x)); diff != "" || len(want) != n || len(x.Bad) != 0 {
			t.Fatalf("%d lines, bad %v (-Read +Index):\n%s", n, x.Bad, diff)
		}
	}
	i := 0
	sharedtest.OK(t, sharedtest.Err(EachEpisode(Parts{dir}, func(_ *Manifest, want *Episode) {
		got := sharedtest.Must(x.Results().Episode(i))(t)
		sharedtest.Same(t, got, want, "episode", i)
		i++
	})))
}

func results(x *Index) (out []Result) {
	for i := range x.Results().Len() {
		out = append(out, x.Results().Result(i))
	}
	return out
}

// Unfinished lines do not count until they are whole, and bad lines are described.
func TestIndexOfDamagedFiles(t *testing.T) {
	dir, episodes := indexedRun(t, 3)
	appended(t, dir, episodes...)
	name := filepath.Join(dir, episodesFile)
	content := sharedtest.Must(os.ReadFile(name))(t)
	lines := bytes.SplitAfter(content, []byte("\n"))
	elsewhere := *episodes[2]
	elsewhere.ID = "12345678901234567890"
	unplanned := sharedtest.Must(encode(&elsewhere))(t)
	changed := bytes.Replace(lines[1], []byte("It is open."), []byte("It is shut."), 1)
	old := bytes.Replace(cutBefore(lines[2], checksumStart), []byte(`"schema":2`), []byte(`"schema":1`), 1)
	for _, c := range []struct {
		name    string
		content [][]byte
		results int
		bad     string // of each bad line
	}{
		{"the last line is being written", [][]byte{lines[0], lines[1][:len(lines[1])-9]}, 1, ""},
		{"a crash and then more", [][]byte{lines[0], lines[1][:len(lines[1])-9], []byte("\n\n"), lines[2]}, 2, ""},
		{"from before checksums", [][]byte{old}, 1, ""},
		{"no checksum", [][]byte{cutBefore(lines[2], checksumStart)}, 0, "1: checksum: it is missing"},
		{"not planned", [][]byte{lines[0], unplanned}, 1, `2: id: run.json has no episode "12345678901234567890"`},
		{"not JSON", [][]byte{[]byte("{]\n"), lines[0]}, 1, "1: "},
		{"changed in its trajectory", [][]byte{changed}, 0, "1: checksum: the line says"},
		{"another line break", [][]byte{lines[0], bytes.Replace(lines[1], []byte("}\n"), []byte("}\v"), 1)}, 1, "2: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			overwrite(t, dir, episodesFile, bytes.Join(c.content, nil))
			x := sharedtest.Must(OpenIndex(Parts{dir}))(t)
			var bad []string
			for _, b := range x.Bad {
				bad = append(bad, fmt.Sprintf("%d: %v", b.Number, b.Cause))
			}
			if n := len(x.Uncovered()); (n == 1) != (c.name == "from before checksums") {
				t.Errorf("%d files are not covered", n)
			}
			if got := strings.Join(bad, "\n"); x.Results().Len() != c.results || !strings.HasPrefix(got, c.bad) ||
				(got == "") != (c.bad == "") {
				t.Errorf("%d results, bad: %s", x.Results().Len(), got)
			}
		})
	}
	overwrite(t, dir, episodesFile, content)
	x := sharedtest.Must(OpenIndex(Parts{dir}))(t)
	overwrite(t, dir, episodesFile, bytes.Join([][]byte{lines[0], changed, lines[2]}, nil))
	sharedtest.Fails(t, sharedtest.Err(x.Results().Episode(1)), "checksum", "a changed line is read")
	overwrite(t, dir, episodesFile, content)
	overwrite(t, dir, episodesFile, content[:len(lines[0])+20]) // shorter: from the start
	updated(t, x)
	if x.Results().Len() != 1 || x.Results().Result(0).ID != episodes[0].ID {
		t.Errorf("after the file was cut: %d results", x.Results().Len())
	}
	overwrite(t, dir, episodesFile, content)
	updated(t, x)
	sharedtest.Equal(t, x.Results().Len(), 3, "after the last line was finished")
	before := x.Results()
	overwrite(t, dir, episodesFile, bytes.Join([][]byte{lines[1], lines[0], lines[2]}, nil))
	sharedtest.Fails(t, sharedtest.Err(before.Episode(0)), "the file was replaced", "a place in another file")
}

// cutBefore cuts a line before a text and ends it as JSON.
func cutBefore(line []byte, before string) []byte {
	return append(bytes.Clone(line[:bytes.LastIndex(line, []byte(before))]), "}\n"...)
}

// A damaged line of several megabytes is one bad line, and what follows it is indexed.
func TestIndexLongLine(t *testing.T) {
	dir, episodes := indexedRun(t, 30)
	appended(t, dir, episodes...)
	name := filepath.Join(dir, episodesFile)
	content := sharedtest.Must(os.ReadFile(name))(t)
	lines := bytes.SplitAfter(content, []byte("\n"))
	long := bytes.Repeat([]byte("{"), 3<<20)
	content = slices.Concat(bytes.Join(lines[:12], nil), []byte("\n"), long, []byte("]\n"), bytes.Join(lines[12:], nil),
		lines[0][:50])
	overwrite(t, dir, episodesFile, content)
	want, err := OpenIndex(Parts{dir})
	if err != nil || want.Results().Len() != 30 || want.Bad[0].Number != 14 {
		t.Fatalf("%d results, %v, %v", want.Results().Len(), want.Bad, err)
	}
}

// A search finds what the texts hold, however JSON writes it, and counts what it cannot read.
func TestSearch(t *testing.T) {
	dir, episodes := indexedRun(t, 4)
	episodes[2].Goal = "Ünder <b> \"it\" a/b \\ K\n"
	appended(t, dir, episodes...)
	name := filepath.Join(dir, episodesFile)
	content := sharedtest.Must(os.ReadFile(name))(t)
	x := sharedtest.Must(OpenIndex(Parts{dir}))(t)
	r, all := x.Results(), []int{0, 1, 2, 3}
	overwrite(t, dir, episodesFile, bytes.Replace(content, []byte("It is open."), []byte("It is shut."), 1))
	for text, want := range map[string]int{
		"the BOX": 2, "ünder": 1, "<B> \"it\"": 1, "a/b \\": 1, "no such text": 0, "": 3,
	} {
		got := 0
		bad, err := r.Search(t.Context(), all, text, func(i int, e *Episode) bool {
			sharedtest.Equal(t, e.ID, x.Results().Result(i).ID, "attempt", i, "is")
			if strings.Contains(strings.ToLower(e.Goal), strings.ToLower(text)) {
				got++
			}
			return true
		})
		if err != nil || got != want || bad > 1 {
			t.Errorf("%q: %d hits, %d bad, %v; want %d", text, got, bad, err, want)
		}
	}
	if bad, err := r.Search(t.Context(), all, "", func(int, *Episode) bool { return false }); bad != 1 ||
		err != nil {
		t.Errorf("stopped after the first: %d bad, %v", bad, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Search(ctx, all, "", nil); err == nil {
		t.Error("a cancelled search ends without an error")
	}
}

func TestStatus(t *testing.T) {
	dir := t.TempDir()
	if s, err := readStatus(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without a file: %v, %v", s, err)
	}
	store := open(t, dir)
	defer closed(t, store)
	left := 12.5
	want := &Status{Planned: 9, Done: 4, Updated: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), RemainingSeconds: &left,
		InFlight: []InFlight{{ID: "a", Steps: 3}}}
	for range 2 {
		sharedtest.OK(t, store.SetStatus(want))
	}
	got := sharedtest.Must(readStatus(dir))(t)
	sharedtest.Same(t, got, want)
	sharedtest.OK(t, store.RemoveStatus())
	sharedtest.Equal(t, len(sharedtest.Must(os.ReadDir(dir))(t)), 2, "left behind")
	for _, content := range []string{"", "{", "[]", `{"schema":3}`, `{"schema":2}`, `{"schema":1,"done":"many"}`} {
		overwrite(t, dir, statusFile, []byte(content))
		if s, err := readStatus(dir); err == nil {
			t.Errorf("%q is read as %+v", content, s)
		}
	}
}

// BenchmarkIndex opens a run of 2,000 episodes.
func BenchmarkIndex(b *testing.B) {
	dir, episodes := indexedRun(b, 2000)
	s := sharedtest.Must(Open(dir))(b)
	var lines []byte
	for _, e := range episodes {
		text := sharedtest.Must(encode(e))(b)
		lines = append(lines, text...)
	}
	sharedtest.OK(b, errors.Join(os.WriteFile(filepath.Join(dir, episodesFile), lines, 0o644), s.Close()))
	for b.Loop() {
		if x, err := OpenIndex(Parts{dir}); err != nil || x.Results().Len() != len(episodes) {
			b.Fatalf("%d results, %v", x.Results().Len(), err)
		}
	}
}
