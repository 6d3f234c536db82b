package record

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// One process has a workplace; what a killed one left is found and removed, and nothing stays.
func TestWorkplace(t *testing.T) {
	target := filepath.Join(t.TempDir(), "x.heldout")
	killed := openWorkplace(t, target)
	if _, err := OpenWorkplace(target); err == nil || !strings.Contains(err.Error(), "another process") {
		t.Errorf("a second process: %v", err)
	}
	if err := os.MkdirAll(killed.Path("staged/run-1"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := killed.lock.Unlock(); err != nil { // as the system does when a process ends
		t.Fatal(err)
	}
	w := openWorkplace(t, target)
	if _, err := os.Stat(w.Path("staged")); err != nil {
		t.Errorf("what the killed process left is not there: %v", err)
	}
	if err := w.Empty(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(w.Path("staged")); !os.IsNotExist(err) {
		t.Errorf("after Empty: %v", err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(filepath.Dir(target)); err != nil || len(entries) > 0 {
		t.Errorf("after Close: %v, %v", entries, err)
	}
}

// A file with the name of the workplace is not removed.
func TestWorkplaceThatIsAFile(t *testing.T) {
	target := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(target+Unfinished, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenWorkplace(target); err == nil || !strings.Contains(err.Error(), "not a folder") {
		t.Errorf("%v", err)
	}
}

func openWorkplace(t *testing.T, target string) *Workplace {
	t.Helper()
	w, err := OpenWorkplace(target)
	if err != nil {
		t.Fatal(err)
	}
	return w
}
