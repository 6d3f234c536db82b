package planning

import (
	"iter"
	"math/bits"
	"slices"
)

// Choice is a selection of a task's operators, numbered from 0 in the caller's
// order, prepared for Applicable. It is immutable.
type Choice struct {
	operators [][]Literal // their preconditions
	uses      [][]int32   // by literal: the operators that need it
}

// Choose selects operators of a task, given as indices into Operators.
func (t *Task) Choose(operators []int) *Choice {
	c := &Choice{}
	rules := make([]rule, len(operators))
	for i, op := range operators {
		rules[i].body = t.Operators[op].Precondition
		c.operators = append(c.operators, rules[i].body)
	}
	c.uses = usesOf(rules, literal(t.size, false))
	return c
}

// Applicable tracks which operators of a Choice are applicable in a state, and
// updates incrementally when the state changes: the cost of a change is
// proportional to the number of operators that need the changed facts. It
// belongs to one goroutine.
type Applicable struct {
	choice *Choice
	unmet  []int32  // by operator: the number of precondition literals that do not hold
	set    []uint64 // the operators with no unmet literal, one bit each
}

// In finds the operators that can be applied in a state.
func (c *Choice) In(s State) *Applicable {
	a := &Applicable{c, make([]int32, len(c.operators)), make([]uint64, (len(c.operators)+63)/64)}
	for i, precondition := range c.operators {
		for _, l := range precondition {
			if !s.holds(l) {
				a.unmet[i]++
			}
		}
		if a.unmet[i] == 0 {
			a.set[i>>6] |= 1 << (i & 63)
		}
	}
	return a
}

// Clone returns a copy.
func (a *Applicable) Clone() *Applicable {
	return &Applicable{a.choice, slices.Clone(a.unmet), slices.Clone(a.set)}
}

// Change moves from the current state to another one.
func (a *Applicable) Change(prev, next State) {
	for i := range prev {
		for changed := prev[i] ^ next[i]; changed != 0; changed &= changed - 1 {
			fact := i<<6 | bits.TrailingZeros64(changed)
			holds := literal(fact, !next.Contains(fact))
			for _, op := range a.choice.uses[holds] {
				if a.unmet[op]--; a.unmet[op] == 0 {
					a.set[op>>6] |= 1 << (op & 63)
				}
			}
			for _, op := range a.choice.uses[holds^1] {
				if a.unmet[op]++; a.unmet[op] == 1 {
					a.set[op>>6] &^= 1 << (op & 63)
				}
			}
		}
	}
}

// Len returns how many operators can be applied.
func (a *Applicable) Len() int {
	n := 0
	for _, word := range a.set {
		n += bits.OnesCount64(word)
	}
	return n
}

// Operators yields the operators that can be applied, in order, as their numbers in
// the Choice.
func (a *Applicable) Operators() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, word := range a.set {
			for ; word != 0; word &= word - 1 {
				if !yield(i<<6 | bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}

// Intersects reports whether at least one of the given operators, as numbers in the
// Choice, is applicable.
func (a *Applicable) Intersects(operators []int) bool {
	for _, op := range operators {
		if a.set[op>>6]>>(op&63)&1 == 1 {
			return true
		}
	}
	return false
}
