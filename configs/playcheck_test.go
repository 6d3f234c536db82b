package configs

import (
	"strings"
	"testing"

	"heldout/envs/sharedtest"
)

// Settings that the form of the agent would ignore are refused, and so are numbers out of their range.
func TestPlaysThatWouldBeIgnored(t *testing.T) {
	for _, c := range sharedtest.Cases[struct{ Replaces, With, Want string }](t, "plays-that-would-be-ignored.yaml") {
		text := strings.Replace(minimal, c.Replaces, c.With, 1)
		if text == minimal {
			t.Fatalf("%q is not in the preset", c.Replaces)
		}
		sharedtest.Fails(t, sharedtest.Err(ParsePreset("f", []byte(text))), c.Want, c.With)
	}
}
