package outside

import (
	"strconv"
	"unicode"
)

// Quoted is a text from outside in one printable line.
func Quoted(text string) string {
	const longest = 300
	if len(text) > longest {
		text = text[:longest] + "…"
	}
	for _, r := range text {
		if !unicode.IsPrint(r) || r == unicode.ReplacementChar {
			return strconv.Quote(text)
		}
	}
	return text
}
