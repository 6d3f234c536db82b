package table

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Wrapping loses nothing but spaces at the breaks, and lines fit unless a word
// does not.
func TestWrap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.StringOf(rapid.RuneFrom([]rune("ab  é"))).Draw(t, "line")
		width := rapid.IntRange(1, 20).Draw(t, "width")
		lines := Wrap(line, width)
		if got, want := strings.Fields(strings.Join(lines, " ")), strings.Fields(line); !cmp.Equal(got, want) &&
			len(want) > 0 {
			t.Fatalf("%q became %q", line, lines)
		}
		for _, l := range lines {
			if utf8.RuneCountInString(l) > width && strings.ContainsRune(strings.TrimSpace(l), ' ') {
				t.Fatalf("%q is longer than %d", l, width)
			}
		}
	})
}
