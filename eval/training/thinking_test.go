package training

import "testing"

// A thought is what a reply holds before an action, without labels.
func TestThoughtIn(t *testing.T) {
	for reply, want := range map[string]string{
		"I go on.":                             "I go on.",
		"Thought: I go\n on.\nAction: go":      "I go on.",
		"  \n":                                 "",
		"Action: go":                           "",
		string(make([]byte, longestThought+1)): "",
	} {
		if got := thoughtIn(reply); got != want {
			t.Errorf("%.40q: %q, want %q", reply, got, want)
		}
	}
}
