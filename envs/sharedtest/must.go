package sharedtest

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
