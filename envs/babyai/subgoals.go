package babyai

import (
	"slices"
	"strings"
)

// pattern is a sub-goal: pieces of text that stand in one sentence, in any order
// (§5.7).
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
	for _, piece := range strings.Split(strings.TrimFunc(text, isSpace), separator) {
		p.pieces = append(p.pieces, strings.Trim(piece, "."))
	}
	return p
}

// matches reports whether one sentence of a text has all the pieces.
func (p *pattern) matches(text string) bool {
	if !p.within(text) { // which is quick, and true of most
		return false
	}
	for sentence := range strings.SplitSeq(text, ".") {
		if p.within(sentence) {
			return true
		}
	}
	return false
}

// within reports whether a text has all the pieces.
func (p *pattern) within(text string) bool {
	for _, piece := range p.pieces {
		if !strings.Contains(text, piece) {
			return false
		}
	}
	return true
}

// subgoals are the sub-goals of a task that are left: a list or, where there is
// more than one way to solve the task, several lists of one length.
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

// score notes what an observation reaches, one sub-goal at most, and returns
// the share that is reached now.
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

// remove takes the sub-goal at i off every way: of several with its text the
// first.
func (s *subgoals) remove(i int) {
	for k, way := range s.ways {
		first := slices.IndexFunc(way, func(p pattern) bool { return p.text == way[i].text })
		s.ways[k] = slices.Concat(way[:first], way[first+1:])
	}
}

// clone returns a copy.
func (s *subgoals) clone() *subgoals {
	if s == nil {
		return nil
	}
	c := *s
	c.ways = slices.Clone(s.ways) // the ways themselves are only ever replaced
	return &c
}
