package planning

import (
	"encoding/binary"
	"slices"
)

// Literal is a fact that must hold or, when negated, must not.
type Literal int32

// literal makes the literal of a fact.
func literal(fact int, negated bool) Literal {
	l := Literal(fact) << 1
	if negated {
		l |= 1
	}
	return l
}

// Fact returns the fact.
func (l Literal) Fact() Fact { return Fact(l >> 1) }

// Negated reports whether the fact must not hold.
func (l Literal) Negated() bool { return l&1 == 1 }

// State is a set of facts, one bit each.
type State []uint64

// Contains reports whether a fact is in the state.
func (s State) Contains(fact int) bool {
	return s[fact>>6]>>(fact&63)&1 == 1
}

// Satisfies reports whether all literals hold in the state.
func (s State) Satisfies(literals []Literal) bool {
	for _, l := range literals {
		if !s.holds(l) {
			return false
		}
	}
	return true
}

// holds reports whether one literal holds in the state.
func (s State) holds(l Literal) bool { return s[l>>7]>>(l>>1&63)&1 != uint64(l&1) }

// Equal reports whether two states of one task hold the same facts.
func (s State) Equal(o State) bool {
	return slices.Equal(s, o)
}

// Append appends the bits of the state to b.
func (s State) Append(b []byte) []byte {
	for _, word := range s {
		b = binary.LittleEndian.AppendUint64(b, word)
	}
	return b
}

// Clone returns a copy.
func (s State) Clone() State { return slices.Clone(s) }

// Fact is a fact in a state: its bit, which is its index in Task.Facts, or one of the constants.
type Fact int

// Facts that do not change have no bit.
const (
	Always Fact = -1
	Never  Fact = -2
)

// Holds reports whether the fact is true in a state.
func (f Fact) Holds(s State) bool { return f == Always || f >= 0 && s.Contains(int(f)) }

// set makes a literal hold.
func (s State) set(l Literal) {
	bit := uint64(1) << (l >> 1 & 63)
	if l.Negated() {
		s[l>>7] &^= bit
	} else {
		s[l>>7] |= bit
	}
}

// Effect makes literals true if its conditions held before: it adds facts and, by negated literals, deletes them.
type Effect struct {
	Condition []Literal
	Literals  []Literal
}

// Operator is a ground action: it is applicable if its preconditions hold. An action whose precondition is a
// disjunction has one operator per way to meet the precondition; these operators have the same Action and Args.
type Operator struct {
	Action       *Action
	Args         []int32 // indices into Task.Objects
	Precondition []Literal
	Effects      []Effect
}

// Task is a ground planning task. It is immutable and safe for concurrent use. Whoever does not share it yet
// may drop Facts and Constant; then Fact finds nothing.
type Task struct {
	Objects []Object
	// Facts are the facts that can change, in the order of the domain's predicates
	// and then of their arguments; the index of a fact is its bit in a State.
	Facts []Atom
	// Constant are the facts that always hold. They have no bit in a State.
	Constant []Atom
	// Init is the initial state.
	Init State
	// Goal holds the ways to reach the goal; any one suffices. It is empty if
	// the goal cannot be reached even if nothing is ever undone.
	Goal [][]Literal
	// Operators are the operators that can ever apply, in the order of the domain's actions and then of their
	// arguments, which are ordered as Objects are.
	Operators []Operator

	// size is the number of Facts.
	size int
	// opening is the plan from Init, which is looked for once: all worlds of a task begin there.
	opening func() []int
}

// Fact finds a fact among those that can hold.
func (t *Task) Fact(a Atom) Fact {
	same := func(b Atom) bool { return b.Predicate == a.Predicate && slices.Equal(b.Args, a.Args) }
	if slices.ContainsFunc(t.Constant, same) {
		return Always
	}
	if i := slices.IndexFunc(t.Facts, same); i >= 0 {
		return Fact(i)
	}
	return Never
}

// Reached reports whether a state meets the goal.
func (t *Task) Reached(s State) bool { return s.satisfiesAny(t.Goal) }

func (s State) satisfiesAny(ways [][]Literal) bool {
	for _, way := range ways {
		if s.Satisfies(way) {
			return true
		}
	}
	return false
}

// Apply writes into dst the result of applying an operator to src. It does not check the preconditions. Facts both
// deleted and added stay. The two states must not share memory.
func (t *Task) Apply(op *Operator, src, dst State) {
	copy(dst, src)
	for _, adding := range [...]bool{false, true} {
		for i := range op.Effects {
			e := &op.Effects[i]
			if !src.Satisfies(e.Condition) {
				continue
			}
			for _, l := range e.Literals {
				if adding != l.Negated() {
					dst.set(l)
				}
			}
		}
	}
}

// Name renders an operator as PDDL does: "(stack b1 b2)".
func (t *Task) Name(op *Operator) string {
	a := Atom{Predicate: op.Action.Name}
	for _, arg := range op.Args {
		a.Args = append(a.Args, t.Objects[arg].Name)
	}
	return a.String()
}
