package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"heldout/envs"
)

var small = envs.Picture{Rows: [][]envs.Glyph{
	{{Text: "##"}, {Text: "Kr", Color: envs.Red, Lit: true}},
	{{Text: "> ", Lit: true}, {Text: "Oe", Color: envs.Grey}},
}}

func TestBeside(t *testing.T) {
	text := []string{"one two three four five six seven eight", "", "nine"}
	for name, c := range map[string]struct {
		columns int
		colored bool
		want    []string
	}{
		"plain": {34, false, []string{
			"##Kr   one two three four five six", "> Oe   seven eight", "       ", "       nine",
		}},
		"colored": {80, true, []string{
			"##\x1b[91;48;5;238mKr\x1b[0m   one two three four five six seven eight", "\x1b[48;5;238m> \x1b[0m\x1b[37mOe\x1b[0m   ", "       nine",
		}},
		"no room": {30, false, []string{"##Kr", "> Oe", text[0], "", "nine"}},
	} {
		if diff := cmp.Diff(c.want, beside(small, text, c.columns, c.colored)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// Wrapping loses nothing but spaces at the breaks, and lines fit unless a word
// does not.
func TestWrap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.StringOf(rapid.RuneFrom([]rune("ab  é"))).Draw(t, "line")
		width := rapid.IntRange(1, 20).Draw(t, "width")
		lines := wrap([]string{line}, width)
		if got, want := strings.Fields(strings.Join(lines, " ")), strings.Fields(line); !cmp.Equal(got, want) && len(want) > 0 {
			t.Fatalf("%q became %q", line, lines)
		}
		for _, l := range lines {
			if utf8.RuneCountInString(l) > width && strings.ContainsRune(strings.TrimSpace(l), ' ') {
				t.Fatalf("%q is longer than %d", l, width)
			}
		}
	})
}
