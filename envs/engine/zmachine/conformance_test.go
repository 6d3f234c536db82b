package zmachine

import (
	"os"
	"strings"
	"testing"

	"heldout/envs/sharedtest"
)

// conformance loads a story of the public test suites, or skips the test.
func conformance(t *testing.T, file string) *Story {
	t.Helper()
	b := sharedtest.Must(os.ReadFile(sharedtest.Data(t, "zmachine/"+file, "the suites czech and praxix, compiled")))(t)
	return load(t, b)
}

// TestCzech runs the suite czech, which needs no input. That it ends with an
// error does not matter: it quits, which does nothing here.
func TestCzech(t *testing.T) {
	for _, file := range []string{"czech.z3", "czech.z4", "czech.z5", "czech.z8"} {
		t.Run(file, func(t *testing.T) {
			m := New(conformance(t, file), Options{Capture: 1 << 20})
			err := m.Start()
			if got := shown(m); !strings.Contains(got, "Failed: 0") || strings.Contains(got, "ERROR") {
				t.Errorf("%s\n%v", got, err)
			}
		})
	}
}

// TestPraxix runs the suite praxix, apart from what it says about undo, which
// there is not.
func TestPraxix(t *testing.T) {
	m := New(conformance(t, "praxix.z5"), Options{Capture: 1 << 20})
	sharedtest.OK(t, m.Start())
	shown(m)
	sharedtest.OK(t, m.Step("all"))
	for line := range strings.Lines(shown(m)) {
		if strings.Contains(line, "FAIL") && !strings.Contains(strings.ToLower(line), "undo") {
			t.Error(line)
		}
	}
}
