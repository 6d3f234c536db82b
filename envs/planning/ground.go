package planning

import (
	"encoding/binary"
	"fmt"
)

// Bounds that keep a hostile problem from exhausting memory.
const (
	maxOperators = 1 << 20
	maxDisjuncts = 1 << 14
)

// Ground instantiates the actions of a domain with the objects of a problem.
// Facts that no action changes are settled here, and what cannot be reached even
// if nothing were ever undone is left out.
func Ground(d *Domain, p *Problem) (*Task, error) {
	objs, err := objects(d, p)
	if err != nil {
		return nil, err
	}
	if err := checkProblem(d, p, objs); err != nil {
		return nil, err
	}
	g := newGrounder(d, p, objs)
	raw := rawTask{init: make(map[int32]bool)}
	for i := range d.Actions {
		if err := g.action(&d.Actions[i], &raw); err != nil {
			return nil, err
		}
	}
	goal := g.compile(p.Goal, newScope(g), false)
	if raw.goal, err = g.instantiate(&goal, nil); err != nil {
		return nil, fmt.Errorf("goal: %w", err)
	}
	for _, a := range p.Init {
		if pred, args := g.ground(a); !g.predicates[pred].static {
			raw.init[g.intern(pred, args)] = true
		} else {
			raw.constant = append(raw.constant, a)
		}
	}
	raw.atoms = g.atoms
	return raw.prune(objs), nil
}

// predicate is what grounding knows of one predicate.
type predicate struct {
	static bool // no action changes it
	facts  [][]int32
	holds  map[string]bool
	// by maps a position, and the other arguments, to the objects that stand
	// at that position of a static fact; see candidates.
	by []map[string][]int32
}

// grounder holds the tables that grounding looks things up in. Objects and
// predicates are numbered.
type grounder struct {
	domain     *Domain
	objs       []Object
	objIndex   map[string]int32
	ofType     map[string][]int32
	predIndex  map[string]int32
	predicates []predicate

	atoms   []Atom // interned facts that can change
	atomIDs map[string]int32
	key     []byte // scratch
}

func newGrounder(d *Domain, p *Problem, objs []Object) *grounder {
	g := &grounder{
		domain: d, objs: objs,
		objIndex:   map[string]int32{},
		ofType:     map[string][]int32{},
		predIndex:  map[string]int32{},
		predicates: make([]predicate, len(d.Predicates)),
		atomIDs:    map[string]int32{},
	}
	for i, o := range objs {
		g.objIndex[o.Name] = int32(i)
	}
	for i, pr := range d.Predicates {
		g.predIndex[pr.Name] = int32(i)
		g.predicates[i] = predicate{static: true, holds: map[string]bool{}}
	}
	for _, a := range d.Actions {
		g.markChanged(a.Effect)
	}
	for _, a := range p.Init {
		pred, args := g.ground(a)
		if pr := &g.predicates[pred]; pr.static {
			pr.facts = append(pr.facts, args)
			pr.holds[string(g.pack(args, -1))] = true
		}
	}
	return g
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

// objectsOf lists the objects of a type, subtypes included.
func (g *grounder) objectsOf(typ string) []int32 {
	list, ok := g.ofType[typ]
	if !ok {
		for i, o := range g.objs {
			if g.domain.IsA(o.Type, typ) {
				list = append(list, int32(i))
			}
		}
		g.ofType[typ] = list
	}
	return list
}

// ground numbers the parts of a ground atom.
func (g *grounder) ground(a Atom) (pred int32, args []int32) {
	args = make([]int32, len(a.Args))
	for i, name := range a.Args {
		args[i] = g.objIndex[name]
	}
	return g.predIndex[a.Predicate], args
}

// pack writes arguments, but for the one at position skip, into a key. The key
// is valid until the next call.
func (g *grounder) pack(args []int32, skip int) []byte {
	g.key = g.key[:0]
	for i, a := range args {
		if i != skip {
			g.key = binary.LittleEndian.AppendUint32(g.key, uint32(a))
		}
	}
	return g.key
}

// intern numbers a fact that can change.
func (g *grounder) intern(pred int32, args []int32) int32 {
	g.pack(args, -1)
	g.key = binary.LittleEndian.AppendUint32(g.key, uint32(pred))
	if id, ok := g.atomIDs[string(g.key)]; ok {
		return id
	}
	id := int32(len(g.atoms))
	g.atomIDs[string(g.key)] = id
	a := Atom{Predicate: g.domain.Predicates[pred].Name}
	for _, arg := range args {
		a.Args = append(a.Args, g.objs[arg].Name)
	}
	g.atoms = append(g.atoms, a)
	return id
}

// candidates lists the objects that make a static fact true when put at one
// position of its arguments, the others being bound.
func (g *grounder) candidates(pred int32, args []int32, at int) []int32 {
	p := &g.predicates[pred]
	if p.by == nil {
		p.by = make([]map[string][]int32, len(args))
	}
	if p.by[at] == nil {
		p.by[at] = map[string][]int32{}
		for _, f := range p.facts {
			key := string(g.pack(f, at))
			p.by[at][key] = append(p.by[at][key], f[at])
		}
	}
	return p.by[at][string(g.pack(args, at))]
}

// action grounds one action: it binds the parameters one after the other,
// guided by the static facts that the precondition asks for.
func (g *grounder) action(a *Action, out *rawTask) error {
	sc := newScope(g)
	slots := sc.declare(a.Params)
	pre := g.compile(a.Precondition, sc, false)
	eff := g.compileEffect(a.Effect, sc)
	j := newJoin(g, slots, &pre)
	env := make([]int32, sc.size)
	return j.each(env, func() error {
		ways, err := g.instantiate(&pre, env)
		if err != nil || len(ways) == 0 {
			return wrapAction(a, err)
		}
		effects, err := g.instantiateEffect(&eff, env)
		if err != nil {
			return wrapAction(a, err)
		}
		args := make([]int, len(slots))
		for i, s := range slots {
			args[i] = int(env[s.index])
		}
		for _, way := range ways {
			out.ops = append(out.ops, Operator{Action: a, Args: args, Precondition: way, Effects: effects})
		}
		if len(out.ops) > maxOperators {
			return fmt.Errorf("the problem has more than %d ground actions", maxOperators)
		}
		return nil
	})
}

func wrapAction(a *Action, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("action %s: %w", a.Name, err)
}
