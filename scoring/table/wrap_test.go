package table

import (
	"slices"
	"testing"
)

// Lines are broken at spaces alone, by the columns that a terminal needs, and words that are too long stay whole.
func TestWrap(t *testing.T) {
	got := Wrap("give --set held-in=a and 木漢字 or a/very/long/path", 12)
	if want := []string{"give --set", "held-in=a", "and 木漢字", "or", "a/very/long/path"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
