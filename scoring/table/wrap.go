package table

import (
	"strings"
	"unicode/utf8"
)

// Wrap breaks a line at spaces so that its parts have at most width characters; a
// longer word stays whole.
func Wrap(line string, width int) (out []string) {
	for utf8.RuneCountInString(line) > width {
		line = strings.Trim(line, " ")
		end := breakAt(line, width)
		if end < 0 {
			break
		}
		out = append(out, strings.TrimRight(line[:end], " "))
		line = strings.TrimLeft(line[end:], " ")
	}
	return append(out, line)
}

// breakAt returns where to break a line that does not start with a space: at the
// last space up to width, or else the first, or else nowhere (-1).
func breakAt(line string, width int) int {
	n, last := 0, -1
	for at, r := range line {
		if n > width && last >= 0 {
			break
		}
		if r == ' ' {
			last = at
			if n >= width {
				break
			}
		}
		n++
	}
	return last
}
