package wiki

import (
	"strings"
	"unicode"
)

// IsSpace reports whether Python treats r as white space: Unicode's white space
// and the four ASCII separators.
func IsSpace(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }

// strip removes white space around s, as Python's strip does.
func strip(s string) string { return strings.TrimFunc(s, IsSpace) }
