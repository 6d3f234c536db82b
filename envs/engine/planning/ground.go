package planning

import (
	"encoding/binary"
	"fmt"
)

// maxGrounding bounds the work of grounding, and so its memory: bindings tried, conditions visited and literals
// written. The largest of the published tasks that this package targets needs a fiftieth of it.
const maxGrounding = 1 << 23

// Ground instantiates the actions of a problem's domain with its objects. It
// evaluates facts that no action changes, and drops what is unreachable even if
// nothing is ever undone. The error says that the problem is too large.
func Ground(p *Problem) (*Task, error) {
	return ground(p, maxGrounding)
}

func ground(p *Problem, work int) (*Task, error) {
	g := newGrounder(p, work)
	raw := rawTask{objects: p.Objects, init: map[int32]bool{}}
	for i := range p.Domain.Actions {
		if g.action(&p.Domain.Actions[i], &raw); g.budget < 0 {
			return nil, fmt.Errorf("grounding action %s: the problem is too large", p.Domain.Actions[i].Name)
		}
	}
	sc := newScope()
	goal := g.compile(p.Goal, sc, false)
	raw.goal = g.instantiate(&goal, make([]int32, sc.size))
	if g.budget < 0 {
		return nil, fmt.Errorf("grounding the goal: the problem is too large")
	}
	for _, a := range p.Init {
		fact := g.number(a)
		if g.predicates[fact.pred].static {
			raw.constant = append(raw.constant, a)
		} else {
			raw.init[g.intern(&fact, nil)] = true
		}
	}
	raw.atoms = g.atoms
	return raw.prune(g), nil
}

// predicate holds grounding's data about one predicate.
type predicate struct {
	static bool // no action changes it
	facts  [][]term
	holds  map[string]bool
	// index maps a position and the other arguments to the objects that occur at
	// that position of a static fact; see candidates.
	index []map[string][]int32
}

// grounder holds the lookup tables of grounding. Objects and predicates are numbered.
type grounder struct {
	problem    *Problem
	objIndex   map[string]int32
	extents    map[string]*extent // by type
	predIndex  map[string]int32
	predicates []predicate
	budget     int // the remaining budget; once it is negative, no result is used

	atoms   []groundAtom // facts that can change, interned
	atomIDs map[string]int32
	key     []byte // scratch
}

// groundAtom is a fact in numbers.
type groundAtom struct {
	pred int32
	args []int32
}

func newGrounder(p *Problem, work int) *grounder {
	g := &grounder{
		problem:    p,
		objIndex:   map[string]int32{},
		extents:    map[string]*extent{},
		predIndex:  map[string]int32{},
		predicates: make([]predicate, len(p.Domain.Predicates)),
		budget:     work,
		atomIDs:    map[string]int32{},
	}
	for i, o := range p.Objects {
		g.objIndex[o.Name] = int32(i)
	}
	for i, pr := range p.Domain.Predicates {
		g.predIndex[pr.Name] = int32(i)
		g.predicates[i] = predicate{static: true, holds: map[string]bool{},
			index: make([]map[string][]int32, len(pr.Params))}
	}
	for _, a := range p.Domain.Actions {
		g.markChanged(a.Effect)
	}
	for _, a := range p.Init {
		fact := g.number(a)
		if pr := &g.predicates[fact.pred]; pr.static {
			pr.facts = append(pr.facts, fact.args)
			pr.holds[string(g.pack(fact.args, nil, -1))] = true
		}
	}
	return g
}

// spend takes n from the remaining budget and reports whether the budget was sufficient.
func (g *grounder) spend(n int) bool {
	g.budget -= n
	return g.budget >= 0
}

// markChanged notes which predicates an effect changes.
func (g *grounder) markChanged(f Formula) {
	switch f.Op {
	case OpAtom:
		g.predicates[g.predIndex[f.Atom.Predicate]].static = false
	case OpWhen:
		g.markChanged(f.Sub[1])
	default:
		for _, s := range f.Sub {
			g.markChanged(s)
		}
	}
}

// extentOf returns the objects of a type.
func (g *grounder) extentOf(typ string) *extent {
	e, ok := g.extents[typ]
	if !ok {
		e = &extent{contains: make([]bool, len(g.problem.Objects))}
		for i, o := range g.problem.Objects {
			if g.spend(1) && g.problem.Domain.IsA(o.Type, typ) {
				e.list = append(e.list, int32(i))
				e.contains[i] = true
			}
		}
		g.extents[typ] = e
	}
	return e
}

// number numbers the parts of a ground atom.
func (g *grounder) number(a Atom) compiled {
	c := compiled{op: OpAtom, pred: g.predIndex[a.Predicate]}
	for _, name := range a.Args {
		c.args = append(c.args, g.objIndex[name])
	}
	return c
}

// pack writes the objects that terms stand for under env, except the one at
// position skip, into a key. The key is valid until the next call.
func (g *grounder) pack(args []term, env []int32, skip int) []byte {
	g.key = g.key[:0]
	for i, t := range args {
		if i != skip {
			g.key = binary.LittleEndian.AppendUint32(g.key, uint32(object(t, env)))
		}
	}
	return g.key
}

// intern numbers the fact that an atom is under env.
func (g *grounder) intern(c *compiled, env []int32) int32 {
	g.pack(c.args, env, -1)
	g.key = binary.LittleEndian.AppendUint32(g.key, uint32(c.pred))
	id, ok := g.atomIDs[string(g.key)]
	if !ok {
		id = int32(len(g.atoms))
		g.atomIDs[string(g.key)] = id
		args := make([]int32, len(c.args))
		for i, t := range c.args {
			args[i] = object(t, env)
		}
		g.atoms = append(g.atoms, groundAtom{c.pred, args})
	}
	return id
}

// name returns a fact by the names of its parts.
func (g *grounder) name(a groundAtom) Atom {
	out := Atom{Predicate: g.problem.Domain.Predicates[a.pred].Name}
	for _, arg := range a.args {
		out.Args = append(out.Args, g.problem.Objects[arg].Name)
	}
	return out
}

// candidates lists the objects that make a static atom true at one position of
// its arguments; env binds the other arguments.
func (g *grounder) candidates(c *compiled, pos int, env []int32) []int32 {
	return g.index(c.pred, pos)[string(g.pack(c.args, env, pos))]
}

// index returns the static facts of a predicate as candidates needs them.
func (g *grounder) index(pred int32, pos int) map[string][]int32 {
	p := &g.predicates[pred]
	if p.index[pos] == nil {
		p.index[pos] = map[string][]int32{}
		for _, f := range p.facts {
			g.spend(1)
			key := string(g.pack(f, nil, pos))
			p.index[pos][key] = append(p.index[pos][key], f[pos])
		}
	}
	return p.index[pos]
}

// action grounds one action.
func (g *grounder) action(a *Action, out *rawTask) {
	sc := newScope()
	params := g.declare(a.Params, sc)
	pre := g.compile(a.Precondition, sc, false)
	eff := g.compileEffect(a.Effect, sc)
	env := make([]int32, sc.size)
	g.newJoin(params, sc, &pre, true).enumerate(g, env, func() bool {
		ways := g.instantiate(&pre, env)
		if len(ways) == 0 {
			return true
		}
		effects := g.effects(&eff, env, nil, nil)
		args := make([]int32, len(params))
		for i, v := range params {
			args[i] = env[v.slot]
		}
		for _, way := range ways {
			out.ops = append(out.ops, Operator{Action: a, Args: args, Precondition: way, Effects: effects})
		}
		// An operator takes about as much memory as ten literals.
		return g.spend(len(args) + 10*len(ways))
	})
}
