package record

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"heldout/envs/sharedtest"
)

type loggedCall struct {
	Schema int    `json:"schema"`
	Text   string `json:"text"`
}

func openLog(t *testing.T, dir string) (*Log, []string) {
	t.Helper()
	var texts []string
	l := sharedtest.Must(OpenLog(dir, SynthLog, func(line []byte, _ Span) error {
		var c loggedCall
		err := unmarshal(line, &c)
		texts = append(texts, c.Text)
		return err
	}))(t)
	return l, texts
}

// Lines come back in order and can be read at their places; a torn last line is
// passed over, and the log goes on behind it.
func TestLog(t *testing.T) {
	dir := t.TempDir()
	l, _ := openLog(t, dir)
	sharedtest.OK(t, l.SetManifest(map[string]string{"x": "y"}))
	for _, text := range []string{"a", "b"} {
		sharedtest.OK(t, l.Append(loggedCall{Schema, text}))
	}
	if _, err := OpenLog(dir, SynthLog, nil); !errors.Is(err, ErrBusy) {
		t.Errorf("a second process: %v", err)
	}
	sharedtest.OK(t, l.Close())
	file := filepath.Join(dir, callsFile)
	whole := sharedtest.Must(os.ReadFile(file))(t)
	for cut := range 40 {
		overwrite(t, dir, callsFile, whole[:len(whole)-cut])
		l, texts := openLog(t, dir)
		want := []string{"a", "b"}
		if cut > 1 {
			want = want[:1]
		}
		if diff := cmp.Diff(want, texts); diff != "" || (l.Recovered > 0) != (cut > 1) {
			t.Errorf("cut by %d: %d recovered %s", cut, l.Recovered, diff)
		}
		sharedtest.OK(t, l.Append(loggedCall{Schema, "c"}))
		texts = nil
		err := l.Calls(func(line []byte, at Span) error {
			again, err := l.Line(at)
			texts = append(texts, string(again[:30]))
			sharedtest.Equal(t, string(again), string(line), "at", at)
			return err
		})
		if err != nil || len(texts) != len(want)+1 {
			t.Errorf("%v, %q", err, texts)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
	overwrite(t, dir, callsFile, []byte(strings.Replace(string(whole), `"a"`, `"x"`, 1)))
	if _, err := OpenLog(dir, SynthLog, nil); err == nil ||
		!strings.Contains(err.Error(), "calls.jsonl:1: checksum: the line says") {
		t.Errorf("a changed line: %v", err)
	}
}

// Whatever bit of a file of calls is changed, it is refused, or the calls are what they were.
func TestFlippedCalls(t *testing.T) {
	var content bytes.Buffer
	for _, text := range []string{"a", "b {\"c\"}", "d"} {
		sharedtest.OK(t, seal(&content, loggedCall{Schema, text}))
	}
	read := func(b []byte) (texts string, err error) {
		err = scan(bytes.NewReader(b), "calls", checking, calls("calls", func(line []byte, _ Span) error {
			var c loggedCall
			err := unmarshal(line, &c)
			texts += c.Text + "\n"
			return err
		}))
		return texts, err
	}
	every := sharedtest.Every(t, 5)
	want, err := read(content.Bytes())
	if err != nil || strings.Count(want, "\n") != 3 {
		t.Fatal(want, err)
	}
	for i := 0; i < content.Len(); i += every {
		for bit := range 8 {
			changed := bytes.Clone(content.Bytes())
			changed[i] ^= 1 << bit
			if got, err := read(changed); err == nil && got != want {
				t.Errorf("byte %d is %q: %q", i, changed[i], got)
			}
		}
	}
}

// A directory of another command is refused, and left as it is.
func TestLogRefusesOtherDirectories(t *testing.T) {
	for want, files := range map[string][]string{
		"is a run directory":                   {"run.json", "episodes.jsonl"},
		"is a folder of heldout judge":         {"judge.json", "calls.jsonl"},
		"holds other files, such as photo.png": {"photo.png"},
		"calls, but its synth.json is missing": {"calls.jsonl"},
	} {
		dir := t.TempDir()
		for _, f := range files {
			overwrite(t, dir, f, []byte("x"))
		}
		sharedtest.Fails(t, sharedtest.Err(OpenLog(dir, SynthLog, nil)), want, files)
		if entries, _ := os.ReadDir(dir); len(entries) != len(files) {
			t.Errorf("%v: there are %d files now", files, len(entries))
		}
	}
	dir := t.TempDir()
	overwrite(t, dir, JudgeLog.Manifest, []byte("{}"))
	sharedtest.Fails(t, sharedtest.Err(Open(dir)), "is a folder of heldout judge")
}

// A file that cannot be written whole stays as it was.
func TestLogReplace(t *testing.T) {
	dir := t.TempDir()
	l, _ := openLog(t, dir)
	defer l.Close()
	write := func(text string, fail error) error {
		return l.Replace("items.jsonl", func(w io.Writer) error {
			fmt.Fprint(w, text)
			return fail
		})
	}
	full := errors.New("full")
	if err := errors.Join(write("old", nil), write("new", full)); !errors.Is(err, full) {
		t.Error(err)
	}
	entries, err := os.ReadDir(dir)
	if b, readErr := os.ReadFile(filepath.Join(dir, "items.jsonl")); string(b) != "old" || readErr != nil ||
		len(entries) != 3 || err != nil {
		t.Errorf("%q, %v, %v, %v", b, readErr, entries, err)
	}
}
