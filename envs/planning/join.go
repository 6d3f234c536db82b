package planning

import "slices"

// join enumerates the bindings of an action's parameters that meet the static
// part of its precondition.
type join struct {
	g      *grounder
	order  []slot
	checks [][]check // per position in order: the static atoms to look up there
}

// check is a static atom whose last unbound variable is args[at].
type check struct {
	atom *compiled
	at   int
}

// newJoin plans the enumeration. Next comes always the parameter with the
// fewest values to be expected.
func newJoin(g *grounder, params []slot, pre *compiled) *join {
	j := &join{g: g}
	atoms := staticConjuncts(g, pre, nil)
	bound := map[int]bool{}
	left := slices.Clone(params)
	for len(left) > 0 {
		best, bestCost := 0, int(^uint(0)>>1)
		for i, s := range left {
			if cost := j.expect(s, atoms, bound); cost < bestCost {
				best, bestCost = i, cost
			}
		}
		s := left[best]
		left = slices.Delete(left, best, best+1)
		bound[s.index] = true
		j.order = append(j.order, s)
		j.checks = append(j.checks, completed(s, atoms, bound))
	}
	return j
}

// staticConjuncts collects the positive static atoms that must hold for the
// precondition to hold.
func staticConjuncts(g *grounder, f *compiled, out []*compiled) []*compiled {
	switch {
	case f.op == OpAnd:
		for i := range f.sub {
			out = staticConjuncts(g, &f.sub[i], out)
		}
	case f.op == OpAtom && !f.negated && g.predicates[f.pred].static:
		out = append(out, f)
	}
	return out
}

// expect estimates how many values a parameter can take, given those bound.
func (j *join) expect(s slot, atoms []*compiled, bound map[int]bool) int {
	least := len(j.g.objectsOf(s.typ))
	bound[s.index] = true
	for _, c := range completed(s, atoms, bound) {
		distinct := map[int32]bool{}
		others := map[string]bool{}
		for _, f := range j.g.predicates[c.atom.pred].facts {
			distinct[f[c.at]] = true
			others[string(j.g.pack(f, c.at))] = true
		}
		each := len(distinct)
		if len(others) > 0 {
			each = min(each, (len(j.g.predicates[c.atom.pred].facts)+len(others)-1)/len(others))
		}
		least = min(least, each)
	}
	delete(bound, s.index)
	return least
}

// completed lists the atoms all of whose variables are bound and that hold s.
func completed(s slot, atoms []*compiled, bound map[int]bool) []check {
	var out []check
	for _, a := range atoms {
		at, all := -1, true
		for i, t := range a.args {
			if t == variable(s.index) && at < 0 {
				at = i
			}
			if t < 0 && !bound[slotOf(t)] {
				all = false
			}
		}
		if at >= 0 && all {
			out = append(out, check{a, at})
		}
	}
	return out
}

// each calls visit for every binding; env holds it, by slot.
func (j *join) each(env []int32, visit func() error) error {
	return j.bind(0, env, visit)
}

func (j *join) bind(depth int, env []int32, visit func() error) error {
	if depth == len(j.order) {
		return visit()
	}
	s, checks := j.order[depth], j.checks[depth]
	values := j.g.objectsOf(s.typ)
	if len(checks) > 0 {
		values = j.g.candidates(checks[0].atom.pred, checks[0].atom.bind(env), checks[0].at)
	}
	for _, v := range values {
		env[s.index] = v
		if !j.g.domain.IsA(j.g.objs[v].Type, s.typ) || !j.holds(checks, env) {
			continue
		}
		if err := j.bind(depth+1, env, visit); err != nil {
			return err
		}
	}
	return nil
}

// holds reports whether the static atoms are true under env.
func (j *join) holds(checks []check, env []int32) bool {
	for _, c := range checks {
		if !j.g.holds(c.atom.pred, c.atom.bind(env)) {
			return false
		}
	}
	return true
}
