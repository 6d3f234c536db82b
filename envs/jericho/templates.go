package jericho

import (
	"regexp"
	"slices"
	"strings"
)

// placeholder stands in a template where the name of an object belongs.
const placeholder = "OBJ"

// alternatives matches words that mean the same, such as a/b/c.
var alternatives = regexp.MustCompile(`\S*/\S*`)

// reduceTemplates turns a grammar, templates joined by semicolons, into the
// templates that are tried; spec §9.2. wordLength is how many letters of a word
// the game's parser looks at.
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
