package table

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Wrap breaks a line at spaces so that its parts take at most width columns; a longer word stays whole. It breaks at no
// hyphens, as flags have: ansi.Wordwrap would.
func Wrap(line string, width int) []string {
	const hyphen, unbreakable = "-", "\u2011"
	text := ansi.Wordwrap(strings.ReplaceAll(line, hyphen, unbreakable), max(1, width), "")
	return strings.Split(strings.ReplaceAll(text, unbreakable, hyphen), "\n")
}
