package refinement

import (
	"maps"
	"strings"
	"unicode"
)

// words numbers words in lower case, from 1. Texts of episodes have few different
// words, so a number saves most of the work of hashing and comparing them.
type words struct {
	numbers  map[string]uint32
	size     int               // of the words, in bytes
	retained map[string]uint32 // what forget leaves
	lower    []byte            // of the text that is read
}

// bigram is the numbers of two consecutive words, the first one in the upper half.
type bigram uint64

// Sizes of words: what a number costs beside the word, and how large the words are
// that have numbers between two episodes, in bytes.
const (
	numberSize = 64
	mostWords  = 4 << 20
)

// keep keeps the numbers that words have now.
func (w *words) keep() { w.retained, w.size = maps.Clone(w.numbers), 0 }

// forget bounds the number of words. Bigrams from before have other numbers, except
// those of kept words.
func (w *words) forget() {
	if w.size < mostWords {
		return
	}
	w.numbers, w.size = map[string]uint32{}, 0
	maps.Copy(w.numbers, w.retained)
}

// eachBigram visits the pairs of consecutive words of a text, in lower case. A word is
// letters, digits and apostrophes.
func (w *words) eachBigram(text string, visit func(bigram)) {
	previous := uint32(0)
	w.walk(text, func(word []byte) {
		n := w.numbers[string(word)]
		if n == 0 {
			n = uint32(len(w.numbers) + 1)
			w.numbers[string(word)] = n
			w.size += numberSize + len(word)
		}
		if previous > 0 {
			visit(bigram(previous)<<32 | bigram(n))
		}
		previous = n
	})
}

// walk visits the words of a text, in lower case. A word is used until visit returns.
func (w *words) walk(text string, visit func([]byte)) {
	w.lower = w.lower[:0]
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		case c >= 0x80:
			eachOfAnyLetters(text, visit)
			return
		}
		w.lower = append(w.lower, c)
	}
	start := 0
	for i, c := range w.lower {
		if 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '\'' {
			continue
		}
		if i > start {
			visit(w.lower[start:i])
		}
		start = i + 1
	}
	if len(w.lower) > start {
		visit(w.lower[start:])
	}
}

// eachOfAnyLetters is each for a text beyond ASCII.
func eachOfAnyLetters(text string, visit func([]byte)) {
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '\''
	}) {
		visit([]byte(word))
	}
}
