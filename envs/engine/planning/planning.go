// Package planning reads PDDL, grounds it and searches for plans.
//
// It understands typing, constants, equality, negative and disjunctive preconditions, quantifiers, and conditional
// and universal effects; action costs are read and ignored. A Domain and a Problem are what the files say. A Task
// is the ground form: numbered facts, a state as a set of bits, operators that need some facts and change others.
// Search finds a Plan for a Task.
//
// The package has no dependency on agents, benchmark tasks or displayed text, and can be used alone.
package planning

import "strings"

// Object is a named thing with its type; an untyped one has type "object".
type Object struct {
	Name string
	Type string
}

// Atom is a predicate applied to terms: object names in a ground atom, names
// of variables ("?x") or objects elsewhere.
type Atom struct {
	Predicate string
	Args      []string
}

// String renders the atom as PDDL does: "(on b1 b2)".
func (a Atom) String() string {
	return "(" + strings.Join(append([]string{a.Predicate}, a.Args...), " ") + ")"
}

// Predicate is a declared predicate. The declared parameter types do not
// restrict which facts may exist: files in use get them wrong.
type Predicate struct {
	Name   string
	Params []Object
}

// Action is an action schema.
type Action struct {
	Name string
	// Params are the variables, "?" included, in positional order.
	Params       []Object
	Precondition Formula
	Effect       Formula
}

// Domain is a domain file as ParseDomain read it. All names are in lower case.
type Domain struct {
	Name       string
	Types      map[string]string // type to parent; "object" is the root
	Constants  []Object
	Predicates []Predicate
	Actions    []Action

	// borrowed are objects that actions name although they are not constants: every problem must declare them.
	borrowed []mention
}

// mention is a name and its position: file:line:column.
type mention struct {
	name, pos string
}

// Problem is a problem file as ParseProblem read it. All names are in lower case.
type Problem struct {
	Name    string
	Domain  *Domain
	Objects []Object // the domain's constants and then its own, each once
	// Repeated are the names that are declared more than once, which other planners refuse.
	Repeated []string
	Init     []Atom // in file order, each once
	Goal     Formula
}

// Op is the kind of a Formula.
type Op int

// The kinds of formulas. In an effect only OpAtom, OpNot of an atom, OpAnd, OpForall and OpWhen occur.
const (
	OpAnd    Op = iota // all of Sub; true when empty
	OpOr               // any of Sub; false when empty
	OpNot              // Sub[0]
	OpExists           // Sub[0] for some objects of Vars
	OpForall           // Sub[0] for all objects of Vars
	OpWhen             // in effects: if Sub[0] held before, then Sub[1]
	OpAtom             // Atom
	OpEqual            // the two Args of Atom are the same object
)

// Formula is a condition or an effect.
type Formula struct {
	Op   Op
	Atom Atom
	Vars []Object
	Sub  []Formula
}

// Literals returns the atoms of a conjunction of positive atoms in file order; ok is false for any other formula.
func (f Formula) Literals() (atoms []Atom, ok bool) {
	switch f.Op {
	case OpAtom:
		return []Atom{f.Atom}, true
	case OpAnd:
		for _, s := range f.Sub {
			inner, ok := s.Literals()
			if !ok {
				return nil, false
			}
			atoms = append(atoms, inner...)
		}
		return atoms, true
	default:
		return nil, false
	}
}

// IsA reports whether type t is super or one of its subtypes.
func (d *Domain) IsA(t, super string) bool {
	for ok := true; ok; t, ok = d.Types[t] {
		if t == super {
			return true
		}
	}
	return super == rootType
}

// rootType is the type that every object has.
const rootType = "object"
