package jericho

import (
	"strings"
	"testing"

	"heldout/envs/sharedtest"
)

// Nouns and adjectives are told apart, and numbers, pronouns and other words that
// name nothing are left out.
func TestTag(t *testing.T) {
	for text, want := range map[string]string{
		"You can see a rusty sword and another brass lamp here.": "rusty/a sword brass lamp",
		"The other one is classy, the red two aren't.":           "classy/a red/a",
		"A wooden table; a wooden":                               "wooden/a table wooden/a",
		"To the north is the Stone Room":                         "north stone room",
		"42 x":                                                   "",
	} {
		var got []string
		for _, n := range tag(text) {
			if n.class == adjective {
				n.text += "/a"
			}
			got = append(got, n.text)
		}
		sharedtest.Same(t, strings.Join(got, " "), want, text)
	}
}

// Names of directions come behind names of things.
func TestNamesIn(t *testing.T) {
	v := &vocabulary{length: 6, words: map[string]bool{"north": true, "lamp": true, "lanter": true}}
	var got []string
	for _, n := range v.namesIn("North is a lamp, or lantern, on a table.") {
		got = append(got, n.text)
	}
	sharedtest.Same(t, got, []string{"lamp", "lantern", "north"})
}
