package jericho

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"sync"

	"heldout/envs/datafile"
)

// tokens matches words, and separators that end a phrase.
var tokens = regexp.MustCompile(`[A-Za-z]+(?:'[A-Za-z]+)*|[^A-Za-z\s]`)

// tag returns the nouns and adjectives of a text in lower case, in their order. It decides by lists of words, by
// endings and by the next word, which is enough to find possible names of an object. Words that are neither are
// left out; an unknown word is a noun.
func tag(text string) []name {
	var out []name
	found := tokens.FindAllString(text, -1)
	for i, w := range found {
		word := strings.ToLower(w)
		if !isLetter(word[0]) || len(word) < 2 || slices.Contains(words().Others, word) || strings.Contains(word, "'") {
			continue
		}
		next := ""
		if i+1 < len(found) {
			next = strings.ToLower(found[i+1])
		}
		follows := next != "" && isLetter(next[0]) && !slices.Contains(words().Others, next)
		out = append(out, name{text: word, class: classOf(word, follows), modifier: follows})
	}
	return out
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' }

// classOf decides between noun and adjective; follows: another such word does.
func classOf(word string, follows bool) class {
	if slices.Contains(words().Adjectives, word) {
		return adjective
	}
	if follows && slices.ContainsFunc(words().AdjectiveEndings, func(end string) bool {
		return len(word) > len(end)+2 && strings.HasSuffix(word, end)
	}) {
		return adjective
	}
	return noun
}

//go:embed words.json
var wordsText []byte

// words are read when they are first needed.
var words = sync.OnceValue(func() wordLists { return datafile.Table[wordLists](wordsText) })

// wordLists are lists of English words.
type wordLists struct {
	AdjectiveEndings []string // of words that describe the next word
	Adjectives       []string // common ones without such an ending
	Directions       []string
	Others           []string // neither nouns nor adjectives, or they say too little to name a thing
	Basic            []string // commands that are tried in addition to the templates of a game; spec §9.2
	NoEffect         []string // commands that only show something, when they stand alone
	Illegal          []string // first words of commands about the program, not the world
	// Usual are words with which commands begin, the most usual first, by our own judgement of how text adventures
	// are played, brought in line with what the reference chooses in the benchmark's games. If several words or
	// commands do the same, their places in the list decide which one is shown.
	Usual []string
	// Unrecognised are patterns of what parsers reply to names that they do not know.
	Unrecognised  []string
	Abbreviations map[string]string // of directions
}
