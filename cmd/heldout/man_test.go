//go:build man

package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"heldout/envs/sharedtest"
)

func TestMan(t *testing.T) {
	dir := t.TempDir()
	sys := &system{stdout: io.Discard, stderr: os.Stderr, getenv: func(name string) string {
		return map[string]string{"SOURCE_DATE_EPOCH": "86400"}[name]
	}}
	if code := execute(context.Background(), []string{"man", dir}, sys); code != exitOK {
		t.Fatal(code)
	}
	b, err := os.ReadFile(filepath.Join(dir, "heldout-data-pull.1"))
	if err != nil || !strings.Contains(string(b), `"Jan 1970"`) || !strings.Contains(string(b), "--dry-run") {
		t.Errorf("%v\n%s", err, b)
	}
	sys.stderr, sys.getenv = io.Discard, func(string) string { return "yesterday" }
	sharedtest.Equal(t, execute(context.Background(), []string{"man", dir}, sys), exitUsage, "exit code")
}
