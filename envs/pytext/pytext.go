// Package pytext is what Python does with texts, where Go does otherwise: the reference
// environments and the original harnesses are written in Python.
package pytext

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// Lower is str.lower, which maps some characters to two and handles the final sigma of a word.
// ASCII takes a fraction of the time.
func Lower(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r > unicode.MaxASCII }) {
		return strings.ToLower(s)
	}
	return cases.Lower(language.Und).String(s)
}

// Strip is str.strip: it removes white space from both ends.
func Strip(s string) string { return strings.TrimFunc(s, IsSpace) }

// IsSpace is str.isspace of a character: Unicode's white space and the four ASCII separators.
func IsSpace(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }
