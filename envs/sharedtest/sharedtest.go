// Package sharedtest finds test inputs that must not be in the repository: recorded behaviour of the reference
// environments and the official data. Both are in the folder shared beside the module root. If the input of a test
// is missing, the test is skipped with a message that says what to put where.
package sharedtest

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// AgentBoard returns AgentBoard's data folder, or skips the test.
func AgentBoard(t testing.TB) string {
	t.Helper()
	return Data(t, "agentboard", "AgentBoard's data folder")
}

// Data returns the path of an entry in the data folder, or skips the test; the description says what the entry is.
func Data(t testing.TB, path, description string) string {
	t.Helper()
	return find(t, "data/"+path, description)
}

// Golden returns the path of a file of recorded behaviour, or skips the test.
func Golden(t testing.TB, file string) string {
	t.Helper()
	return find(t, "golden/"+file, "recorded behaviour of the reference")
}

// find returns the path of something in the shared folder.
func find(t testing.TB, path, description string) string {
	t.Helper()
	full := filepath.Join(root(t), "..", "shared", filepath.FromSlash(path))
	if _, err := os.Stat(full); err != nil {
		part := strings.Join(strings.SplitN(path, "/", 3)[:2], "/")
		Absent(t, part, fmt.Sprintf("needs %s: put it at ../shared/%s beside the module root", description, path))
	}
	return full
}

// root returns the module's folder, which holds go.mod; tests run below it.
func root(t testing.TB) string {
	t.Helper()
	dir := Must(os.Getwd())(t)
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if filepath.Dir(dir) == dir {
			t.Fatal("no go.mod above the test's folder")
		}
		dir = filepath.Dir(dir)
	}
}

// JSON decodes a file of recorded behaviour, or skips the test.
func JSON(t testing.TB, file string, v any) {
	t.Helper()
	b := Must(os.ReadFile(Golden(t, file)))(t)
	if err := json.Unmarshal(b, v); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

// Lines decodes every line of a compressed file of recorded behaviour, or skips
// the test. The file has at least one line.
func Lines[T any](t testing.TB, file string, every ...int) []T {
	t.Helper()
	return ReadLines[T](t, Golden(t, file), every...)
}

// ReadLines decodes every line of a compressed file of JSON Lines, or in the short form
// only one of so many. The file has at least one line.
func ReadLines[T any](t testing.TB, path string, every ...int) (out []T) {
	t.Helper()
	f := Must(os.Open(path))(t)
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<26)
	step := 1
	if every != nil {
		step = Every(t, every[0])
	}
	for i := 0; lines.Scan(); i++ {
		if i%step > 0 {
			continue
		}
		var v T
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatalf("%s, line %d: %v", path, i+1, err)
		}
		out = append(out, v)
	}
	if err := lines.Err(); err != nil || len(out) == 0 {
		t.Fatalf("%s: %d lines, %v", path, len(out), err)
	}
	return out
}

// HastyPath is a PATH whose command sleep ends a second within 50 ms.
func HastyPath(t testing.TB) string {
	dir, sleep := t.TempDir(), Must(exec.LookPath("sleep"))(t)
	text := fmt.Sprintf("#!/bin/sh\n[ \"$1\" != 1 ] || set 0.05\nexec %s \"$1\"\n", sleep)
	OK(t, os.WriteFile(filepath.Join(dir, "sleep"), []byte(text), 0o755))
	return "PATH=" + dir + string(os.PathListSeparator) + os.Getenv("PATH")
}
