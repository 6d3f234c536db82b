package hotpotqa

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"heldout/envs"
	"heldout/envs/pytext"
)

// world implements envs.World: the environment with a question around it (spec 1.5).
type world struct {
	env      *Env
	question question
	browser  *browser
}

// Start implements envs.World.
func (w *world) Start(context.Context) (envs.Start, error) {
	return envs.Start{Goal: w.question.text, Observation: "Question: " + w.question.text}, nil
}

// Step implements envs.World. Until there is an answer, the score is the score of an empty answer, which is what
// the reference gives in the end (spec section 1.7). It is 0 except for the few official questions whose answer
// consists only of articles or punctuation.
func (w *world) Step(ctx context.Context, action string) (envs.Step, error) {
	valid, err := w.browser.step(ctx, action)
	if err != nil {
		return envs.Step{}, fmt.Errorf("hotpotqa: %w", err)
	}
	s := envs.Step{Observation: w.browser.observation, Valid: valid}
	answer := ""
	if w.browser.answer != nil {
		s.Done, answer = true, *w.browser.answer
	}
	form := normalize
	if w.question.own {
		form = formFor(w.question.answer)
	}
	answer, gold := form(answer), form(w.question.answer)
	s.Success = answer == gold
	s.Progress, _, _ = f1(answer, gold)
	if s.Done {
		reward := 0
		if s.Success {
			reward = 1
		}
		s.Observation = fmt.Sprintf(finished, reward)
	}
	return s, nil
}

// Spell implements envs.Speller as ReAct's notebook does: models write
// "Search[…]", the environment wants "search[…]".
func (w *world) Spell(action string) string {
	_, first := utf8.DecodeRuneInString(action)
	return pytext.Lower(action[:first]) + action[first:]
}

// ExpertAction implements envs.Expert: it searches for the articles that the answer rests on, then gives the
// answer. If one of the articles is missing, the expert knows no action.
func (w *world) ExpertAction(context.Context) (string, error) {
	if w.browser.answer != nil {
		return "", nil
	}
	searches, pages := w.question.searches, w.question.pages
	if searches == nil {
		found, err := w.env.facts()
		if err != nil {
			return "", err
		}
		titles, ok := found[envs.Digest(w.question.text, w.question.answer)]
		if !ok {
			return "", fmt.Errorf("the expert does not know which articles %s needs: put %s beside the questions",
				w.question.id, factFiles[0])
		}
		searches, pages = titles, titles
	}
	for _, query := range searches {
		if _, done := w.browser.searched[query]; !done {
			return "search[" + query + "]", nil
		}
	}
	for _, query := range pages {
		if !w.browser.searched[query] {
			return "", nil
		}
	}
	return "finish[" + strings.TrimSpace(w.question.answer) + "]", nil
}

// Fork implements envs.Forker.
func (w *world) Fork() (envs.World, error) {
	f, b := *w, *w.browser
	b.searched = maps.Clone(b.searched)
	f.browser = &b
	return &f, nil
}

// AppendState implements envs.StateAppender. The list of actions depends on the last observation and the last
// titles. The answers of a search engine that changes are not part of the state.
func (w *world) AppendState(b []byte) ([]byte, error) {
	for _, text := range []*string{w.browser.page, w.browser.keyword, w.browser.answer} {
		if b = strconv.AppendBool(b, text != nil); text != nil {
			b = strconv.AppendQuote(b, *text)
		}
	}
	b = strconv.AppendQuote(strconv.AppendInt(b, int64(w.browser.next), 10), w.browser.observation)
	for _, title := range w.browser.offered {
		b = strconv.AppendQuote(b, title)
	}
	return b, nil
}

// Close implements envs.World.
func (w *world) Close() error { return nil }

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
