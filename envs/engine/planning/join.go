package planning

import "slices"

// join enumerates the bindings of variables for which static facts alone do not decide a condition. It takes values
// from the static facts that the condition needs instead of trying every object.
type join struct {
	want  bool        // the truth value that the condition is to have
	first []*compiled // static conditions on variables bound before
	steps []joinStep
}

// joinStep binds one variable.
type joinStep struct {
	variable
	source *compiled   // a static atom that supplies the values; nil for all objects of the type
	pos    int         // the variable's position in source
	tests  []*compiled // static conditions decided once it is bound
}

// newJoin plans the enumeration of the bindings that can give cond the truth value want. It removes from cond the
// static conditions that it evaluates itself. At each step it chooses the variable with the fewest expected values.
func (g *grounder) newJoin(vars []variable, sc *scope, cond *compiled, want bool) *join {
	j := &join{want: want}
	tests := takeStatic(cond, want)
	bound := make([]bool, sc.size)
	for _, slot := range sc.names {
		bound[slot] = true
	}
	for _, v := range vars {
		bound[v.slot] = false
	}
	j.first, tests = decided(tests, bound)
	remaining := slices.Clone(vars)
	for i := range remaining {
		tests = g.narrow(&remaining[i], sc.size, tests, want)
	}
	for len(remaining) > 0 {
		best, next, bestCost := 0, joinStep{}, 0
		for i, v := range remaining {
			if !g.spend(1 + len(tests)) {
				return j
			}
			if step, cost := g.step(v, tests, bound, want); i == 0 || cost < bestCost {
				best, next, bestCost = i, step, cost
			}
		}
		remaining = slices.Delete(remaining, best, best+1)
		bound[next.slot] = true
		next.tests, tests = decided(tests, bound)
		next.tests = slices.DeleteFunc(next.tests, func(c *compiled) bool { return c == next.source })
		j.steps = append(j.steps, next)
	}
	return j
}

// takeStatic removes from a condition the static parts that must all have the
// truth value want for the condition to have it.
func takeStatic(c *compiled, want bool) []*compiled {
	op := OpOr
	if want {
		op = OpAnd
	}
	if c.op != op {
		if !c.static {
			return nil
		}
		cond := *c
		*c = compiled{op: op, static: true}
		return []*compiled{&cond}
	}
	var out []*compiled
	var rest []compiled
	for i := range c.sub {
		s := &c.sub[i]
		out = append(out, takeStatic(s, want)...)
		if s.op != op || len(s.sub) > 0 {
			rest = append(rest, *s)
		}
	}
	c.sub = rest
	return out
}

// decided separates the conditions whose free variables are all bound from the others.
func decided(conds []*compiled, bound []bool) (now, pending []*compiled) {
	for _, c := range conds {
		if slices.ContainsFunc(c.free, func(slot int) bool { return !bound[slot] }) {
			pending = append(pending, c)
		} else {
			now = append(now, c)
		}
	}
	return now, pending
}

// narrow drops the objects that conditions on a single variable exclude, and returns the other conditions.
func (g *grounder) narrow(v *variable, size int, tests []*compiled, want bool) (rest []*compiled) {
	j := &join{want: want}
	for _, c := range tests {
		if len(c.free) == 1 && c.free[0] == v.slot {
			j.first = append(j.first, c)
		} else {
			rest = append(rest, c)
		}
	}
	if len(j.first) == 0 {
		return tests
	}
	typ := v.typ
	v.typ = &extent{contains: make([]bool, len(typ.contains))}
	env := make([]int32, size)
	for _, o := range typ.list {
		if env[v.slot] = o; j.pass(g, j.first, env) {
			v.typ.list = append(v.typ.list, o)
			v.typ.contains[o] = true
		}
	}
	return rest
}

// step says how to bind a variable next, and the expected number of values.
func (g *grounder) step(v variable, tests []*compiled, bound []bool, want bool) (joinStep, int) {
	best, cost := joinStep{variable: v}, len(v.typ.list)
	for _, c := range tests {
		if c.op != OpAtom || c.negated == want {
			continue // asks for no fact
		}
		pos, once := -1, true
		for i, t := range c.args {
			switch {
			case t == slotTerm(v.slot):
				pos, once = i, pos < 0
			case t < 0 && !bound[slotOf(t)]:
				once = false
			}
			if !once {
				break
			}
		}
		if pos < 0 || !once {
			continue
		}
		facts, keys := len(g.predicates[c.pred].facts), len(g.index(c.pred, pos))
		if n := (facts + keys - 1) / max(keys, 1); n <= cost {
			best.source, best.pos, cost = c, pos, n
		}
	}
	return best, cost
}

// enumerate visits every binding, written into env, until visit returns false.
func (j *join) enumerate(g *grounder, env []int32, visit func() bool) {
	if j.pass(g, j.first, env) {
		j.bind(g, j.steps, env, visit)
	}
}

func (j *join) bind(g *grounder, steps []joinStep, env []int32, visit func() bool) bool {
	if len(steps) == 0 {
		return visit()
	}
	s := &steps[0]
	values := s.typ.list
	if s.source != nil {
		values = g.candidates(s.source, s.pos, env)
	}
	for _, v := range values {
		if !g.spend(1) {
			return false
		}
		env[s.slot] = v
		if s.typ.contains[v] && j.pass(g, s.tests, env) && !j.bind(g, steps[1:], env, visit) {
			return false
		}
	}
	return true
}

// pass reports whether static conditions have the truth value wanted.
func (j *join) pass(g *grounder, conds []*compiled, env []int32) bool {
	for _, c := range conds {
		if g.truth(c, env) != j.want {
			return false
		}
	}
	return true
}
