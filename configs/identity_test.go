package configs

import (
	"strings"
	"testing"

	"heldout/envs/sharedtest"
)

// An identity is the same from flags and from a file, and numbers in it keep their digits.
func TestIdentity(t *testing.T) {
	var flags Identity
	for _, text := range []string{"version=1.10", "source=0123456789abcdef", `sampling={"temperature": 0.70}`} {
		sharedtest.OK(t, flags.Append(text))
	}
	sharedtest.Equal(t, strings.Join(flags.GetSlice(), " "), `version=1.10 source=0123456789abcdef sampling={"temperature":0.70}`,
		"flags give")
	for name, text := range map[string]string{
		"mapping": "player:\n  version: 1.10\n  source: \"0123456789abcdef\"\n  sampling: {temperature: 0.5}\n",
		"list":    "player: [version=1.10, source=0123456789abcdef, 'sampling={\"temperature\": 0.5}']\n",
	} {
		r := DefaultRun()
		if _, err := ParseRun("f", []byte(text), &r, nil, nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		sharedtest.Equal(t, strings.Join(r.Player.GetSlice(), " "), `version=1.10 source=0123456789abcdef sampling={"temperature":0.5}`,
			name)
	}
	for text, want := range map[string]string{
		"player: {version: '', source: xyz}":         "source \"xyz\" of a player is no hash",
		"player: {weights: 1}":                       "unknown key \"weights\"; there are sampling, source, version",
		"player: 7":                                  "says nothing about a player",
		"player: {sampling: hot}":                    "sampling: want KEY: VALUE",
		"player: [version]":                          "says nothing about a player",
		"player: version=" + strings.Repeat("x", 81): "81 characters",
	} {
		r := DefaultRun()
		sharedtest.Fails(t, sharedtest.Err(ParseRun("f", []byte(text), &r, nil, nil)), want, text)
	}
	if !(Identity{}).Zero() || flags.Zero() || flags.Equal(Identity{}) || !flags.Equal(flags) {
		t.Error("zero or equal is wrong")
	}
}
