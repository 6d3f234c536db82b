package hotpotqa

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"heldout/envs"
)

// world implements envs.World: the bare environment with a question around it
// (spec section 1.5).
type world struct {
	env      *Env
	question question
	browser  *browser
}

// Start implements envs.World.
func (w *world) Start(context.Context) (envs.Start, error) {
	return envs.Start{Goal: w.question.text, Observation: "Question: " + w.question.text}, nil
}

// Step implements envs.World. An episode that ends without an answer has the
// score of the last step, which is none.
func (w *world) Step(ctx context.Context, action string) (envs.Step, error) {
	valid, err := w.browser.step(ctx, action)
	if err != nil {
		return envs.Step{}, fmt.Errorf("hotpotqa: %w", err)
	}
	if w.browser.answer == nil {
		return envs.Step{Observation: w.browser.observation, Valid: valid}, nil
	}
	s := envs.Step{Done: true, Valid: valid}
	s.Success = exactMatch(*w.browser.answer, w.question.answer)
	s.Progress, _, _ = f1(*w.browser.answer, w.question.answer)
	reward := 0
	if s.Success {
		reward = 1
	}
	s.Observation = fmt.Sprintf(finished, reward)
	return s, nil
}

// Spell implements envs.Speller as ReAct's notebook does: models write
// "Search[…]", the environment wants "search[…]".
func (w *world) Spell(action string) string {
	_, first := utf8.DecodeRuneInString(action)
	return lower(action[:first]) + action[first:]
}

// ExpertAction implements envs.Expert: the searches for the articles that the
// answer rests on, then the answer. Where one of the articles is not there, the
// expert knows nothing.
func (w *world) ExpertAction(context.Context) (string, error) {
	if w.browser.answer != nil {
		return "", nil
	}
	searches, pages := w.question.searches, w.question.pages
	if searches == nil {
		titles, err := w.env.facts(w.question)
		if err != nil {
			return "", err
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

// Close implements envs.World.
func (w *world) Close() error { return nil }
