package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"heldout/envs"
	"heldout/envs/sharedtest"
)

// encode is the line of an attempt, checked or not.
func encode(e *Episode) ([]byte, error) {
	var b bytes.Buffer
	content := *e
	content.Checksum = ""
	err := seal(&b, &content)
	return b.Bytes(), err
}

func decoded(raw []byte) (e Episode, err error) {
	err = decode(raw, &e)
	return e, err
}

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
			{Thought: "A \"box\"\nof 木 \x1b[31m<&>\u2028", Action: "open box", Observation: "It is open.",
				Progress: 1.0 / 3, Valid: true},
			{Observation: "What?", Progress: 1.0 / 3, FormatError: true, Reply: "Hm.", Reasoning: "Hm?"},
		},
	}
}

func open(t *testing.T, dir string) *Store {
	t.Helper()
	return openDisk(t, unflushed(), dir)
}

// unflushed is a disk that is not flushed, which takes most of the time.
func unflushed() disk {
	d := realDisk()
	d.sync = func(*os.File) error { return nil }
	return d
}

func closed(t *testing.T, s *Store) {
	t.Helper()
	sharedtest.OK(t, s.Close())
}

// recorded makes a run directory with episodes and returns the content of its episodes file.
func recorded(t *testing.T, dir string, ids ...string) []byte {
	t.Helper()
	s := open(t, dir)
	for _, id := range ids {
		sharedtest.OK(t, s.Append(episode(id)))
	}
	closed(t, s)
	b := sharedtest.Must(os.ReadFile(filepath.Join(dir, episodesFile)))(t)
	return b
}

func overwrite(t *testing.T, dir, file string, content []byte) {
	t.Helper()
	sharedtest.OK(t, os.WriteFile(filepath.Join(dir, file), content, 0o644))
}

// readAll reads the attempts of a directory that need have no manifest.
func readAll(dir string) ([]Result, error) {
	name := filepath.Join(dir, episodesFile)
	content, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	results, _, _, err := allAttempts(content, name)
	return results, err
}

func ids(results []Result) (out []string) {
	for _, r := range results {
		out = append(out, r.ID)
	}
	return out
}

func idsOf(attempts []Attempt) (out []string) {
	for _, a := range attempts {
		out = append(out, a.ID)
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
	got := sharedtest.Must(readAll(dir))(t)
	sharedtest.Same(t, got, want)
	s := open(t, dir)
	defer s.Close()
	if diff := cmp.Diff([]Attempt{want[0].Brief(), want[1].Brief()}, s.Attempts); diff != "" || s.Recovered != 0 {
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
	sharedtest.OK(t, s.Append(e))
	if results, err := readAll(dir); err != nil || results[0].Schema != Schema {
		t.Errorf("%v, %v", results, err)
	}
}

func TestReadResultsOfNothing(t *testing.T) {
	results, err := readAll(t.TempDir())
	if results != nil || err != nil {
		t.Errorf("%v, %v", results, err)
	}
}

// TestTornLine cuts the last line at bytes of it, in the long form at every one: what was there before is kept, the
// run goes on in its place, and it is set aside. A line that lacks only its end is whole.
func TestTornLine(t *testing.T) {
	dir := t.TempDir()
	content := recorded(t, dir, "a", "b")
	first := bytes.IndexByte(content, '\n') + 1
	every := sharedtest.Every(t, 11)
	for size := first + 1; size < len(content); size++ {
		if size%every > 0 && size < len(content)-2 { // the last two lack a byte of the text, and the end of the line
			continue
		}
		want, torn := []string{"a"}, size-first
		if size == len(content)-1 {
			want, torn = []string{"a", "b"}, 0
		}
		overwrite(t, dir, episodesFile, content[:size])
		results, err := readAll(dir)
		if diff := cmp.Diff(want, ids(results)); diff != "" || err != nil {
			t.Fatalf("cut at %d: error %v (-want +got):\n%s", size, err, diff)
		}
		s := open(t, dir)
		if diff := cmp.Diff(want, idsOf(s.Attempts)); diff != "" || s.Recovered != torn {
			t.Fatalf("cut at %d: %d recovered (-want +got):\n%s", size, s.Recovered, diff)
		}
		for _, id := range []string{"c", "d"} {
			sharedtest.OK(t, s.Append(episode(id)))
		}
		closed(t, s)
		results, err = readAll(dir)
		if diff := cmp.Diff(append(want, "c", "d"), ids(results)); diff != "" || err != nil {
			t.Fatalf("cut at %d, gone on: error %v (-want +got):\n%s", size, err, diff)
		}
		again, err := os.ReadFile(filepath.Join(dir, episodesFile))
		if err != nil || !bytes.HasPrefix(again, content[:size-torn]) || !eachValid(again) {
			t.Fatalf("cut at %d: error %v, and then\n%s", size, err, again)
		}
		aside, err := os.ReadFile(filepath.Join(dir, asideFile))
		if torn > 0 && (err != nil || !bytes.HasSuffix(aside, append(bytes.Clone(content[size-torn:size]), '\n'))) {
			t.Fatalf("cut at %d: error %v, and this is set aside:\n%s", size, err, aside)
		}
	}
}

// eachValid reports whether each line is JSON, as other programs demand.
func eachValid(lines []byte) bool {
	return !slices.ContainsFunc(slices.Collect(bytes.Lines(lines)), func(l []byte) bool { return !json.Valid(l) })
}

// TestTail: what a crash can leave behind the last whole line is passed over, also
// when the run went on behind it; nothing else is.
func TestTail(t *testing.T) {
	whole := recorded(t, t.TempDir(), "a")
	line := string(recorded(t, t.TempDir(), "b"))
	zeros := strings.Repeat("\x00", 4096)
	for name, c := range map[string]struct {
		tail string
		lost int
		err  string
	}{
		"zeros":                         {zeros, len(zeros), ""},
		"half a line and zeros":         {line[:100] + zeros, 100 + len(zeros), ""},
		"zeros up to the line's end":    {zeros + line[100:], 0, "episodes.jsonl:2: "},
		"zeros in the middle of a line": {line[:50] + zeros + line[100:], 0, "episodes.jsonl:2: "},
		"a whole line without its brace": {strings.Replace(line, "{", "(", 1), 0,
			"episodes.jsonl:2: "},
		"a line break for the end": {strings.Replace(line, "}\n", "\n\n", 1), 0, "episodes.jsonl:2: "},
		"another line break":       {strings.Replace(line, "}\n", "}\v", 1), 0, "episodes.jsonl:2: "},
		"no checksum": {strings.Replace(old(t, line, "{", "{"), `"schema":1`, `"schema":2`, 1), 0,
			"episodes.jsonl:2: checksum: it is missing"},
		"a blank":                      {" ", 1, ""},
		"an empty line":                {"\n", 0, ""},
		"two torn lines":               {line[:50] + "\n\n" + line[:60], 60, ""},
		"garbage, then a line":         {"garbage\n" + line, 0, "episodes.jsonl:2: "},
		"zeros, then a line":           {zeros + "\n" + line, 0, "episodes.jsonl:2: "},
		"a line, garbage, then a line": {line + "{]\n" + line, 0, "episodes.jsonl:3: "},
		"a line behind half of one":    {line[:50] + line + line, 0, "episodes.jsonl:2: "},
		"something else":               {"{\"id\": 7}\n", 0, "episodes.jsonl:2: "},
		"a future schema": {"{\"schema\": 3}\n", 0,
			"episodes.jsonl:2: it has schema 3, this version of heldout reads 1 to 2"},
		"a future schema that looks off": {"{\"schema\": 3, \"id\": {}}\n", 0,
			"episodes.jsonl:2: it has schema 3, this version of heldout reads 1 to 2"},
		"an unknown outcome": {old(t, line, `"failure"`, `"draw"`), 0,
			`episodes.jsonl:2: outcome: unknown outcome "draw"`},
		"no id": {old(t, line, `"id":"b"`, `"id":""`), 0, "episodes.jsonl:2: id: the record has no id"},
		"a changed line": {strings.Replace(line, "failure", "success", 1), 0,
			"episodes.jsonl:2: checksum: the line says"},
		"a rewritten line": {strings.Replace(line, "}\n", " }\n", 1),
			0, "episodes.jsonl:2: checksum: it is not the end of the line"},
		"a list": {"[]\n", 0, "episodes.jsonl:2: "},
		"null":   {"null\n", 0, "episodes.jsonl:2: it has schema 0"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			overwrite(t, dir, episodesFile, append(bytes.Clone(whole), c.tail...))
			results, readErr := readAll(dir)
			s, err := Open(dir)
			after, fileErr := os.ReadFile(filepath.Join(dir, episodesFile))
			if fileErr != nil || string(after) != string(whole)+c.tail {
				t.Errorf("the file was changed, error %v:\n%q", fileErr, after)
			}
			if c.err != "" {
				for _, err := range []error{err, readErr} {
					sharedtest.Fails(t, err, filepath.Join(dir, c.err), "error")
					if future := strings.Contains(c.err, "schema 3"); err != nil &&
						strings.Contains(err.Error(), "heldout repair "+dir) == future {
						t.Errorf("error %v, for repair: %v", err, !future)
					}
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
			sharedtest.Same(t, ids(results), []string{"a"})
			sharedtest.Equal(t, s.Recovered, c.lost, "bytes recovered")
			sharedtest.OK(t, s.Append(episode("b")))
			closed(t, s)
			sharedtest.Equal(t, len(sharedtest.Must(readAll(dir))(t)), 2, "gone on behind it")
		})
	}
}

// old changes a line, takes its checksum away and says so, so that it is one of a version without checksums.
func old(t *testing.T, line, from, to string) string {
	t.Helper()
	body, _, ok := strings.Cut(line, checksumStart)
	if !ok || !strings.Contains(body, from) {
		t.Fatalf("no checksum or no %s in %s", from, line)
	}
	return strings.Replace(strings.Replace(body, from, to, 1), `"schema":2`, `"schema":1`, 1) + "}\n"
}

// TestOldLines: lines without checksums stay readable, and lines with are added.
func TestOldLines(t *testing.T) {
	dir := t.TempDir()
	line := string(recorded(t, t.TempDir(), "a"))
	overwrite(t, dir, episodesFile, []byte(old(t, line, "{", "{")))
	recorded(t, dir, "b")
	results, err := readAll(dir)
	if diff := cmp.Diff([]string{"a", "b"}, ids(results)); diff != "" || err != nil {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
}

// TestReadingLeavesTheFileAlone: a table can be printed while the run is under way, with a line half written.
func TestReadingLeavesTheFileAlone(t *testing.T) {
	dir := t.TempDir()
	content := recorded(t, dir, "a", "b")
	s := open(t, dir)
	defer s.Close()
	overwrite(t, dir, episodesFile, content[:len(content)-10])
	sharedtest.Equal(t, len(sharedtest.Must(readAll(dir))(t)), 1)
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
		"progress that is no number":  {func(e *Episode) { e.Progress = math.NaN() }, "progress: NaN"},
		"grounding that is no number": {func(e *Episode) { e.Grounding = math.NaN() }, "grounding: NaN"},
		"progress above 1":            {func(e *Episode) { e.Progress = 1.5 }, "progress: 1.5"},
		"progress below 0":            {func(e *Episode) { e.Progress = -0.5 }, "progress: -0.5"},
		"no id":                       {func(e *Episode) { e.ID = "" }, "no id"},
		"unknown outcome":             {func(e *Episode) { e.Outcome = "draw" }, `unknown outcome "draw"`},
		"failure with success": {func(e *Episode) { e.Success = true },
			"outcome failure contradicts success true"},
		"success without": {func(e *Episode) { e.Outcome = Success }, "outcome success contradicts success false"},
		"error with success": {func(e *Episode) { e.Outcome, e.Success = EnvError, true },
			"outcome env_error contradicts success true"},
		"a step's progress": {func(e *Episode) { e.Trajectory[0].Progress = math.NaN() },
			"trajectory[0].progress: NaN"},
		"time": {func(e *Episode) { e.ModelSeconds = math.Inf(1) },
			"the record cannot be written: json: unsupported value: +Inf"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := open(t, dir)
			defer s.Close()
			e := episode("a")
			c.spoil(e)
			sharedtest.Fails(t, s.Append(e), c.want, "error")
			if b, err := os.ReadFile(filepath.Join(dir, episodesFile)); len(b) > 0 || err != nil {
				t.Errorf("error %v, the file has\n%s", err, b)
			}
			if err := s.Append(episode("a")); err != nil {
				t.Errorf("a good one is refused, too: %v", err)
			}
		})
	}
}

// TestAppendAfterFailedWrite: nothing is put behind what may be half a line, and the next process goes on. Half a
// line of a batch is written before the disk is full.
func TestAppendAfterFailedWrite(t *testing.T) {
	dir := t.TempDir()
	recorded(t, dir, "a")
	d := realDisk()
	full := false
	d.write = func(f *os.File, b []byte) (int, error) {
		if !full {
			return f.Write(b)
		}
		n, err := f.Write(b[:len(b)/2])
		return n, errors.Join(syscall.ENOSPC, err)
	}
	s := sharedtest.Must(openOn(d, dir))(t)
	full = true
	failed := s.Append(episode("b"))
	if !errors.Is(failed, syscall.ENOSPC) || !strings.Contains(failed.Error(), filepath.Join(dir, episodesFile)) {
		t.Fatalf("a write that failed: %v", failed)
	}
	full = false
	if err := s.Append(episode("c")); !errors.Is(err, failed) {
		t.Errorf("after %v the next is %v", failed, err)
	}
	closed(t, s)
	recorded(t, dir, "d")
	results, err := readAll(dir)
	if diff := cmp.Diff([]string{"a", "d"}, ids(results)); err != nil || diff != "" {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
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
	results := sharedtest.Must(readAll(dir))(t)
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
	sharedtest.OK(t, os.Mkdir(filepath.Join(dir, episodesFile), 0o755))
	if s, err := Open(dir); err == nil || errors.Is(err, ErrBusy) {
		t.Errorf("%v, %v", s, err)
	}
}

// FuzzReadResults: whatever is in a file, what is read has the checksum that it
// holds, and a line that is written behind it is read, and changes nothing before.
func FuzzReadResults(f *testing.F) {
	b := sharedtest.Must(encode(episode("a")))(f)
	line := string(b)
	plain, _, _ := strings.Cut(line, checksumStart)
	for _, content := range []string{
		"", line, line + line, line[:len(line)-1], line[:len(line)/2], line + line[:len(line)/2], line + "\x00\x00\x00",
		"garbage\n" + line, line + "garbage\n",
		line[:9] + "\n\n" + line, line[:9] + "\n\n\n" + line + "\n", plain + "}\n", plain + "}", "\n", "{]\n",
		"{\"schema\":3}\n", line[:len(line)-2], line[:len(line)-2] + tornEnd, line[:len(line)-2] + "\n\n",
		strings.Replace(line, "box", "bax", 1), strings.Replace(line, "checksum", "Checksum", 1),
		strings.Replace(line, `"}`, `" }`, 1),
	} {
		f.Add([]byte(content))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		results, torn, lead, err := allAttempts(content, "file")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "file:") {
				t.Errorf("error %v", err)
			}
			return
		}
		if torn < 0 || torn > len(content) {
			t.Fatalf("%d bytes are torn of %d", torn, len(content))
		}
		for l := range bytes.Lines(content) {
			e, err := decoded(l)
			if err == nil && e.Checksum != "" {
				body, _, _ := bytes.Cut(l, []byte(checksumStart+e.Checksum))
				if sum := sha256.Sum256(body); e.Checksum != hex.EncodeToString(sum[:8]) {
					t.Errorf("a line with another checksum was read: %q", l)
				}
			}
		}
		longer := append(append(bytes.Clone(content), lead...), line...)
		again, torn, lead, err := allAttempts(longer, "file")
		if err != nil || torn != 0 || len(lead) != 0 {
			t.Fatalf("with a line more: %d bytes torn, error %v", torn, err)
		}
		sharedtest.Same(t, again, append(results, episode("a").Result), "with a line more")
	})
}

// allAttempts reads an episodes file without a plan.
func allAttempts(content []byte, name string) (results []Result, torn int, lead []byte, err error) {
	keep := newChecker(nil).attempts(name, func(e *Episode, _ Position, _ any) { results = append(results, e.Result) })
	err = scan(bytes.NewReader(content), name, entirely, func(l *scanned) error {
		torn, lead = l.end()
		return keep(l)
	})
	return results, torn, lead, err
}

// A file that cannot be looked at is an error; one that is not there is none.
func TestWholeFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	sharedtest.OK(t, os.WriteFile(file, []byte("four"), 0o600))
	s, err := wholeFile(file)
	if err != nil || s.size != 4 {
		t.Fatalf("%+v, %v", s, err)
	}
	s.file.Close()
	if s, err := wholeFile(filepath.Join(dir, "none")); s != nil || err != nil {
		t.Errorf("a file that is not there: %+v, %v", s, err)
	}
	for _, name := range []string{filepath.Join(file, "below"), dir} {
		if s, err := wholeFile(name); err == nil {
			t.Errorf("%s: %+v", name, s)
		}
	}
}
