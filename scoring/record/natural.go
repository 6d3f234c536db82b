package record

import (
	"cmp"
	"strings"
)

// Natural compares names as people count: checkpoint-200 comes before checkpoint-1000.
func Natural(a, b string) int {
	s, t := a, b
	for s != "" && t != "" {
		x, y := runOf(s), runOf(t)
		s, t = s[len(x):], t[len(y):]
		if digit(x[0]) && digit(y[0]) {
			m, n := strings.TrimLeft(x, "0"), strings.TrimLeft(y, "0")
			if order := cmp.Or(cmp.Compare(len(m), len(n)), cmp.Compare(m, n)); order != 0 {
				return order
			}
			continue
		}
		if order := cmp.Compare(x, y); order != 0 {
			return order
		}
	}
	return cmp.Or(cmp.Compare(len(s), len(t)), cmp.Compare(a, b))
}

// runOf returns what a text begins with: digits, or others.
func runOf(text string) string {
	end := 1
	for end < len(text) && digit(text[end]) == digit(text[0]) {
		end++
	}
	return text[:end]
}

func digit(c byte) bool { return '0' <= c && c <= '9' }
