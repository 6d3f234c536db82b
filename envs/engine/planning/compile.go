package planning

import "slices"

// A term is an object's number or, if negative, a variable's slot: its index in the environment.
type term = int32

func slotTerm(slot int) term { return ^term(slot) }
func slotOf(t term) int      { return int(^t) }

// variable is a variable's slot and the objects in its range.
type variable struct {
	slot int
	typ  *extent
}

// extent is the objects of a type, its subtypes included.
type extent struct {
	list     []int32
	contains []bool // by object
}

// scope maps the variables that may occur in a formula to their slots.
type scope struct {
	names map[string]int
	size  int // slots handed out so far
}

func newScope() *scope { return &scope{names: map[string]int{}} }

func (g *grounder) declare(vars []Object, sc *scope) []variable {
	out := make([]variable, len(vars))
	for i, v := range vars {
		out[i] = variable{sc.size, g.extentOf(v.Type)}
		sc.names[v.Name] = sc.size
		sc.size++
	}
	return out
}

// close takes variables out of scope; their slots are not used again.
func (s *scope) close(vars []Object) {
	for _, v := range vars {
		delete(s.names, v.Name)
	}
}

// compiled is an effect, or a condition in negation normal form, which negates only atoms. Names are numbers.
type compiled struct {
	op      Op
	negated bool // of OpAtom and OpEqual; in an effect: deletes
	static  bool // of a condition: no action changes whether it holds
	pred    int32
	args    []term
	sub     []compiled
	join    *join // of OpExists and OpForall: the bindings to visit
	free    []int // of a condition: the slots of its free variables
}

// compile brings a condition, negated if requested, into negation normal form.
func (g *grounder) compile(f Formula, sc *scope, negated bool) compiled {
	c := compiled{op: f.Op, static: true}
	switch f.Op {
	case OpAtom:
		c.negated = negated
		c.pred = g.predIndex[f.Atom.Predicate]
		c.args, c.free = g.terms(f.Atom.Args, sc)
		c.static = g.predicates[c.pred].static
		return c
	case OpEqual:
		c.negated = negated
		c.args, c.free = g.terms(f.Atom.Args, sc)
		return c
	case OpNot:
		return g.compile(f.Sub[0], sc, !negated)
	}
	if negated {
		c.op = map[Op]Op{OpAnd: OpOr, OpOr: OpAnd, OpExists: OpForall, OpForall: OpExists}[f.Op]
	}
	vars := g.declare(f.Vars, sc)
	defer sc.close(f.Vars)
	for _, s := range f.Sub {
		sub := g.compile(s, sc, negated)
		c.static = c.static && sub.static
		c.sub = append(c.sub, sub)
		for _, slot := range sub.free {
			own := slices.ContainsFunc(vars, func(v variable) bool { return v.slot == slot })
			if !own && !slices.Contains(c.free, slot) {
				c.free = append(c.free, slot)
			}
		}
	}
	if c.op == OpExists || c.op == OpForall {
		c.join = g.newJoin(vars, sc, &c.sub[0], c.op == OpExists)
	}
	return c
}

// terms replaces variables and objects with numbers; free are the slots of the variables.
func (g *grounder) terms(names []string, sc *scope) (terms []term, free []int) {
	for _, n := range names {
		slot, ok := sc.names[n]
		if !ok {
			terms = append(terms, g.objIndex[n])
			continue
		}
		terms = append(terms, slotTerm(slot))
		if !slices.Contains(free, slot) {
			free = append(free, slot)
		}
	}
	return terms, free
}

// compileEffect replaces the names of an effect with numbers.
func (g *grounder) compileEffect(f Formula, sc *scope) compiled {
	c := compiled{op: f.Op}
	switch f.Op {
	case OpAtom:
		c.pred = g.predIndex[f.Atom.Predicate]
		c.args, _ = g.terms(f.Atom.Args, sc)
		return c
	case OpNot:
		c = g.compileEffect(f.Sub[0], sc)
		c.negated = true
		return c
	case OpWhen:
		c.sub = []compiled{g.compile(f.Sub[0], sc, false), g.compileEffect(f.Sub[1], sc)}
		return c
	}
	vars := g.declare(f.Vars, sc)
	defer sc.close(f.Vars)
	for _, s := range f.Sub {
		c.sub = append(c.sub, g.compileEffect(s, sc))
	}
	if c.op == OpForall {
		cond := &compiled{op: OpAnd, static: true}
		if c.sub[0].op == OpWhen {
			cond = &c.sub[0].sub[0]
		}
		c.join = g.newJoin(vars, sc, cond, true)
	}
	return c
}

// object returns the object that a term stands for under env.
func object(t term, env []int32) int32 {
	if t < 0 {
		return env[slotOf(t)]
	}
	return t
}

// truth reports whether a static condition holds under env.
func (g *grounder) truth(c *compiled, env []int32) bool {
	if !g.spend(1) {
		return false
	}
	switch c.op {
	case OpEqual:
		return (object(c.args[0], env) == object(c.args[1], env)) != c.negated
	case OpAtom:
		return g.predicates[c.pred].holds[string(g.pack(c.args, env, -1))] != c.negated
	}
	conjunction := c.op == OpAnd || c.op == OpForall
	result := conjunction
	g.eachSub(c, env, func(sub *compiled) bool {
		result = g.truth(sub, env)
		return result == conjunction
	})
	return result
}

// eachSub visits the parts of a conjunction or disjunction. For a quantified formula, it visits the body once for
// each relevant binding of the variables. It stops when visit returns false.
func (g *grounder) eachSub(c *compiled, env []int32, visit func(*compiled) bool) {
	if c.join != nil {
		c.join.enumerate(g, env, func() bool { return visit(&c.sub[0]) })
		return
	}
	for i := range c.sub {
		if !visit(&c.sub[i]) {
			return
		}
	}
}

// instantiate returns the ways to meet a condition under env, as conjunctions
// of literals over interned facts; none if it cannot be met.
func (g *grounder) instantiate(c *compiled, env []int32) [][]Literal {
	switch {
	case !g.spend(1):
		return nil
	case c.static && g.truth(c, env):
		return [][]Literal{{}}
	case c.static:
		return nil
	case c.op == OpAtom:
		return [][]Literal{{literal(int(g.intern(c, env)), c.negated)}}
	}
	conjunction := c.op == OpAnd || c.op == OpForall
	var ways [][]Literal
	if conjunction {
		ways = [][]Literal{{}}
	}
	g.eachSub(c, env, func(sub *compiled) bool {
		subWays := g.instantiate(sub, env)
		if conjunction {
			ways = g.product(ways, subWays)
			return len(ways) > 0
		}
		for _, way := range subWays {
			if len(way) == 0 { // nothing has to hold
				ways = [][]Literal{{}}
				return false
			}
		}
		ways = append(ways, subWays...)
		return g.spend(len(subWays))
	})
	return ways
}

// product combines every way of a with every way of b, and drops contradictory combinations.
func (g *grounder) product(a, b [][]Literal) [][]Literal {
	if len(a) == 1 && len(a[0]) == 0 {
		return b
	}
	var out [][]Literal
	for _, x := range a {
		for _, y := range b {
			if !g.spend(1 + len(x)*len(y)) {
				return nil
			}
			if way, ok := conjoin(x, y); ok {
				out = append(out, way)
			}
		}
	}
	return out
}

func conjoin(x, y []Literal) (way []Literal, ok bool) {
	way = slices.Clip(x)
	for _, l := range y {
		if slices.Contains(x, l^1) {
			return nil, false
		}
		if !slices.Contains(x, l) {
			way = append(way, l)
		}
	}
	return way, true
}

// effects appends the effects under env, given that cond held before. The first entry, possibly empty, is the part
// without a further condition. The entries for further conditions follow.
func (g *grounder) effects(c *compiled, env []int32, cond []Literal, out []Effect) []Effect {
	first := len(out)
	out = append(out, Effect{Condition: cond})
	var collect func(c *compiled) bool
	collect = func(c *compiled) bool {
		switch c.op {
		case OpAtom:
			out[first].Literals = append(out[first].Literals, literal(int(g.intern(c, env)), c.negated))
		case OpWhen:
			for _, way := range g.instantiate(&c.sub[0], env) {
				joined, ok := conjoin(cond, way)
				switch {
				case !g.spend(1 + len(cond)*len(way)):
					return false
				case !ok:
				case len(joined) == len(cond):
					collect(&c.sub[1])
				default:
					out = g.effects(&c.sub[1], env, joined, out)
				}
			}
		default:
			g.eachSub(c, env, collect)
		}
		return g.spend(1)
	}
	collect(c)
	return out
}
