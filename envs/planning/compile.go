package planning

import "fmt"

// A term is an object's number or, below zero, a variable's slot.
type term = int32

func variable(slot int) term { return ^term(slot) }
func slotOf(t term) int      { return int(^t) }

// slot is a variable's place in the environment, with its type.
type slot struct {
	index int
	typ   string
}

// scope maps the variables that may occur in a formula to their slots.
type scope struct {
	g     *grounder
	names map[string]int
	size  int // slots handed out so far
}

func newScope(g *grounder) *scope { return &scope{g: g, names: map[string]int{}} }

func (s *scope) declare(vars []Object) []slot {
	out := make([]slot, len(vars))
	for i, v := range vars {
		out[i] = slot{s.size, v.Type}
		s.names[v.Name] = s.size
		s.size++
	}
	return out
}

// close takes variables out of scope; their slots are not used again.
func (s *scope) close(vars []Object) {
	for _, v := range vars {
		delete(s.names, v.Name)
	}
}

// compiled is a condition in negation normal form: negation stands at atoms
// only, and names are numbers.
type compiled struct {
	op      Op
	negated bool // of OpAtom and OpEqual
	pred    int32
	args    []term
	vars    []slot
	sub     []compiled
}

// compile brings a condition, negated if asked for, into negation normal form.
func (g *grounder) compile(f Formula, sc *scope, negated bool) compiled {
	c := compiled{op: f.Op, negated: negated}
	switch f.Op {
	case OpAtom, OpEqual:
		if f.Op == OpAtom {
			c.pred = g.predIndex[f.Atom.Predicate]
		}
		c.args = g.terms(f.Atom.Args, sc)
		return c
	case OpNot:
		return g.compile(f.Sub[0], sc, !negated)
	case OpExists, OpForall:
		c.vars = sc.declare(f.Vars)
		defer sc.close(f.Vars)
	}
	if negated {
		c.op = map[Op]Op{OpAnd: OpOr, OpOr: OpAnd, OpExists: OpForall, OpForall: OpExists}[f.Op]
		c.negated = false
	}
	for _, s := range f.Sub {
		c.sub = append(c.sub, g.compile(s, sc, negated))
	}
	return c
}

func (g *grounder) terms(names []string, sc *scope) []term {
	out := make([]term, len(names))
	for i, n := range names {
		if slot, ok := sc.names[n]; ok {
			out[i] = variable(slot)
		} else {
			out[i] = g.objIndex[n]
		}
	}
	return out
}

// compileEffect numbers the names of an effect. Negation stays at atoms, where
// it means deletion.
func (g *grounder) compileEffect(f Formula, sc *scope) compiled {
	c := compiled{op: f.Op}
	switch f.Op {
	case OpAtom:
		c.pred = g.predIndex[f.Atom.Predicate]
		c.args = g.terms(f.Atom.Args, sc)
		return c
	case OpNot:
		c = g.compileEffect(f.Sub[0], sc)
		c.negated = true
		return c
	case OpWhen:
		c.sub = []compiled{g.compile(f.Sub[0], sc, false), g.compileEffect(f.Sub[1], sc)}
		return c
	case OpForall:
		c.vars = sc.declare(f.Vars)
		defer sc.close(f.Vars)
	}
	for _, s := range f.Sub {
		c.sub = append(c.sub, g.compileEffect(s, sc))
	}
	return c
}

// bind returns the arguments of an atom under env.
func (c *compiled) bind(env []int32) []int32 {
	out := make([]int32, len(c.args))
	for i, t := range c.args {
		if t < 0 {
			t = env[slotOf(t)]
		}
		out[i] = t
	}
	return out
}

func (g *grounder) holds(pred int32, args []int32) bool {
	return g.predicates[pred].holds[string(g.pack(args, -1))]
}

var errTooManyWays = fmt.Errorf("a condition has more than %d ways to be met", maxDisjuncts)

// instantiate returns the ways to meet a condition under env, as conjunctions
// of literals over interned facts; none when it cannot be met.
func (g *grounder) instantiate(c *compiled, env []int32) ([][]Literal, error) {
	always := [][]Literal{{}}
	switch c.op {
	case OpEqual:
		if args := c.bind(env); (args[0] == args[1]) != c.negated {
			return always, nil
		}
		return nil, nil
	case OpAtom:
		args := c.bind(env)
		if g.predicates[c.pred].static {
			if g.holds(c.pred, args) != c.negated {
				return always, nil
			}
			return nil, nil
		}
		return [][]Literal{{literal(int(g.intern(c.pred, args)), c.negated)}}, nil
	}
	ways := always
	all := c.op == OpAnd || c.op == OpForall
	if !all {
		ways = nil
	}
	err := g.eachSub(c, env, func(sub *compiled, env []int32) error {
		if all && len(ways) == 0 {
			return nil
		}
		more, err := g.instantiate(sub, env)
		if err != nil {
			return err
		}
		if all {
			ways = product(ways, more)
		} else {
			ways = append(ways, more...)
		}
		if len(ways) > maxDisjuncts {
			return errTooManyWays
		}
		return nil
	})
	return ways, err
}

// eachSub visits the parts of a conjunction or disjunction, and the part of a
// quantified formula once for every binding of its variables.
func (g *grounder) eachSub(c *compiled, env []int32, visit func(*compiled, []int32) error) error {
	if len(c.vars) == 0 {
		for i := range c.sub {
			if err := visit(&c.sub[i], env); err != nil {
				return err
			}
		}
		return nil
	}
	last := c.vars[len(c.vars)-1].index
	for len(env) <= last {
		env = append(env, 0)
	}
	var bind func(depth int) error
	bind = func(depth int) error {
		if depth == len(c.vars) {
			return visit(&c.sub[0], env)
		}
		for _, v := range g.objectsOf(c.vars[depth].typ) {
			env[c.vars[depth].index] = v
			if err := bind(depth + 1); err != nil {
				return err
			}
		}
		return nil
	}
	return bind(0)
}

// product combines every way of a with every way of b, leaving out ways that
// contradict themselves.
func product(a, b [][]Literal) [][]Literal {
	if len(a) == 1 && len(a[0]) == 0 {
		return b
	}
	var out [][]Literal
	for _, x := range a {
		for _, y := range b {
			if w, ok := conjoin(x, y); ok {
				out = append(out, w)
			}
		}
	}
	return out
}

func conjoin(x, y []Literal) (way []Literal, ok bool) {
	way = append(make([]Literal, 0, len(x)+len(y)), x...)
next:
	for _, l := range y {
		for _, m := range x {
			if m == l {
				continue next
			}
			if m == l^1 {
				return nil, false
			}
		}
		way = append(way, l)
	}
	return way, true
}

// instantiateEffect returns what an effect does under env: at most one
// unconditional Effect, first, and one for each way to meet a condition.
func (g *grounder) instantiateEffect(c *compiled, env []int32) ([]Effect, error) {
	effects := []Effect{{}}
	err := g.collectEffect(c, env, nil, &effects)
	if len(effects[0].Add) == 0 && len(effects[0].Delete) == 0 {
		effects = effects[1:]
	}
	return effects, err
}

func (g *grounder) collectEffect(c *compiled, env []int32, when []Literal, out *[]Effect) error {
	switch c.op {
	case OpAtom:
		e := &(*out)[0]
		if when != nil {
			*out = append(*out, Effect{When: when})
			e = &(*out)[len(*out)-1]
		}
		fact := g.intern(c.pred, c.bind(env))
		if c.negated {
			e.Delete = append(e.Delete, fact)
		} else {
			e.Add = append(e.Add, fact)
		}
		return nil
	case OpWhen:
		ways, err := g.instantiate(&c.sub[0], env)
		if err != nil {
			return err
		}
		for _, way := range ways {
			both, ok := conjoin(when, way)
			if !ok {
				continue
			}
			if len(both) == 0 {
				both = nil
			}
			if err := g.collectEffect(&c.sub[1], env, both, out); err != nil {
				return err
			}
		}
		return nil
	default:
		return g.eachSub(c, env, func(sub *compiled, env []int32) error {
			return g.collectEffect(sub, env, when, out)
		})
	}
}
