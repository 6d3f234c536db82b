package perturb

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// words makes old and new words trade places, wherever they are said. A word is a
// run of letters from a to z. Swapping undoes itself, so nothing can be lost.
type words struct {
	swaps map[string]string // in both directions
	old   map[string]bool
}

func newWords(rules map[string]string) (words, error) {
	w := words{map[string]string{}, map[string]bool{}}
	for _, old := range slices.Sorted(maps.Keys(rules)) {
		written := rules[old]
		for _, word := range []string{old, written} {
			if len(word) < 2 || strings.ContainsFunc(word, func(r rune) bool { return r < 'a' || r > 'z' }) {
				return w, fmt.Errorf("words: %q is not a word of two or more small letters from a to z", word)
			}
			if _, number := numberOfWord(word); number {
				return w, fmt.Errorf("words: %q is a number", word)
			}
			if other, taken := w.swaps[word]; taken {
				return w, fmt.Errorf("words: %q trades places with both %q and %q", word, other, written)
			}
		}
		if old == written {
			return w, fmt.Errorf("words: %q stays the same", old)
		}
		w.swaps[old], w.swaps[written], w.old[old] = written, old, true
	}
	return w, nil
}

// forward returns the words without the way back.
func (w words) forward() words {
	to := map[string]string{}
	for old := range w.old {
		to[old] = w.swaps[old]
	}
	return words{to, w.old}
}

// say swaps the words of a text. Words in small letters, in capitals or with a
// capital at the beginning keep that; with anyCase, all other mixtures become small
// letters, and without it they stay.
func (w words) say(text string, anyCase bool) string {
	if len(w.swaps) == 0 {
		return text
	}
	var b strings.Builder
	for from := 0; from < len(text); {
		end := from
		for end < len(text) && isLetter(text[end]) {
			end++
		}
		if end == from {
			b.WriteByte(text[from])
			from++
			continue
		}
		b.WriteString(w.swap(text[from:end], anyCase))
		from = end
	}
	return b.String()
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

func (w words) swap(word string, anyCase bool) string {
	lower := strings.ToLower(word)
	to, ok := w.swaps[lower]
	switch {
	case !ok:
		return word
	case word == strings.ToUpper(word):
		return strings.ToUpper(to)
	case word == capitalized(lower):
		return capitalized(to)
	case word == lower || anyCase:
		return to
	}
	return word
}

func capitalized(word string) string { return strings.ToUpper(word[:1]) + word[1:] }

// hasOld reports whether a text holds a word that is another one now.
func (w words) hasOld(text string) bool {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r > 'z' || !isLetter(byte(r)) }) {
		if w.old[strings.ToLower(word)] {
			return true
		}
	}
	return false
}
