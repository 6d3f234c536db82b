package planning

// rawTask is a ground task before what is unreachable or constant was taken
// out. Its literals and effects number the facts in atoms.
type rawTask struct {
	atoms    []Atom
	constant []Atom
	init     map[int32]bool
	ops      []Operator
	goal     [][]Literal
}

// rule says that once all of its literals can be true, so can its heads. The
// operator's rule without heads tells whether the operator can ever be applied.
type rule struct {
	body  []Literal
	heads []Literal
}

// prune makes the Task: it keeps the operators and facts that relaxed
// reachability cannot exclude, and settles the facts that never change.
func (r *rawTask) prune(objs []Object) *Task {
	possible, opReached := r.reach()
	t := &Task{Objects: objs, Constant: r.constant, index: map[string]int{}, constant: map[string]bool{}}
	renumber := make([]int, len(r.atoms))
	for i, a := range r.atoms {
		renumber[i] = -1
		canHold, canFail := possible[literal(i, false)], possible[literal(i, true)]
		switch {
		case canHold && canFail:
			renumber[i] = len(t.Facts)
			t.index[a.String()] = len(t.Facts)
			t.Facts = append(t.Facts, a)
		case canHold:
			t.Constant = append(t.Constant, a)
		}
	}
	for _, a := range t.Constant {
		t.constant[a.String()] = true
	}
	t.Init = make(State, (len(t.Facts)+63)/64)
	for i := range r.init {
		if n := renumber[i]; n >= 0 {
			t.Init.add(int32(n))
		}
	}
	for i := range r.ops {
		if opReached[i] {
			t.Operators = append(t.Operators, r.ops[i].renumbered(renumber, possible))
		}
	}
	for _, way := range r.goal {
		if w, ok := renumberAll(way, renumber, possible); ok {
			t.Goal = append(t.Goal, w)
		}
	}
	return t
}

// reach computes which literals can ever be true, and which operators applied,
// if nothing that became true stopped being so.
func (r *rawTask) reach() (possible []bool, opReached []bool) {
	rules := make([]rule, 0, 2*len(r.ops))
	ruleOp := make([]int, 0, 2*len(r.ops))
	for i, op := range r.ops {
		rules, ruleOp = append(rules, rule{body: op.Precondition}), append(ruleOp, i)
		for _, e := range op.Effects {
			body, ok := conjoin(op.Precondition, e.When)
			if !ok {
				continue
			}
			rules, ruleOp = append(rules, rule{body: body, heads: changes(e)}), append(ruleOp, -1)
		}
	}
	needs := make([]int, len(rules))
	uses := make([][]int, 2*len(r.atoms))
	possible = make([]bool, 2*len(r.atoms))
	var queue []Literal
	admit := func(l Literal) {
		if !possible[l] {
			possible[l] = true
			queue = append(queue, l)
		}
	}
	opReached = make([]bool, len(r.ops))
	fire := func(i int) {
		if ruleOp[i] >= 0 {
			opReached[ruleOp[i]] = true
		}
		for _, h := range rules[i].heads {
			admit(h)
		}
	}
	for i := range rules {
		needs[i] = len(rules[i].body)
		for _, l := range rules[i].body {
			uses[l] = append(uses[l], i)
		}
	}
	for i := range r.atoms {
		admit(literal(i, !r.init[int32(i)]))
	}
	for i := range rules {
		if needs[i] == 0 {
			fire(i)
		}
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
	return possible, opReached
}

// changes lists the literals that an effect makes true.
func changes(e Effect) []Literal {
	var out []Literal
	for _, f := range e.Add {
		out = append(out, literal(int(f), false))
	}
	for _, f := range e.Delete {
		out = append(out, literal(int(f), true))
	}
	return out
}

// renumbered returns the operator over the facts of the Task.
func (op Operator) renumbered(renumber []int, possible []bool) Operator {
	out := Operator{Action: op.Action, Args: op.Args}
	out.Precondition, _ = renumberAll(op.Precondition, renumber, possible)
	for _, e := range op.Effects {
		when, ok := renumberAll(e.When, renumber, possible)
		if !ok {
			continue
		}
		kept := Effect{When: when}
		for _, f := range e.Add {
			if n := renumber[f]; n >= 0 {
				kept.Add = append(kept.Add, int32(n))
			}
		}
		for _, f := range e.Delete {
			if n := renumber[f]; n >= 0 {
				kept.Delete = append(kept.Delete, int32(n))
			}
		}
		if len(kept.Add)+len(kept.Delete) > 0 {
			out.Effects = append(out.Effects, kept)
		}
	}
	return out
}

// renumberAll returns the literals over the facts of the Task, without those
// that always hold; ok is false when one can never hold.
func renumberAll(ls []Literal, renumber []int, possible []bool) (out []Literal, ok bool) {
	out = make([]Literal, 0, len(ls))
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
