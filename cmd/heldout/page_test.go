package main

import (
	"io"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"heldout/envs/sharedtest"
)

// A terminal gets every word of a page in its order, and neither its syntax nor lines that it would break.
func TestPagesOnATerminal(t *testing.T) {
	words := func(text string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				return r
			}
			return -1
		}, text)
	}
	for _, name := range topicNames() {
		raw, _ := readTopic(name)
		for columns, most := range map[int]int{60: 60, 80: 80, 200: widestPage} {
			sys := &system{columns: columns, getenv: environment(nil)}
			text := sys.page(raw)
			plain := ansi.Strip(text)
			if got, want := words(plain), words(string(raw)); got != want {
				t.Errorf("%s loses words: %s", name, firstDifference(got, want))
			}
			for line := range strings.Lines(plain) {
				word := line[strings.LastIndexByte(strings.TrimRight(line, "\n"), ' ')+1:]
				whole := strings.HasPrefix(line, "    ") || len(word) > 40 // cannot be broken
				if n := ansi.StringWidth(line); n > max(most, 80) || n > most && !whole {
					t.Errorf("%s at %d: %d columns: %s", name, columns, n, line)
				}
				if strings.HasPrefix(line, "|") || strings.HasPrefix(line, "===") || strings.Contains(line, "`") {
					t.Errorf("%s has syntax: %s", name, line)
				}
			}
		}
	}
}

func firstDifference(got, want string) string {
	for i := range want {
		if i >= len(got) || got[i] != want[i] {
			return want[max(0, i-20):i] + " | " + want[i:min(len(want), i+40)]
		}
	}
	return "too much"
}

// environment has those variables alone.
func environment(variables map[string]string) func(string) string {
	return func(name string) string { return variables[name] }
}

// Variables say whether pages and warnings are bold and colored.
func TestStyle(t *testing.T) {
	type variables = map[string]string
	for _, c := range []struct {
		terminal bool
		given    variables
		want     style
	}{
		{true, nil, style{true, true}},
		{true, variables{"TERM": "dumb"}, style{}},
		{true, variables{"NO_COLOR": "1", "CLICOLOR_FORCE": "1"}, style{true, false}},
		{true, variables{"CLICOLOR": "0"}, style{true, false}},
		{false, nil, style{}},
		{false, variables{"CLICOLOR_FORCE": "1"}, style{true, true}},
	} {
		sharedtest.Equal(t, (&system{getenv: environment(c.given)}).style(c.terminal), c.want, "terminal", c.terminal,
			c.given)
	}
}

// What is no terminal gets Markdown, and a dumb one text alone.
func TestPage(t *testing.T) {
	const source = "Title\n=====\n\nSome `code` and\n**words**.\n\n1. one\n   two\n2. three\n\n![alt](x.svg)\n\n" +
		"| a | b |\n|---|---|\n| first | second |\n\n    as it is\n"
	for _, c := range []struct {
		columns int
		given   map[string]string
		want    string
	}{
		{0, nil, source},
		{80, map[string]string{"TERM": "dumb"},
			"Title\n\nSome code and words.\n\n1. one two\n2. three\n\na      b\nfirst  second\n\n    as it is\n"},
		{12, map[string]string{"NO_COLOR": "1"},
			"\x1b[1mTitle\x1b[m\n\nSome \x1b[1mcode\x1b[m\nand \x1b[1mwords\x1b[m.\n\n1. one two\n2. three\n\n" +
				"\x1b[1ma\x1b[m      \x1b[1mb\x1b[m\nfirst  second\n\n    \x1b[1mas it is\x1b[m\n"},
	} {
		if got := (&system{columns: c.columns, getenv: environment(c.given)}).page([]byte(source)); got != c.want {
			t.Errorf("%d columns, %v:\n%q\n%q", c.columns, c.given, got, c.want)
		}
	}
}

// A terminal without Unicode gets no lines that ASCII lacks; files and pipes do.
func TestASCII(t *testing.T) {
	args := []string{"run", "--env", "pddl", "--model", "expert", "--limit", "2", "--out", t.TempDir()}
	for _, c := range []struct {
		columns int
		given   map[string]string
		want    bool // lines
	}{
		{80, map[string]string{"LC_ALL": "C", "LANG": "en_US.UTF-8"}, false},
		{80, nil, true},
		{0, map[string]string{"LC_ALL": "C"}, true},
	} {
		var out strings.Builder
		sys := &system{stdout: &out, stderr: io.Discard, columns: c.columns, getenv: environment(c.given),
			now: time.Now}
		if code := execute(t.Context(), args, sys); code != exitOK {
			t.Fatalf("exit code %d", code)
		}
		got := strings.ContainsAny(out.String(), "─–")
		if got != c.want || strings.Contains(out.String(), "-----") == got {
			t.Errorf("%d columns, %v:\n%s", c.columns, c.given, &out)
		}
	}
}
