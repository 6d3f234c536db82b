package jericho

import (
	"regexp"
	"slices"
	"strings"

	"heldout/envs/engine/zmachine"
)

// placeholder stands in a template where the name of an object belongs.
const placeholder = "OBJ"

// alternatives matches words that mean the same, such as a/b/c.
var alternatives = regexp.MustCompile(`\S*/\S*`)

// reduceTemplates turns a grammar, templates joined by semicolons, into the templates that are tried; spec §9.2.
// wordLength is how many letters of a word the game's parser looks at.
func reduceTemplates(grammar string, wordLength int, counts verbCounts) []string {
	var out []string
	for t := range strings.SplitSeq(grammar, ";") {
		for {
			run := alternatives.FindStringIndex(t)
			if run == nil {
				break
			}
			best := mostUsual(strings.Split(t[run[0]:run[1]], "/"), wordLength, counts)
			t = t[:run[0]] + best + t[run[1]:]
		}
		typed := strings.Fields(t)
		if len(typed) == 0 || slices.Contains(words().Illegal, typed[0]) || len(typed) == 1 &&
			slices.Contains(words().NoEffect, typed[0]) {
			continue
		}
		out = append(out, t)
	}
	out = append(out, words().Basic...)
	return append(out, "take all")
}

// mostUsual returns the most usual of several words. The first word wins a tie.
func mostUsual(words []string, wordLength int, counts verbCounts) string {
	best, top := "", -1
	for _, w := range words {
		n := counts.exact(strings.ToLower(w))
		if len(w) == wordLength {
			n = counts.prefix(strings.ToLower(w))
		}
		if n > top {
			best, top = w, n
		}
	}
	return best
}

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

// flagDirection is set in the first data byte of an Infocom word for a direction.
const flagDirection = 0x10

// understood replaces directions that a story does not understand by their short
// forms, if it understands those: not all stories know both.
func understood(templates []string, story *zmachine.Story) []string {
	inform := informSerial(story.Serial())
	vocab := vocabulary{words: map[string]bool{}}
	for _, w := range zmachine.New(story, zmachine.Options{}).Dictionary() {
		vocab.length = max(vocab.length, len(w.Text))
		if inform || len(w.Data) > 0 && w.Data[0]&flagDirection != 0 {
			vocab.words[w.Text] = true
		}
	}
	out := slices.Clone(templates)
	for i, t := range out {
		if short := words().Abbreviations[t]; short != "" && !vocab.knows(t) && vocab.knows(short) {
			out[i] = short
		}
	}
	return out
}
