package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"heldout/envs"
)

// episode makes an attempt with everything in it that can be.
func episode(id string) *Episode {
	return &Episode{
		Result: Result{
			Schema: Schema, ID: id, Attempt: 1,
			Env: "boxes", Source: envs.Generated, Task: "box/01", TaskIndex: 3, TaskType: "box", Difficulty: envs.Hard,
			Model: "vllm:M", Agent: "react", Seed: 7, Perturbation: "none",
			Outcome: Failure, Progress: 1.0 / 3, Grounding: 0.5, Steps: 2, FormatErrors: 1, Trimmed: 4,
			PromptTokens: 100, CompletionTokens: 20, Calls: 3, Requests: 5, ModelSeconds: 0.125,
			Started: time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC), Ended: time.Date(2026, 1, 2, 3, 5, 0, 0, time.UTC),
		},
		Goal: "The box is open.", Observation: "You see a box.",
		Trajectory: []Step{
			{Thought: "A \"box\"\nof 木 \x1b[31m<&>\u2028", Action: "open box", Observation: "It is open.", Progress: 1.0 / 3, Valid: true},
			{Observation: "What?", Progress: 1.0 / 3, FormatError: true, Reply: "Hm.", Reasoning: "Hm?"},
		},
	}
}

func open(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func closed(t *testing.T, s *Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// recorded makes a run directory with episodes and returns the content of its
// episodes file.
func recorded(t *testing.T, dir string, ids ...string) []byte {
	t.Helper()
	s := open(t, dir)
	for _, id := range ids {
		if err := s.Append(episode(id)); err != nil {
			t.Fatal(err)
		}
	}
	closed(t, s)
	b, err := os.ReadFile(filepath.Join(dir, episodesFile))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func overwrite(t *testing.T, dir, file string, content []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, file), content, 0o644); err != nil {
		t.Fatal(err)
	}
}

func ids(results []Result) (out []string) {
	for _, r := range results {
		out = append(out, r.ID)
	}
	return out
}

func TestAppendAndRead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs", "new")
	content := recorded(t, dir, "a", "b")
	if n := bytes.Count(content, []byte("\n")); n != 2 || content[len(content)-1] != '\n' {
		t.Errorf("%d lines in\n%s", n, content)
	}
	want := []Result{episode("a").Result, episode("b").Result}
	got, err := ReadResults(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	s := open(t, dir)
	defer s.Close()
	if diff := cmp.Diff(want, s.Results); diff != "" || s.Recovered != 0 {
		t.Errorf("opened again, %d recovered (-want +got):\n%s", s.Recovered, diff)
	}
}

// TestAppendNamesTheSchema: which one it is, is the store's to say.
func TestAppendNamesTheSchema(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	defer s.Close()
	e := episode("a")
	e.Schema = 0
	if err := s.Append(e); err != nil {
		t.Fatal(err)
	}
	if results, err := ReadResults(dir); err != nil || results[0].Schema != Schema {
		t.Errorf("%v, %v", results, err)
	}
}

func TestReadResultsOfNothing(t *testing.T) {
	results, err := ReadResults(t.TempDir())
	if results != nil || err != nil {
		t.Errorf("%v, %v", results, err)
	}
}

// TestTornLine cuts the last line at every byte: what was there before is kept,
// and the run goes on behind it.
func TestTornLine(t *testing.T) {
	dir := t.TempDir()
	content := recorded(t, dir, "a", "b")
	first := bytes.IndexByte(content, '\n') + 1
	whole := len(content)
	for size := first; size < whole; size++ {
		overwrite(t, dir, episodesFile, content[:size])
		results, err := ReadResults(dir)
		if diff := cmp.Diff([]string{"a"}, ids(results)); diff != "" || err != nil {
			t.Fatalf("cut at %d: error %v (-want +got):\n%s", size, err, diff)
		}
		s := open(t, dir)
		if diff := cmp.Diff([]string{"a"}, ids(s.Results)); diff != "" || s.Recovered != size-first {
			t.Fatalf("cut at %d: %d recovered (-want +got):\n%s", size, s.Recovered, diff)
		}
		if err := s.Append(episode("b")); err != nil {
			t.Fatal(err)
		}
		closed(t, s)
		again, err := os.ReadFile(filepath.Join(dir, episodesFile))
		if err != nil || !bytes.Equal(again, content) {
			t.Fatalf("cut at %d: error %v, and then\n%s", size, err, again)
		}
	}
}

// TestTail: what a crash can leave behind the last whole line is taken away,
// nothing else is.
func TestTail(t *testing.T) {
	whole := recorded(t, t.TempDir(), "a")
	line := string(recorded(t, t.TempDir(), "b"))
	zeros := strings.Repeat("\x00", 4096)
	for name, c := range map[string]struct {
		tail string
		lost int
		err  string
	}{
		"zeros":                          {zeros, len(zeros), ""},
		"half a line and zeros":          {line[:100] + zeros, 100 + len(zeros), ""},
		"zeros up to the line's end":     {zeros + line[100:], len(zeros) + len(line) - 100, ""},
		"zeros in the middle of a line":  {line[:50] + zeros + line[100:], len(line) - 50 + len(zeros), ""},
		"a blank":                        {" ", 1, ""},
		"a blank line":                   {"\n", 1, ""},
		"garbage, then a line":           {"garbage\n" + line, 0, "episodes.jsonl:2: "},
		"a blank line, then a line":      {"\n" + line, 0, "episodes.jsonl:2: "},
		"zeros, then a line":             {zeros + "\n" + line, 0, "episodes.jsonl:2: "},
		"a line, garbage, then a line":   {line + "{]\n" + line, 0, "episodes.jsonl:3: "},
		"something else":                 {"{\"id\": 7}\n", 0, "episodes.jsonl:2: "},
		"a future schema":                {"{\"schema\": 2}\n", 0, "episodes.jsonl:2: it has schema 2, this version of heldout reads 1"},
		"a future schema that looks off": {"{\"schema\": 2, \"id\": {}}\n", 0, "episodes.jsonl:2: it has schema 2, this version of heldout reads 1"},
		"an unknown outcome":             {strings.Replace(line, `"failure"`, `"draw"`, 1), 0, `episodes.jsonl:2: unknown outcome "draw"`},
		"no id":                          {strings.Replace(line, `"id":"b"`, `"id":""`, 1), 0, "episodes.jsonl:2: the record has no id"},
		"a list":                         {"[]\n", 0, "episodes.jsonl:2: "},
		"null":                           {"null\n", 0, "episodes.jsonl:2: it has schema 0"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			overwrite(t, dir, episodesFile, append(bytes.Clone(whole), c.tail...))
			results, readErr := ReadResults(dir)
			s, err := Open(dir)
			if c.err != "" {
				for _, err := range []error{err, readErr} {
					if err == nil || !strings.Contains(err.Error(), filepath.Join(dir, c.err)) {
						t.Errorf("error %v, want one with %q", err, c.err)
					}
				}
				after, err := os.ReadFile(filepath.Join(dir, episodesFile))
				if err != nil || string(after) != string(whole)+c.tail {
					t.Errorf("the file was changed, error %v:\n%q", err, after)
				}
				unlocked, err := Open(dir)
				if errors.Is(err, ErrBusy) || unlocked != nil {
					t.Errorf("the lock was kept: %v", err)
				}
				return
			}
			if err != nil || readErr != nil {
				t.Fatal(err, readErr)
			}
			defer s.Close()
			if diff := cmp.Diff([]string{"a"}, ids(results)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if s.Recovered != c.lost {
				t.Errorf("%d bytes recovered, want %d", s.Recovered, c.lost)
			}
			after, err := os.ReadFile(filepath.Join(dir, episodesFile))
			if err != nil || !bytes.Equal(after, whole) {
				t.Errorf("error %v, the file is now\n%q", err, after)
			}
		})
	}
}

// TestReadingLeavesTheFileAlone: a table can be printed while the run is under
// way, with a line half written.
func TestReadingLeavesTheFileAlone(t *testing.T) {
	dir := t.TempDir()
	content := recorded(t, dir, "a", "b")
	s := open(t, dir)
	defer s.Close()
	overwrite(t, dir, episodesFile, content[:len(content)-10])
	if results, err := ReadResults(dir); err != nil || len(results) != 1 {
		t.Errorf("%d results, error %v", len(results), err)
	}
	if after, err := os.ReadFile(filepath.Join(dir, episodesFile)); err != nil || len(after) != len(content)-10 {
		t.Errorf("error %v, the file now has %d bytes", err, len(after))
	}
}

// TestAppendRefuses: what contradicts itself is not written, not even in part,
// and does not keep others from being written.
func TestAppendRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(*Episode)
		want  string
	}{
		"progress that is no number":  {func(e *Episode) { e.Progress = math.NaN() }, "progress NaN"},
		"grounding that is no number": {func(e *Episode) { e.Grounding = math.NaN() }, "grounding NaN"},
		"progress above 1":            {func(e *Episode) { e.Progress = 1.5 }, "progress 1.5"},
		"progress below 0":            {func(e *Episode) { e.Progress = -0.5 }, "progress -0.5"},
		"infinite progress":           {func(e *Episode) { e.Progress = math.Inf(1) }, "progress +Inf"},
		"no id":                       {func(e *Episode) { e.ID = "" }, "no id"},
		"no outcome":                  {func(e *Episode) { e.Outcome = "" }, `unknown outcome ""`},
		"unknown outcome":             {func(e *Episode) { e.Outcome = "draw" }, `unknown outcome "draw"`},
		"failure with success":        {func(e *Episode) { e.Success = true }, "outcome failure contradicts success true"},
		"success without":             {func(e *Episode) { e.Outcome = Success }, "outcome success contradicts success false"},
		"error with success":          {func(e *Episode) { e.Outcome, e.Success = EnvError, true }, "outcome env_error contradicts success true"},
		"a step's progress":           {func(e *Episode) { e.Trajectory[0].Progress = math.NaN() }, "the record cannot be written: json: unsupported value: NaN"},
		"time":                        {func(e *Episode) { e.ModelSeconds = math.Inf(1) }, "the record cannot be written: json: unsupported value: +Inf"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := open(t, dir)
			defer s.Close()
			e := episode("a")
			c.spoil(e)
			if err := s.Append(e); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
			if b, err := os.ReadFile(filepath.Join(dir, episodesFile)); len(b) > 0 || err != nil {
				t.Errorf("error %v, the file has\n%s", err, b)
			}
			if err := s.Append(episode("a")); err != nil {
				t.Errorf("a good one is refused, too: %v", err)
			}
		})
	}
}

// TestAppendAfterFailedWrite: nothing is put behind what may be half a line.
func TestAppendAfterFailedWrite(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Log("no full disk here, a closed file must do:", err)
		full, _ = os.Open(os.DevNull)
		full.Close()
	}
	dir := t.TempDir()
	recorded(t, dir, "a")
	s := open(t, dir)
	good := s.episodes
	s.episodes = full
	failed := s.Append(episode("b"))
	if failed == nil {
		t.Fatal("a write that failed went well")
	}
	s.episodes = good
	if err := s.Append(episode("c")); !errors.Is(err, failed) {
		t.Errorf("after %v the next is %v", failed, err)
	}
	closed(t, s)
	if results, err := ReadResults(dir); err != nil || len(results) != 1 {
		t.Errorf("%d results, error %v", len(results), err)
	}
}

func TestAppendAfterClose(t *testing.T) {
	s := open(t, t.TempDir())
	closed(t, s)
	if err := s.Append(episode("a")); !errors.Is(err, os.ErrClosed) {
		t.Errorf("error %v", err)
	}
}

// TestConcurrentAppends: lines do not mix, and all are there.
func TestConcurrentAppends(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	var workers sync.WaitGroup
	const n, each = 16, 10
	for w := range n {
		workers.Go(func() {
			for i := range each {
				e := episode(fmt.Sprintf("%d-%d", w, i))
				e.Goal = strings.Repeat("g", 1000*w)
				if err := s.Append(e); err != nil {
					t.Error(err)
				}
			}
		})
	}
	workers.Wait()
	closed(t, s)
	results, err := ReadResults(dir)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for _, id := range ids(results) {
		seen[id]++
	}
	for w := range n {
		for i := range each {
			if id := fmt.Sprintf("%d-%d", w, i); seen[id] != 1 {
				t.Errorf("%s is there %d times", id, seen[id])
			}
		}
	}
}

func TestOpenWhatIsNoDirectory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	overwrite(t, filepath.Dir(file), "file", nil)
	if s, err := Open(file); err == nil {
		s.Close()
		t.Error("a file was opened as a run directory")
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, episodesFile), 0o755); err != nil {
		t.Fatal(err)
	}
	if s, err := Open(dir); err == nil || errors.Is(err, ErrBusy) {
		t.Errorf("%v, %v", s, err)
	}
}

func FuzzReadResults(f *testing.F) {
	e := episode("a")
	e.Trajectory = nil
	b, err := json.Marshal(e)
	if err != nil {
		f.Fatal(err)
	}
	line := string(b) + "\n"
	for _, content := range []string{
		"", line, line + line, line[:len(line)/2], line + line[:len(line)/2], line + "\x00\x00\x00", "garbage\n" + line, line + "garbage\n",
		"{\"schema\":1,\"id\":\"a\",\"outcome\":\"cancelled\"}\n", "\n", "{]\n", "{\"schema\":2}\n",
	} {
		f.Add([]byte(content))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		results, whole, size, err := readResults(bytes.NewReader(content), "file")
		if err != nil {
			if results != nil || !strings.HasPrefix(err.Error(), "file:") {
				t.Errorf("%d results with error %v", len(results), err)
			}
			return
		}
		if whole < 0 || whole > size || size > int64(len(content)) || whole > 0 && content[whole-1] != '\n' {
			t.Fatalf("%d bytes are whole of %d of %d", whole, size, len(content))
		}
		if n := bytes.Count(content[:whole], []byte("\n")); n != len(results) {
			t.Errorf("%d results in %d lines", len(results), n)
		}
		again, whole2, size2, err := readResults(bytes.NewReader(content[:whole]), "file")
		if err != nil || whole2 != whole || size2 != whole {
			t.Errorf("what is whole is not: %d of %d, error %v", whole2, size2, err)
		}
		if diff := cmp.Diff(results, again); diff != "" {
			t.Errorf("read again (-first +second):\n%s", diff)
		}
	})
}
