package perturb

import (
	"regexp"
	"testing"
)

// Where a pattern in any case finds a letter, literals do, too.
func TestLiterals(t *testing.T) {
	texts := []string{"Ask", "aSK", "a\u017fk", "as\u212a", "a.k", "ak s", "\u00c9tude", "\u00e9TUDE", "a\xffsk"}
	for _, text := range texts {
		for _, part := range []string{"ask", "ASK", "as\u212a", "\u00e9tude", "k"} {
			if want := regexp.MustCompile("(?i)" + part).MatchString(text); newLiterals(true, part).in(text) != want {
				t.Errorf("%q in %q: want %t", part, text, want)
			}
		}
	}
	l := newLiterals(false, "take ", " from ")
	if l.in("from take ") || l.in("Take a from b") || !l.in("take a from b") {
		t.Error("parts stand in order, in their own case")
	}
}
