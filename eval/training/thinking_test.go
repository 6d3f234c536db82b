package training

import (
	"testing"

	"heldout/envs/sharedtest"
)

// A thought is what a reply holds before an action, without labels.
func TestThoughtIn(t *testing.T) {
	for reply, want := range map[string]string{
		"I go on.":                             "I go on.",
		"Thought: I go\n on.\nAction: go":      "I go on.",
		"  \n":                                 "",
		"Action: go":                           "",
		string(make([]byte, longestThought+1)): "",
	} {
		sharedtest.Equal(t, thoughtIn(reply), want, reply)
	}
}
