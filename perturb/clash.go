package perturb

import (
	"regexp/syntax"
	"slices"
	"unicode"
)

// common returns a shortest text that both automata match; ok is false without one.
func common(a, b *syntax.Prog) (example string, ok bool) { return walk(a, b, false) }

// twoReadings returns a text in which the groups of the automaton can stand in two ways; ok is false if there is
// none. It searches the product of the automaton with itself for two ways that agree in the text and differ in
// where groups begin and end.
func twoReadings(p *syntax.Prog) (example string, ok bool) { return walk(p, p, true) }

// program compiles a pattern that has been compiled before.
func program(pattern string) *syntax.Prog {
	re, err := syntax.Parse("(?s:"+pattern+")", syntax.Perl)
	if err != nil {
		return nil
	}
	prog, err := syntax.Compile(re.Simplify())
	if err != nil {
		return nil
	}
	return prog
}

// automataState is the position of two automata, and whether their groups have differed.
type automataState struct {
	a, b   uint32
	differ bool
}

// arrival says how a state was reached first.
type arrival struct {
	parent int // in the list of states; -1 for the first ones
	symbol rune
}

// walk searches breadth first for a text that brings both automata to a match,
// and with differ to one in which their groups differ.
func walk(a, b *syntax.Prog, differ bool) (example string, ok bool) {
	if a == nil || b == nil {
		return "", false
	}
	var states []automataState
	var arrivals []arrival
	visited := map[automataState]bool{}
	fromA, fromB := closures(a), closures(b)
	reach := func(pa, pb uint32, differed bool, step arrival) {
		for _, x := range fromA(pa) {
			for _, y := range fromB(pb) {
				s := automataState{x.pc, y.pc, differ && (differed || !slices.Equal(x.groups, y.groups))}
				if !visited[s] {
					visited[s] = true
					states, arrivals = append(states, s), append(arrivals, step)
				}
			}
		}
	}
	reach(uint32(a.Start), uint32(b.Start), false, arrival{parent: -1})
	for i := 0; i < len(states); i++ {
		s := states[i]
		x, y := &a.Inst[s.a], &b.Inst[s.b]
		if x.Op == syntax.InstMatch && y.Op == syntax.InstMatch && s.differ == differ {
			return trace(arrivals, i), true
		}
		if r, shared := sharedRune(x, y); shared {
			reach(x.Out, y.Out, s.differ, arrival{i, r})
		}
	}
	return "", false
}

// trace is the text that led to a state.
func trace(arrivals []arrival, i int) string {
	var text []rune
	for ; arrivals[i].parent >= 0; i = arrivals[i].parent {
		text = append(text, arrivals[i].symbol)
	}
	slices.Reverse(text)
	return string(text)
}

// stop is a place of an automaton that reads a rune or matches, with the bounds
// of groups that were passed on the way there.
type stop struct {
	pc     uint32
	groups []uint32
}

// closures returns the closure of a place, and remembers it.
func closures(p *syntax.Prog) func(pc uint32) []stop {
	cache := make([][]stop, len(p.Inst))
	return func(pc uint32) []stop {
		if cache[pc] == nil {
			cache[pc] = closure(p, pc)
		}
		return cache[pc]
	}
}

// closure lists what can be reached from pc without reading.
func closure(p *syntax.Prog, pc uint32) []stop {
	var out []stop
	var visit func(pc uint32, groups []uint32, path []uint32)
	visit = func(pc uint32, groups []uint32, path []uint32) {
		if slices.Contains(path, pc) {
			return
		}
		path = append(slices.Clip(path), pc)
		in := &p.Inst[pc]
		switch in.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			visit(in.Out, groups, path)
			visit(in.Arg, groups, path)
		case syntax.InstCapture:
			visit(in.Out, append(slices.Clip(groups), in.Arg), path)
		case syntax.InstNop, syntax.InstEmptyWidth: // edges of the text; patterns have no others
			visit(in.Out, groups, path)
		case syntax.InstFail:
		default:
			out = append(out, stop{pc, groups})
		}
	}
	visit(pc, nil, nil)
	return out
}

// sharedRune returns a rune that both instructions read, best a letter or digit.
func sharedRune(a, b *syntax.Inst) (r rune, ok bool) {
	if a.Op == syntax.InstMatch || b.Op == syntax.InstMatch {
		return 0, false
	}
	matches := func(r rune) bool { return a.MatchRune(r) && b.MatchRune(r) }
	if len(b.Rune) == 1 {
		a, b = b, a
	}
	if len(a.Rune) == 1 { // as in most pairs: only its cases come into question
		return sharedCase(a.Rune[0], matches)
	}
	for _, r := range "abcdefghijklmnopqrstuvwxyz0123456789 ABCDEFGHIJKLMNOPQRSTUVWXYZ" {
		if matches(r) {
			return r, true
		}
	}
	// The remaining candidates are borders of ranges: where two overlap, one begins in the other.
	for _, in := range []*syntax.Inst{a, b} {
		if in.Op == syntax.InstRuneAny || in.Op == syntax.InstRuneAnyNotNL {
			continue
		}
		for i := 0; i < len(in.Rune); i += 2 {
			for r := in.Rune[i]; ; r = unicode.SimpleFold(r) {
				if matches(r) {
					return r, true
				}
				if unicode.SimpleFold(r) == in.Rune[i] {
					break
				}
			}
		}
	}
	if matches('☃') { // neither has ranges
		return '☃', true
	}
	return 0, false
}

// sharedCase returns a case of a rune that is good, the lower one if it is.
func sharedCase(c rune, good func(rune) bool) (r rune, ok bool) {
	if r = unicode.ToLower(c); good(r) {
		return r, true
	}
	for r = c; !good(r); {
		if r = unicode.SimpleFold(r); r == c {
			return 0, false
		}
	}
	return r, true
}
