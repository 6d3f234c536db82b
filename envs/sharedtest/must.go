package sharedtest

import (
	"fmt"
	"strings"

	"github.com/google/go-cmp/cmp"
)

// Ender is a test, a benchmark, a fuzz target or a property that an error ends.
type Ender interface {
	Helper()
	Fatal(args ...any)
}

// Must returns a value for a test, which an error in its place ends: Must(os.ReadFile(name))(t).
func Must[V any](value V, err error) func(Ender) V {
	return func(t Ender) V {
		t.Helper()
		OK(t, err)
		return value
	}
}

// OK ends a test in which there is an error.
func OK(t Ender, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Reporter is a test, a fuzz target or a property that goes on after a report.
type Reporter interface {
	Helper()
	Errorf(format string, args ...any)
}

// Equal reports a value that is not the wanted one. What it is about stands before both.
func Equal[V comparable](t Reporter, got, want V, about ...any) {
	t.Helper()
	if got != want {
		t.Errorf("%s%#v, want %#v", heading(about), got, want)
	}
}

// Same does so for values that == does not compare, and reports where they differ.
func Same(t Reporter, got, want any, about ...any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s(-want +got):\n%s", heading(about), diff)
	}
}

// Contains reports a text that lacks a part.
func Contains(t Reporter, text, part string, about ...any) {
	t.Helper()
	if !strings.Contains(text, part) {
		t.Errorf("%sit lacks %q:\n%.3000s", heading(about), part, text)
	}
}

// Fails reports that there is no error, or one that does not say what is wanted.
func Fails(t Reporter, err error, want string, about ...any) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%sthe error is %v, want one with %q", heading(about), err, want)
	}
}

// Err is the error of a call that returns a value too.
func Err[V any](_ V, err error) error { return err }

func heading(about []any) string {
	if len(about) == 0 {
		return ""
	}
	return strings.TrimSuffix(fmt.Sprintln(about...), "\n") + ": "
}
