package perturb

import (
	"strings"
	"unicode"
)

// literals are the fixed parts of a pattern. To find them takes a fraction of the time
// that the pattern takes to find nothing.
type literals struct {
	parts   []string
	anyCase bool
}

func newLiterals(anyCase bool, parts ...string) literals {
	out := literals{anyCase: anyCase}
	for _, part := range parts {
		if anyCase {
			part = folded(part)
		}
		out.parts = append(out.parts, part)
	}
	return out
}

// in reports whether all parts stand in a text, one after the other.
func (l literals) in(text string) bool {
	if l.anyCase {
		text = folded(text)
	}
	for _, part := range l.parts {
		_, rest, ok := strings.Cut(text, part)
		if !ok {
			return false
		}
		text = rest
	}
	return true
}

// folded gives letters that differ in case alone one case, as regexp compares them.
func folded(text string) string {
	return strings.Map(func(r rune) rune {
		first := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			first = min(first, next)
		}
		return first
	}, text)
}
