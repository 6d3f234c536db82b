package pytext

import (
	"testing"

	"heldout/envs/sharedtest"
)

func TestPython(t *testing.T) {
	for in, want := range map[string]string{"Pick UP b1": "pick up b1", "İ": "i̇", "ΟΔΟΣ": "οδος", "ẞ": "ß",
		"ᴰΣ\u0301": "ᴰσ\u0301", "aΣ'": "aς'", "aΣ.b": "aσ.b"} {
		sharedtest.Equal(t, Lower(in), want, in, "becomes")
	}
	for in, want := range map[string]string{"\x1c a\tb \u2003\x1f\n": "a\tb", "\u200bx": "\u200bx", " ": ""} {
		sharedtest.Equal(t, Strip(in), want, in, "becomes")
	}
}
