package planning

import (
	"cmp"
	"slices"
	"sync"
)

// rawTask is a ground task that still contains its unreachable and constant
// parts. Its literals and effects number the facts in atoms.
type rawTask struct {
	objects  []Object
	atoms    []groundAtom
	constant []Atom
	init     map[int32]bool
	ops      []Operator
	goal     [][]Literal
}

// prune makes the Task: it keeps the operators and facts that relaxed
// reachability cannot exclude, and evaluates the facts that never change.
func (r *rawTask) prune(g *grounder) *Task {
	possible, reached := r.reach()
	t := &Task{Objects: r.objects, Constant: r.constant}
	var canHold []int
	renumber := make([]int, len(r.atoms))
	for i := range r.atoms {
		renumber[i] = -1
		if possible[literal(i, false)] {
			canHold = append(canHold, i)
		}
	}
	slices.SortFunc(canHold, func(i, j int) int {
		a, b := r.atoms[i], r.atoms[j]
		return cmp.Or(cmp.Compare(a.pred, b.pred), slices.Compare(a.args, b.args))
	})
	for _, i := range canHold {
		if possible[literal(i, true)] {
			renumber[i] = len(t.Facts)
			t.Facts = append(t.Facts, g.name(r.atoms[i]))
		} else {
			t.Constant = append(t.Constant, g.name(r.atoms[i]))
		}
	}
	t.Facts, t.Constant = slices.Clone(t.Facts), slices.Clone(t.Constant) // without room to grow
	t.size = len(t.Facts)
	t.Init = make(State, (t.size+63)/64)
	for i := range r.init {
		if n := renumber[i]; n >= 0 {
			t.Init.set(literal(n, false))
		}
	}
	ops := r.sorted(reached)
	t.Operators = make([]Operator, len(ops))
	for i, op := range ops {
		t.Operators[i] = r.ops[op].renumbered(renumber, possible)
	}
	for _, way := range r.goal {
		if w, ok := renumberAll(way, renumber, possible); ok {
			t.Goal = append(t.Goal, w)
		}
	}
	t.opening = sync.OnceValue(func() []int {
		plan, _ := t.Plan(t.Init)
		return plan
	})
	return t
}

// reach computes which literals can ever be true, and which operators can ever
// apply, if literals that became true stay true.
func (r *rawTask) reach() (possible, reached []bool) {
	rules, size := relaxedRules(r.ops, literal(len(r.atoms), false))
	uses := usesOf(rules, size)
	needs := make([]int32, len(rules))
	possible, reached = make([]bool, size), make([]bool, len(r.ops))
	var queue []Literal
	admit := func(l Literal) {
		if !possible[l] {
			possible[l] = true
			queue = append(queue, l)
		}
	}
	fire := func(i int32) {
		reached[rules[i].op] = true
		for _, h := range rules[i].heads {
			admit(h)
		}
	}
	for i := range rules {
		needs[i] = int32(len(rules[i].body))
		if needs[i] == 0 {
			fire(int32(i))
		}
	}
	for i := range r.atoms {
		admit(literal(i, !r.init[int32(i)]))
	}
	for len(queue) > 0 {
		l := queue[0]
		queue = queue[1:]
		for _, i := range uses[l] {
			if needs[i]--; needs[i] == 0 {
				fire(i)
			}
		}
	}
	return possible, reached
}

// sorted lists the reached operators. It sorts the operators of each action,
// which are adjacent, by their arguments.
func (r *rawTask) sorted(reached []bool) []int {
	var out []int
	start := 0
	for i := range r.ops {
		if reached[i] {
			out = append(out, i)
		}
		if i+1 == len(r.ops) || r.ops[i+1].Action != r.ops[i].Action {
			slices.SortStableFunc(out[start:], func(i, j int) int {
				return slices.Compare(r.ops[i].Args, r.ops[j].Args)
			})
			start = len(out)
		}
	}
	return out
}

// renumbered returns the operator over the facts of the Task.
func (op Operator) renumbered(renumber []int, possible []bool) Operator {
	out := Operator{Action: op.Action, Args: op.Args}
	out.Precondition, _ = renumberAll(op.Precondition, renumber, possible)
	for _, e := range op.Effects {
		cond, ok := renumberAll(e.Condition, renumber, possible)
		if !ok {
			continue
		}
		effect := Effect{Condition: cond}
		for _, l := range e.Literals {
			if n := renumber[l.Fact()]; n >= 0 {
				effect.Literals = append(effect.Literals, literal(n, l.Negated()))
			}
		}
		if len(effect.Literals) > 0 {
			out.Effects = append(out.Effects, effect)
		}
	}
	return out
}

// renumberAll returns the literals over the facts of the Task, without the
// literals that always hold; ok is false if one can never hold.
func renumberAll(ls []Literal, renumber []int, possible []bool) (out []Literal, ok bool) {
	for _, l := range ls {
		switch {
		case !possible[l]:
			return nil, false
		case renumber[l.Fact()] >= 0:
			out = append(out, literal(renumber[l.Fact()], l.Negated()))
		}
	}
	return out, true
}
