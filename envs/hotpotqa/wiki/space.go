package wiki

import (
	"strings"
	"unicode"
)

// IsSpace reports whether Python takes r for white space: as Unicode does, and
// the four separators of ASCII besides.
func IsSpace(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }

// strip takes off white space around s, as Python's strip does.
func strip(s string) string { return strings.TrimFunc(s, IsSpace) }
