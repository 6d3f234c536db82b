package agent

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// The originals of protocols read replies in Python, whose functions these are.

// lower is Python's str.lower.
func lower(s string) string { return cases.Lower(language.Und).String(s) }

// strip is Python's str.strip.
func strip(s string) string { return strings.TrimFunc(s, isSpace) }

// isSpace reports what counts as white space in Python.
func isSpace(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }
