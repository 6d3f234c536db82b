package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// Pages fit a terminal as they are, and name no command or flag that does not
// exist.
func TestTopics(t *testing.T) {
	if len(topicNames()) < 5 {
		t.Errorf("topics: %q", topicNames())
	}
	for _, name := range topicNames() {
		var out bytes.Buffer
		sys := &system{stdout: &out, stderr: io.Discard, getenv: func(string) string { return "" }}
		if code := execute(context.Background(), []string{"help", name}, sys); code != exitOK || out.Len() == 0 {
			t.Fatalf("help %s: exit code %d", name, code)
		}
		for i, line := range strings.Split(out.String(), "\n") {
			if utf8.RuneCountInString(line) > 80 || strings.ContainsRune(line, '\t') || strings.HasPrefix(line, "#") {
				t.Errorf("%s.md:%d: does not read well in 80 columns: %q", name, i+1, line)
			}
		}
		checkFlags(t, name, out.String())
		checkHelp(t, name, out.String())
	}
}

// The help of every command, README.md and the messages of this package name no
// page that does not exist.
func TestNamedTopics(t *testing.T) {
	root := newRoot(&system{getenv: func(string) string { return "" }})
	for _, c := range append(root.Commands(), subcommands(root)...) {
		checkHelp(t, c.CommandPath(), c.Long+c.Flags().FlagUsages())
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(files, "../../README.md", "../../CONTRIBUTING.md", "../../ARCHITECTURE.md") {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		checkHelp(t, file, string(b))
	}
}

// checkHelp reports pages and commands that a text names after "heldout help" and
// that do not exist.
func checkHelp(t *testing.T, where, text string) {
	t.Helper()
	root := newRoot(&system{getenv: func(string) string { return "" }})
	for _, m := range regexp.MustCompile("heldout help ([a-z-]+)").FindAllStringSubmatch(text, -1) {
		if c, _, err := root.Find([]string{m[1]}); !slices.Contains(topicNames(), m[1]) && (err != nil || c == root) {
			t.Errorf("%s: there is no page %q", where, m[1])
		}
	}
}

// checkFlags reports flags in a page that no command has. Commands after --serve have others.
func checkFlags(t *testing.T, name, page string) {
	t.Helper()
	root := newRoot(&system{getenv: func(string) string { return "" }})
	page = regexp.MustCompile(`--serve '[^']*'`).ReplaceAllString(page, "--serve")
	for _, flag := range regexp.MustCompile(`--[a-z][a-z-]+`).FindAllString(page, -1) {
		known := func(c *cobra.Command) bool { return c.Flags().Lookup(flag[2:]) != nil }
		if !slices.ContainsFunc(append(root.Commands(), subcommands(root)...), known) {
			t.Errorf("%s.md: no command has the flag %s", name, flag)
		}
	}
}

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
	if code := execute(context.Background(), []string{"man", dir}, sys); code != exitUsage {
		t.Errorf("exit code %d", code)
	}
}

// subcommands lists the commands below the first level.
func subcommands(root *cobra.Command) (all []*cobra.Command) {
	for _, c := range root.Commands() {
		all = append(all, c.Commands()...)
	}
	return all
}
