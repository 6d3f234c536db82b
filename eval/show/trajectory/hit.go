package trajectory

import (
	"fmt"
	"iter"
	"strings"
	"unicode/utf8"

	"heldout/scoring/record"
)

// Hit is the first passage of an episode that has the text of a filter, ready to be shown.
type Hit struct {
	// Step is the number of the step, 0 before the first and -1 outside them; Part is what has the text.
	Step int
	Part string
	// Text is the text as the episode writes it, with what stands before and after it. All are empty if
	// letters have other lengths in lower case.
	Before, Text, After string
}

// Place names the step.
func (h *Hit) Place() string {
	if h.Step > 0 {
		return fmt.Sprintf("Step %d", h.Step)
	}
	return "Start"
}

// passage is where a text of an episode stands.
type passage struct {
	step int
	part string
}

// passages are the texts of an episode.
func passages(e *record.Episode) iter.Seq2[passage, string] {
	return func(yield func(passage, string) bool) {
		ok := yield(passage{-1, "task"}, e.Task) && yield(passage{-1, "error"}, e.Error) &&
			yield(passage{-1, "goal"}, e.Goal) && yield(passage{0, "observation"}, e.Observation)
		for _, m := range e.Memory {
			ok = ok && yield(passage{-1, fmt.Sprintf("reflection on trial %d", m.Trial)}, m.Text)
		}
		for i := range e.Trajectory {
			s := &e.Trajectory[i]
			for _, n := range s.Notes {
				ok = ok && yield(passage{i + 1, "note"}, n.Title+" "+n.Text)
			}
			ok = ok && yield(passage{i + 1, "thought"}, s.Thought) && yield(passage{i + 1, "action"}, s.Action) &&
				yield(passage{i + 1, "reply"}, s.Reply) && yield(passage{i + 1, "reasoning"}, s.Reasoning) &&
				yield(passage{i + 1, "observation"}, s.Observation)
		}
		if ok && e.Reflection != nil {
			yield(passage{-1, "reflection on this trial"}, e.Reflection.Text)
		}
	}
}

// Hit is the first passage with the text of the filter; nil without one.
func (f Filter) Hit(e *record.Episode) *Hit {
	pattern := strings.ToLower(f.Text)
	for p, text := range passages(e) {
		lower := strings.ToLower(text)
		start := strings.Index(lower, pattern)
		if start < 0 {
			continue
		}
		h := &Hit{Step: p.step, Part: p.part}
		if len(lower) == len(text) {
			end := start + len(pattern)
			h.Before, h.Text, h.After = leading(text[:start]), oneLine(text[start:end]), trailing(text[end:])
		}
		return h
	}
	return nil
}

// margin is how much of a passage stands on each side of a hit, in bytes. Words shorter than longWord stay whole.
const margin, longWord = 80, 20

func leading(s string) string {
	if len(s) <= margin {
		return oneLine(s)
	}
	s = s[len(s)-margin:]
	for len(s) > 0 && !utf8.RuneStart(s[0]) {
		s = s[1:]
	}
	if space := strings.IndexByte(s, ' '); 0 <= space && space < longWord {
		s = s[space+1:]
	}
	return "…" + oneLine(s)
}

func trailing(s string) string {
	if len(s) <= margin {
		return oneLine(s)
	}
	end := margin
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	if space := strings.LastIndexByte(s[:end], ' '); space > end-longWord {
		end = space
	}
	return oneLine(s[:end]) + "…"
}

// oneLine makes a text visible, with spaces for ends of lines.
func oneLine(s string) string { return visible(strings.NewReplacer("\r", "", "\n", " ").Replace(s)) }
