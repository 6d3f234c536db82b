package jericho

import (
	"regexp"
	"slices"
	"strings"
)

// placeholder stands in a template where the name of an object belongs.
const placeholder = "OBJ"

// Commands that are tried in addition to the templates of a game, and commands
// that are never tried; spec §9.2.
var (
	basicActions = strings.Fields("north south west east northwest southwest northeast southeast up down enter exit")
	// noEffect are commands that only show something, when they stand alone.
	noEffect = strings.Fields("examine x look l i inventory gaze")
	// illegal are first words of commands about the program, not the world.
	illegal = strings.Fields(`license licence lisense lisence copyright terms eula info tutorial changes daemons messages actions
		normal win lose quotes replay recording hint menu walkthru walkthrou manual purloin abstract trace about clue nouns
		places objects long short notify die noscript full fullscore credit credits help super save versio verbos brief
		restar restor again $ve verify version verbose transcrip tw-print showme showverb showheap superbrie script restore
		restart quit q random responses max_scor score endofobje comma, . , unscri gonear`)
)

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
		words := strings.Fields(t)
		if len(words) == 0 || slices.Contains(illegal, words[0]) || len(words) == 1 &&
			slices.Contains(noEffect, words[0]) {
			continue
		}
		out = append(out, t)
	}
	out = append(out, basicActions...)
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
