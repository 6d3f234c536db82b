package trajectory

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"heldout/scoring/table"
)

// maxShown is how much of a text is shown at once, in bytes; the rest unfolds.
const maxShown = 4000

// Text is a text of a record, ready to be shown.
type Text struct {
	Shown string
	// Rest is what unfolds, Characters its length.
	Rest       string
	Characters int
}

// newText makes a text of a record visible: what does not print, such as escape
// sequences and marks that turn the direction of writing, is written as Go writes
// it in strings. Line ends and tabs stay.
func newText(s string) Text {
	s = visible(s)
	if len(s) <= maxShown {
		return Text{Shown: s}
	}
	cut := maxShown
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return Text{s[:cut], s[cut:], utf8.RuneCountInString(s[cut:])}
}

func visible(s string) string {
	return table.Escape(strings.ReplaceAll(s, "\r\n", "\n"), func(r rune) bool {
		return r != '\n' && r != '\t' && !unicode.IsPrint(r)
	})
}

// visibleTexts makes texts that come often visible, each once.
type visibleTexts map[string]string

func (v visibleTexts) of(s string) string {
	shown, known := v[s]
	if !known {
		shown = visible(s)
		v[s] = shown
	}
	return shown
}
