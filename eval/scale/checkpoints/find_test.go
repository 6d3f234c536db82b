package checkpoints

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"heldout/envs/sharedtest"
)

// write writes files of a folder, with their times.
func write(t *testing.T, dir string, at time.Time, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		sharedtest.OK(t, os.MkdirAll(filepath.Dir(path), 0o755))
		sharedtest.OK(t, os.WriteFile(path, []byte(text), 0o644))
		sharedtest.OK(t, os.Chtimes(path, at, at))
	}
}

func TestFind(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, dir := range []string{"out/b/step-2", "out/b/step-10", "out/a/step-3", "out/b/.step-4", "out/b/other"} {
		sharedtest.OK(t, os.MkdirAll(dir, 0o755))
	}
	got := sharedtest.Must(find("out/*/step-*"))(t)
	want := []Checkpoint{{"out/a/step-3", "a-step-3"}, {"out/b/step-2", "b-step-2"}, {"out/b/step-10", "b-step-10"}}
	sharedtest.Equal(t, cmp.Diff(want, got), "")
	if got, err := find("out/b/step-2"); err != nil || len(got) != 1 || got[0].Name != "step-2" {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := find("out/[a"); err == nil {
		t.Error("a pattern with an open bracket is read")
	}
}

func TestLacks(t *testing.T) {
	for _, c := range sharedtest.Cases[struct {
		Name  string
		Files map[string]string
		Want  string
	}](t, "lacks.yaml") {
		t.Run(c.Name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, time.Now(), c.Files)
			sharedtest.Equal(t, (Checkpoint{Path: dir}).lacks(), c.Want)
		})
	}
	sharedtest.Equal(t, (Checkpoint{Path: "missing"}).lacks(), "no such file or directory")
}

// Nothing may change for a while: neither names, sizes nor times.
func TestLook(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "step")
	c := Checkpoint{Path: dir}
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	write(t, dir, now.Add(-time.Hour), map[string]string{"config.json": "{}"})
	first := c.look(fingerprint{}, now)
	if want := now.Add(-time.Hour); !first.since.Equal(want) {
		t.Errorf("it changed at %v, want %v: nothing is newer", first.since, want)
	}
	write(t, dir, now.Add(-time.Minute), map[string]string{"model.safetensors": "half"})
	second := c.look(first, now.Add(time.Second))
	if want := now.Add(time.Second); !second.since.Equal(want) {
		t.Errorf("it changed at %v, want %v: then it was seen", second.since, want)
	}
	sharedtest.Equal(t, c.look(second, now.Add(time.Minute)), second, "nothing changed")
	write(t, dir, now.Add(-time.Minute), map[string]string{"model.safetensors": "whole"})
	if fourth := c.look(second, now.Add(time.Minute)); fourth == second {
		t.Error("a file that grew, with its old time, is no change")
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Skipf("symbolic links cannot be made: run the test on a file system and as a user that may: %v", err)
	}
	if got := (Checkpoint{Path: link}).look(fingerprint{}, now); got.files == "" {
		t.Error("what a link leads to is not looked at")
	}
}

func TestQuoted(t *testing.T) {
	for path, want := range map[string]string{
		"out/checkpoint-200": "out/checkpoint-200", "a b": "'a b'", "it's": `'it'\''s'`, "$(x)": "'$(x)'",
	} {
		sharedtest.Equal(t, quoted(path), want)
	}
}
