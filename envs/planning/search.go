package planning

import (
	"encoding/binary"
	"sort"
)

// Bounds of the search. A narrow beam finds shortest plans for nearly all of
// the published PDDL games; the wider ones are for what it misses.
const (
	narrowBeam     = 30
	wideBeam       = narrowBeam * 64
	maxSerialGoals = 3       // that many goals are also tried one after another
	maxEvaluated   = 1 << 18 // states that one beam looks at before giving up
)

// Plan looks for a short plan from a state to the goal and returns the indices
// of its operators. It is deterministic; it does not promise the shortest
// plan, nor to find one that exists. With ok false and no plan, none was found.
func (t *Task) Plan(from State) (plan []int, ok bool) {
	for width := narrowBeam; width <= wideBeam; width *= 4 {
		plan, complete := t.beam(from, t.Goal, width)
		if complete && plan == nil {
			return nil, false
		}
		if serial := t.serialPlan(from, width); plan == nil || serial != nil && len(serial) < len(plan) {
			plan = serial
		}
		if plan != nil {
			return plan, true
		}
	}
	return nil, false
}

// serialPlan reaches the open goals one after the other, in every order, and
// returns the shortest plan; nil if there is none or the goal has another form.
// It helps where tools must be made ready again between two goals, which an
// estimate without deletions cannot see.
func (t *Task) serialPlan(from State, width int) []int {
	if len(t.Goal) != 1 {
		return nil
	}
	var open []Literal
	for _, l := range t.Goal[0] {
		if !from.Satisfies([]Literal{l}) {
			open = append(open, l)
		}
	}
	if len(open) < 2 || len(open) > maxSerialGoals {
		return nil
	}
	var best []int
	var extend func(s State, done []int, left []Literal)
	extend = func(s State, done []int, left []Literal) {
		if s.Satisfies(t.Goal[0]) {
			if best == nil || len(done) < len(best) {
				best = done
			}
			return
		}
		for i, l := range left {
			part, _ := t.beam(s, [][]Literal{{l}}, width)
			if part == nil {
				continue
			}
			rest := append(append([]Literal(nil), left[:i]...), left[i+1:]...)
			extend(t.after(s, part), append(done[:len(done):len(done)], part...), rest)
		}
	}
	extend(from, []int{}, open)
	return best
}

// after returns the state that a plan leads to.
func (t *Task) after(s State, plan []int) State {
	s = s.Clone()
	next := s.Clone()
	for _, op := range plan {
		t.Apply(&t.Operators[op], s, next)
		s, next = next, s
	}
	return s
}

// reached is a state met by a beam, with the way that led there.
type reached struct {
	state    State
	parent   int // index of the state before, -1 at the start
	operator int
	estimate int32
}

// beam searches breadth first and keeps of every layer the width states that
// look closest to the goal. The plan is empty at the goal and nil when none was
// found; complete tells that nothing was left out in looking for it.
func (t *Task) beam(from State, goal [][]Literal, width int) (plan []int, complete bool) {
	r := newRelaxation(t, goal)
	met := []reached{{state: from, parent: -1, estimate: r.estimate(from)}}
	if from.satisfiesAny(goal) {
		return []int{}, true
	}
	seen := map[string]bool{string(stateKey(nil, from)): true}
	complete = true
	next := from.Clone()
	var key []byte
	for layer := []int{0}; len(layer) > 0; {
		var found []int
		for _, parent := range layer {
			for i := range t.Operators {
				op, s := &t.Operators[i], met[parent].state
				if !s.Satisfies(op.Precondition) {
					continue
				}
				t.Apply(op, s, next)
				key = stateKey(key[:0], next)
				if seen[string(key)] {
					continue
				}
				seen[string(key)] = true
				h := r.estimate(next)
				if h >= far {
					continue
				}
				met = append(met, reached{next.Clone(), parent, i, h})
				if h == 0 && next.satisfiesAny(goal) {
					return trace(met), true
				}
				found = append(found, len(met)-1)
			}
		}
		if len(found) > width {
			sort.SliceStable(found, func(i, j int) bool { return met[found[i]].estimate < met[found[j]].estimate })
			found, complete = found[:width], false
		}
		if len(met) > maxEvaluated {
			return nil, false
		}
		layer = found
	}
	return nil, complete
}

// trace reads off the operators that led to the state met last.
func trace(met []reached) []int {
	var plan []int
	for i := len(met) - 1; met[i].parent >= 0; i = met[i].parent {
		plan = append(plan, met[i].operator)
	}
	for i, j := 0, len(plan)-1; i < j; i, j = i+1, j-1 {
		plan[i], plan[j] = plan[j], plan[i]
	}
	return plan
}

// stateKey appends the bytes of a state.
func stateKey(b []byte, s State) []byte {
	for _, w := range s {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return b
}
