//go:build unix

package logging

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"heldout/envs/sharedtest"
)

// python is a shell script in place of an interpreter.
func python(t *testing.T, script string) Options {
	t.Helper()
	file := filepath.Join(t.TempDir(), "python3")
	sharedtest.OK(t, os.WriteFile(file, []byte("#!/bin/sh\n"+script), 0o755))
	return Options{Python: file, Binary: "heldout", Place: "wandb:x", Warn: func(string) {}, Say: func(string) {}}
}

// What is missing is said before anything is logged.
func TestMissing(t *testing.T) {
	for script, want := range map[string]string{
		"echo No module named heldout >&2; exit 1":           "heldout is not installed there",
		"echo wandb needs wandb: pip install it >&2; exit 1": "wandb needs wandb: pip",
		"exit 1": "it has ended without a word",
	} {
		_, err := Start(t.Context(), python(t, script))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", script, err)
		}
	}
	if _, err := Python("no-such-python", "heldout"); err == nil {
		t.Error("an interpreter that is not there is found")
	}
}

// A tracker that fails, or a process that dies, is one warning and the command to log the run later.
func TestFailures(t *testing.T) {
	for script, want := range map[string][]string{
		"read a; read b; echo logged; read c":                    nil,
		"read a; echo warn no network; read b; echo failed; cat": {"wandb:x: no network", "log wandb:x r"},
		"read a; echo boom >&2; exit 1":                          {"not logged: boom", "log wandb:x r"},
	} {
		var said []string
		o := python(t, "echo ready; "+script)
		o.Warn = func(line string) { said = append(said, line) }
		o.Say = o.Warn
		l := sharedtest.Must(Start(t.Context(), o))(t)
		l.Follow("r")
		l.Log(t.Context(), false, "r")
		l.Close(t.Context())
		if !slices.EqualFunc(said, want, strings.Contains) {
			t.Errorf("%s: %q", script, said)
		}
	}
}

// A run that is stopped waits for no tracker.
func TestStopped(t *testing.T) {
	l := sharedtest.Must(Start(t.Context(), python(t, "echo ready; sleep 1000")))(t)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	l.Log(ctx, false, "r")
	l.Close(ctx)
	l.end()
}
