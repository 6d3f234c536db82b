package pytext

import "testing"

func TestPython(t *testing.T) {
	for in, want := range map[string]string{"Pick UP b1": "pick up b1", "İ": "i̇", "ΟΔΟΣ": "οδος", "ẞ": "ß",
		"ᴰΣ\u0301": "ᴰσ\u0301", "aΣ'": "aς'", "aΣ.b": "aσ.b"} {
		if got := Lower(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]string{"\x1c a\tb \u2003\x1f\n": "a\tb", "\u200bx": "\u200bx", " ": ""} {
		if got := Strip(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}
