package record

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"heldout/envs/sharedtest"
)

// One process has a workplace; what a killed one left is found and removed, and nothing stays.
func TestWorkplace(t *testing.T) {
	target := filepath.Join(t.TempDir(), "x.heldout")
	killed := openWorkplace(t, target)
	sharedtest.Fails(t, sharedtest.Err(OpenWorkplace(target)), "another process", "a second process")
	sharedtest.OK(t, os.MkdirAll(killed.Path("staged/run-1"), 0o755))
	if err := killed.lock.Unlock(); err != nil { // as the system does when a process ends
		t.Fatal(err)
	}
	w := openWorkplace(t, target)
	if _, err := os.Stat(w.Path("staged")); err != nil {
		t.Errorf("what the killed process left is not there: %v", err)
	}
	sharedtest.OK(t, w.Empty())
	if _, err := os.Stat(w.Path("staged")); !os.IsNotExist(err) {
		t.Errorf("after Empty: %v", err)
	}
	sharedtest.OK(t, w.Close())
	if entries, err := os.ReadDir(filepath.Dir(target)); err != nil || len(entries) > 0 {
		t.Errorf("after Close: %v, %v", entries, err)
	}
}

// A file with the name of the workplace is not removed.
func TestWorkplaceThatIsAFile(t *testing.T) {
	target := filepath.Join(t.TempDir(), "x")
	sharedtest.OK(t, os.WriteFile(target+Unfinished, nil, 0o600))
	sharedtest.Fails(t, sharedtest.Err(OpenWorkplace(target)), "not a folder")
}

func openWorkplace(t *testing.T, target string) *Workplace {
	t.Helper()
	w := sharedtest.Must(OpenWorkplace(target))(t)
	return w
}

// A workplace goes when its context ends, unless that no longer matters; one for temporary files
// removes the workplaces of killed processes, and no others.
func TestScratch(t *testing.T) {
	dir := t.TempDir()
	open := func() *Workplace {
		t.Helper()
		w := sharedtest.Must(OpenScratch(dir, "heldout-x-"))(t)
		return w
	}
	alive, killed := open(), open()
	sharedtest.OK(t, killed.lock.Unlock())
	other := filepath.Join(dir, "heldout-x-of-somebody")
	sharedtest.OK(t, os.Mkdir(other, 0o700))
	ctx, end := context.WithCancel(t.Context())
	ended, kept := open(), open()
	ended.Until(ctx)
	if !kept.Until(ctx)() {
		t.Error("it is too late to keep a workplace of a context that goes on")
	}
	end()
	for deadline := sharedtest.Limited(t); exists(ended.Dir); {
		if deadline.Err() != nil {
			t.Fatal("the workplace of a context that has ended stays")
		}
		runtime.Gosched()
	}
	for path, want := range map[string]bool{alive.Dir: true, killed.Dir: false, other: true, kept.Dir: true} {
		sharedtest.Equal(t, exists(path), want, path)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
