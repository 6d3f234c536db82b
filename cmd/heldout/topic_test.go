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

	"heldout/envs/sharedtest"
	"heldout/eval/share/bundle"
)

// mostPages is how many pages there may be.
const mostPages = 20 // the pages that .ci/size allows, and two that declarations make

// Pages fit a terminal as they are, and name no command or flag that does not exist.
func TestTopics(t *testing.T) {
	if n := len(topicNames()); n < 5 || n > mostPages {
		t.Errorf("%d topics: %q", n, topicNames())
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

// The help of every command, README.md and the messages of this package name no page that does not exist.
func TestNamedTopics(t *testing.T) {
	root := newRoot(&system{getenv: func(string) string { return "" }})
	for _, c := range append(root.Commands(), subcommands(root)...) {
		checkHelp(t, c.CommandPath(), c.Long+c.Flags().FlagUsages())
	}
	files := sharedtest.Must(filepath.Glob("*.go"))(t)
	for _, file := range append(files, "../../README.md", "../../CONTRIBUTING.md", "../../ARCHITECTURE.md",
		"../../docs/loop/README.md") {
		b := sharedtest.Must(os.ReadFile(file))(t)
		checkHelp(t, file, string(b))
		if strings.HasPrefix(file, "../../docs/") {
			checkFlags(t, file, string(b))
		}
	}
}

// checkHelp reports pages and commands that a text names after "heldout help" and that do not exist.
func checkHelp(t *testing.T, where, text string) {
	t.Helper()
	root := newRoot(&system{getenv: func(string) string { return "" }})
	for _, m := range regexp.MustCompile("heldout help ([a-z-]+)").FindAllStringSubmatch(text, -1) {
		if c, _, err := root.Find([]string{m[1]}); !slices.Contains(topicNames(), m[1]) && (err != nil || c == root) {
			t.Errorf("%s: there is no page %q", where, m[1])
		}
	}
}

// checkFlags reports flags in a page that no command has. Servers have others.
func checkFlags(t *testing.T, name, page string) {
	t.Helper()
	root := newRoot(&system{getenv: func(string) string { return "" }})
	root.SetErr(io.Discard) // of some commands a flag has another name, and they say so
	page = regexp.MustCompile(`(?m)--serve '[^']*'|^    (vllm|inspect) .*`).ReplaceAllString(page, "--serve")
	for _, flag := range regexp.MustCompile(`--[a-z][a-z-]+`).FindAllString(page, -1) {
		known := func(c *cobra.Command) bool { return c.Flags().Lookup(flag[2:]) != nil }
		if !slices.ContainsFunc(append(root.Commands(), subcommands(root)...), known) {
			t.Errorf("%s: no command has the flag %s", name, flag)
		}
	}
}

// The name of a page that was merged into another one prints that.
func TestMovedPages(t *testing.T) {
	for name, page := range readWords().Moved {
		if slices.Contains(topicNames(), name) || !slices.Contains(topicNames(), page) {
			t.Errorf("%s became %s", name, page)
		}
		sharedtest.Equal(t, runLine(t, "help", name), runLine(t, "help", page), "help", name, page)
	}
}

// longestSentence is how many words a sentence of a page may have.
const longestSentence = 30

// A page begins with a command, and its sentences are short and say what is.
func TestPagesRead(t *testing.T) {
	end := regexp.MustCompile(`[.!?:]\s`)
	missing := regexp.MustCompile(`\b(is|are)\s+no\s+\w+`)
	for _, name := range topicNames() {
		if generated()[name] != nil {
			continue
		}
		page := part(t, name, "")
		if lines := strings.Split(page, "\n"); !strings.HasPrefix(lines[3], "    ") {
			t.Errorf("%s.md begins with %q, not with a command", name, lines[3])
		}
		sharedtest.Equal(t, missing.FindString(page), "", name, ".md has")
		for _, s := range pagePassages(name, page) {
			for _, text := range end.Split(s.text+"\n", -1) {
				for _, line := range strings.Split(text, "\n") {
					if n := len(strings.Fields(line)); n > longestSentence && !strings.Contains(line, "|") {
						t.Errorf("%s: %d words: %s", s.title, n, line)
					}
				}
			}
		}
	}
}

// subcommands lists the commands below the first level.
func subcommands(root *cobra.Command) (all []*cobra.Command) {
	for _, c := range root.Commands() {
		all = append(all, c.Commands()...)
	}
	return all
}

// The comparison in README.md and in page benchmark is what its command prints of the two runs
// that docs/loop keeps, and the replies of these runs earn it.
func TestShownComparison(t *testing.T) {
	t.Parallel()
	const kept = "../../docs/loop/pair.heldout"
	pages := [2]string{}
	for i, file := range []string{"../../README.md", "topics/benchmark.md"} {
		b := sharedtest.Must(os.ReadFile(file))(t)
		pages[i] = string(b)
	}
	screen := regexp.MustCompile("(?s)\\$ heldout (compare runs/base runs/tuned[^\n]*)\n(.*?)```")
	shown := screen.FindStringSubmatch(pages[0])
	if shown == nil {
		t.Fatal("README.md compares no runs/base with runs/tuned")
	}
	pair := sharedtest.Must(bundle.Open(kept, t.TempDir()))(t)
	runs := strings.NewReplacer("runs/base", pair.Runs[0][0], "runs/tuned", pair.Runs[1][0])
	printed := runLine(t, strings.Fields(runs.Replace(shown[1]))...)
	printed = regexp.MustCompile(" +\n").ReplaceAllString(printed, "\n")
	sharedtest.Same(t, shown[2], printed, "README.md does not show what its command prints")
	table := printed[strings.Index(printed, "─"):]
	if !strings.Contains(pages[1], "    "+strings.ReplaceAll(strings.TrimSpace(table), "\n", "\n    ")+"\n") {
		t.Errorf("page benchmark does not show the table of README.md:\n%s", table)
	}
	var proof bytes.Buffer
	execute(t.Context(), []string{"check", kept, "--data", ""},
		&system{stdout: &proof, stderr: io.Discard, getenv: noVariables})
	for _, claim := range []string{"replies earn these results", "tables follow from"} {
		if !regexp.MustCompile(claim + ".* holds ").MatchString(proof.String()) {
			t.Errorf("not proven: %s\n%s", claim, proof.String())
		}
	}
}
