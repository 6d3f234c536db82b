package jericho

import "strings"

// verbCounts gives how usual a word is at the beginning of a command.
type verbCounts interface {
	// exact is the number for a word, 0 for words that are not known.
	exact(word string) int
	// prefix is the sum for all words that begin like this.
	prefix(word string) int
}

// ranks are verb counts by the places of words in a list.
type ranks map[string]int

// usualVerbs reads our list.
func usualVerbs() ranks {
	usual := words().Usual
	r := ranks{}
	for i, w := range usual {
		r[w] = len(usual) - i
	}
	return r
}

func (r ranks) exact(word string) int { return r[word] }

func (r ranks) prefix(word string) int {
	sum := 0
	for w, n := range r {
		if strings.HasPrefix(w, word) {
			sum += n
		}
	}
	return sum
}
