package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A run leaves no status behind.
func TestNoStatusAfterARun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	var said bytes.Buffer
	sys := &system{stdout: io.Discard, stderr: &said, getenv: func(string) string { return "" }, now: time.Now}
	if code := execute(t.Context(), []string{"run", "--env", "pddl", "--model", "expert", "--limit", "2", "--out", dir},
		sys); code != exitOK {
		t.Fatal(said.String())
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 3 {
		t.Errorf("run directory: %v, %v", entries, err)
	}
}
