package babyai

import (
	"slices"
	"strings"

	"heldout/envs/pytext"
)

// pattern is a sub-goal: pieces of text in one sentence, in any order (§5.7).
type pattern struct {
	text   string
	pieces []string
}

func newPattern(text string) pattern {
	p := pattern{text: text}
	separator := "*"
	if strings.Contains(text, "**") {
		separator = "**"
	}
	for _, piece := range strings.Split(pytext.Strip(text), separator) {
		p.pieces = append(p.pieces, strings.Trim(piece, "."))
	}
	return p
}

// matches reports whether one sentence of a text has all the pieces.
func (p *pattern) matches(text string) bool {
	// The test of the whole text is quick, and fails for most texts.
	return p.foundIn(text) && slices.ContainsFunc(strings.Split(text, "."), p.foundIn)
}

func (p *pattern) foundIn(text string) bool {
	return !slices.ContainsFunc(p.pieces, func(piece string) bool { return !strings.Contains(text, piece) })
}

// subgoals are the remaining sub-goals of a task: one list or, if there are
// several ways to solve the task, several lists of the same length.
type subgoals struct {
	ways          [][]pattern
	points, total int
}

// newSubgoals returns nil if there are none.
func newSubgoals(ways [][]string) *subgoals {
	if len(ways) == 0 {
		return nil
	}
	s := &subgoals{total: len(ways[0])}
	for _, way := range ways {
		var patterns []pattern
		for _, text := range way {
			patterns = append(patterns, newPattern(text))
		}
		s.ways = append(s.ways, patterns)
	}
	return s
}

// score records what an observation reaches, at most one, and returns the share so far.
func (s *subgoals) score(observation string) (share float64, reached bool) {
	for i := range s.ways[0] {
		if slices.ContainsFunc(s.ways, func(way []pattern) bool { return way[i].matches(observation) }) {
			s.points++
			s.remove(i)
			return float64(s.points) / float64(s.total), true
		}
	}
	return 0, false
}

// remove removes the sub-goal at i from every way. If a way has several
// sub-goals with the same text, it removes the first.
func (s *subgoals) remove(i int) {
	for k, way := range s.ways {
		first := slices.IndexFunc(way, func(p pattern) bool { return p.text == way[i].text })
		s.ways[k] = slices.Concat(way[:first], way[first+1:])
	}
}

func (s *subgoals) clone() *subgoals {
	if s == nil {
		return nil
	}
	c := *s
	c.ways = slices.Clone(s.ways) // the ways themselves are only replaced, never changed
	return &c
}
