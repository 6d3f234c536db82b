package sharedtest

import (
	"slices"
	"testing"
)

// verdict is a test that remembers how it ended.
type verdict struct {
	testing.TB
	said string
}

func (v *verdict) Helper()             {}
func (v *verdict) Logf(string, ...any) {}
func (v *verdict) Skip(...any)         { v.said = "skipped" }
func (v *verdict) Fatalf(string, ...any) {
	v.said = "failed"
	panic(v)
}

func TestAbsent(t *testing.T) {
	for required, want := range map[string]string{
		"": "skipped", "java": "skipped", "java,chromium": "failed", "chromium": "failed", "chromium2": "skipped",
	} {
		t.Setenv("HELDOUT_REQUIRE", required)
		v := &verdict{TB: t}
		func() {
			defer func() { _ = recover() }()
			Absent(v, "chromium", "install it")
		}()
		if v.said != want {
			t.Errorf("with %q: %s, want %s", required, v.said, want)
		}
	}
}

func TestForms(t *testing.T) {
	for long, want := range map[string][4]int{
		"": {7, 7, 2, 2}, "0": {7, 7, 2, 2}, "1": {1, 3, 50, 50}, "all": {1, 1, 50, 90},
	} {
		t.Setenv("HELDOUT_LONG", long)
		v := &verdict{TB: t}
		if got := [4]int{Every(v, 7), Every(v, 7, 3), Times(v, 50, 2), Times(v, 50, 2, 90)}; got != want {
			t.Errorf("with %q: %v, want %v", long, got, want)
		}
		all := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
		some, more := []int{0, 2, 5, 7}, []int{0, 2, 5, 7}
		switch long {
		case "1":
			some, more = all, []int{0, 1, 3, 5, 6, 8}
		case "all":
			some, more = all, all
		}
		if got, of := Sample(v, all, 4), Sample(v, all, 4, 6); !slices.Equal(got, some) || !slices.Equal(of, more) {
			t.Errorf("with %q: %v and %v, want %v and %v", long, got, of, some, more)
		}
	}
}
