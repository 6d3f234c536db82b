package hotpotqa

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"heldout/envs/pytext"
)

// Actions implements envs.Lister. Any text can be a search or an answer, so these are the actions with a name from
// the question, the last observation or the last list of titles, and the answers yes and no.
func (w *world) Actions(context.Context) ([]string, error) {
	if w.browser.answer != nil {
		return nil, nil
	}
	candidates := append(names(w.question.text), w.browser.offered...)
	if w.browser.steps > 0 {
		candidates = append(candidates, names(w.browser.observation)...)
	}
	actions := []string{"finish[no]", "finish[yes]"}
	for _, name := range candidates {
		actions = append(actions, "search["+name+"]", "finish["+name+"]")
		if w.browser.page != nil {
			actions = append(actions, "lookup["+name+"]")
		}
	}
	slices.Sort(actions)
	return slices.Compact(actions), nil
}

// names are the runs of capitalized words, without the punctuation around them.
func names(text string) (out []string) {
	var run []string
	end := func() {
		if run != nil {
			out = append(out, strings.Join(run, " "))
			run = nil
		}
	}
	for _, field := range pytext.Fields(text) {
		word := strings.TrimFunc(field, func(r rune) bool { return !pytext.IsWord(r) })
		if first, _ := utf8.DecodeRuneInString(word); !unicode.IsUpper(first) {
			end()
			continue
		}
		run = append(run, word)
		if last, _ := utf8.DecodeLastRuneInString(field); !pytext.IsWord(last) {
			end()
		}
	}
	end()
	return out
}
