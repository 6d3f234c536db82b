package sharedtest

import (
	"errors"
	"fmt"
	"slices"
	"testing"
)

// heard keeps what a helper reports.
type heard []string

func (*heard) Helper() {}

func (h *heard) Errorf(format string, args ...any) { *h = append(*h, fmt.Sprintf(format, args...)) }

// Helpers say nothing of what is as wanted, and something of all else.
func TestReports(t *testing.T) {
	var h heard
	no := errors.New("there is no egg")
	Equal(&h, "a", "a", "letters")
	Same(&h, []int{1}, []int{1})
	Contains(&h, "an egg", "egg")
	Fails(&h, Err(0, no), "egg")
	Fails(&h, no, "")
	if len(h) > 0 {
		t.Errorf("what is as wanted is reported: %q", h)
	}
	Equal(&h, "a", "b", "letters of", 3)
	Equal(&h, 1, 2)
	Same(&h, []int{1}, nil, "a list")
	Contains(&h, "an egg", "cup", "a text")
	Fails(&h, no, "cup")
	Fails(&h, nil, "", "an egg")
	want := []string{`letters of 3: "a", want "b"`, `1, want 2`, h[min(2, len(h)-1)],
		"a text: it lacks \"cup\":\nan egg",
		`the error is there is no egg, want one with "cup"`, `an egg: the error is <nil>, want one with ""`}
	if !slices.Equal(h, want) {
		t.Errorf("%q, want %q", h, want)
	}
}
