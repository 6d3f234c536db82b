package outside

import (
	"strconv"
	"strings"
	"unicode"
)

// longestQuote is how much of a text from outside an error has, in bytes.
const longestQuote = 300

// Quoted is a text from outside in one printable line. Of a long one, the beginning and the end are left: what
// went wrong stands in the last line of a traceback.
func Quoted(text string) string { return quoted(text, longestQuote) }

func quoted(text string, longest int) string {
	if len(text) > longest {
		half := longest / 2
		text = strings.ToValidUTF8(text[:half], "") + "…" + strings.ToValidUTF8(text[len(text)-half:], "")
	}
	for _, r := range text {
		if !unicode.IsPrint(r) || r == unicode.ReplacementChar {
			return strconv.Quote(text)
		}
	}
	return text
}
