package planning

import (
	"fmt"
	"slices"
	"strings"
	"unique"
)

// ParseDomain reads a domain file and checks that it is consistent: accepting a misspelt name would give silently
// wrong states. Errors start with file:line:column.
func ParseDomain(file, text string) (*Domain, error) {
	p := &parser{file: file}
	s, name, err := p.define(text, "domain", ":requirements", ":types", ":constants", ":predicates", ":functions",
		":action")
	if err != nil {
		return nil, err
	}
	// The features in use show the requirements; costs are not counted.
	d := &Domain{Name: name, Types: map[string]string{}}
	p.enter(d)
	if err := p.types(s.only(":types")); err != nil {
		return nil, err
	}
	if d.Constants, err = p.objects(s.only(":constants")); err != nil {
		return nil, err
	}
	if err := p.predicates(s.only(":predicates")); err != nil {
		return nil, err
	}
	for _, n := range s[":action"] {
		if err := p.action(n); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// ParseProblem reads a problem file of a domain and checks that it fits the
// domain. Errors start with file:line:column.
func ParseProblem(file, text string, d *Domain) (*Problem, error) {
	p := &parser{file: file}
	s, name, err := p.define(text, "problem", ":requirements", ":domain", ":objects", ":init", ":goal", ":metric")
	if err != nil {
		return nil, err
	}
	pr := &Problem{Name: name, Domain: d}
	p.enter(d)
	own, err := p.objects(s.only(":objects"))
	if err != nil {
		return nil, err
	}
	pr.Objects, pr.Repeated = slices.Concat(d.Constants, own), p.repeated
	p.complete = true
	for _, m := range d.borrowed {
		if _, ok := p.objectTypes[m.name]; !ok {
			return nil, fmt.Errorf("%s: object %s is not declared; %s names it", file, m.name, m.pos)
		}
	}
	if pr.Init, err = p.init(s.only(":init")); err != nil {
		return nil, err
	}
	goal := s[":goal"]
	if len(goal) == 0 {
		return nil, fmt.Errorf("%s: the problem has no :goal", file)
	}
	if len(goal[0].kids) != 2 {
		return nil, p.errorf(goal[0], "want (:goal CONDITION)")
	}
	pr.Goal, err = p.condition(goal[0].kids[1])
	if err != nil {
		return nil, err
	}
	return pr, nil
}

// sections are the parts of a definition by their keys.
type sections map[string][]node

// only returns the content of a section that occurs at most once, by its key.
func (s sections) only(key string) []node {
	if len(s[key]) == 0 {
		return nil
	}
	return s[key][0].kids[1:]
}

// parser turns S-expressions into definitions.
type parser struct {
	file        string
	domain      *Domain
	arity       map[string]int    // of the predicates
	objectTypes map[string]string // objects, by name, with their types
	// repeated are the objects that were declared more than once.
	repeated []string
	// complete: every object is known, so no other name may occur.
	complete bool
	vars     map[string]bool // variables in scope
}

// enter makes the names that a domain declares so far known.
func (p *parser) enter(d *Domain) {
	p.domain = d
	p.arity, p.objectTypes, p.vars = map[string]int{}, map[string]string{}, map[string]bool{}
	for _, pr := range d.Predicates {
		p.arity[pr.Name] = len(pr.Params)
	}
	for _, o := range d.Constants {
		p.objectTypes[o.Name] = o.Type
	}
}

func (p *parser) errorf(n node, format string, args ...any) error {
	return errorAt(p.file, n.position, format, args...)
}

// define parses (define (KIND NAME) SECTION…). Only sections with the given
// keys may occur, and only :action may occur more than once.
func (p *parser) define(text, kind string, keys ...string) (s sections, name string, err error) {
	n, err := readFile(p.file, text)
	if err != nil {
		return nil, "", err
	}
	if len(n.kids) < 2 || n.kids[0].atom != "define" {
		return nil, "", p.errorf(n, "want (define (%s NAME) …)", kind)
	}
	head := n.kids[1]
	if len(head.kids) != 2 || head.kids[0].atom != kind || head.kids[1].list {
		return nil, "", p.errorf(head, "want (%s NAME)", kind)
	}
	s = sections{}
	for _, k := range n.kids[2:] {
		if len(k.kids) == 0 || k.kids[0].list {
			return nil, "", p.errorf(k, "want a section such as (%s …)", keys[len(keys)-1])
		}
		key := k.kids[0].atom
		if !slices.Contains(keys, key) {
			return nil, "", p.errorf(k, "unknown section %s in a %s", key, kind)
		}
		if len(s[key]) > 0 && key != ":action" {
			return nil, "", p.errorf(k, "section %s is given twice", key)
		}
		s[key] = append(s[key], k)
	}
	return s, head.kids[1].atom, nil
}

// name reads the name in a declaration.
func (p *parser) name(n node) (string, error) {
	if n.list || strings.HasPrefix(n.atom, "?") {
		return "", p.errorf(n, "want a name")
	}
	return n.atom, nil
}

// typed is an entry of a typed list.
type typed struct {
	name node
	typ  node // with rootType for an entry without a type
}

// typedList reads "a b - t c d - u e"; an entry without a type is an object.
func (p *parser) typedList(nodes []node) ([]typed, error) {
	var out []typed
	untyped := 0
	for i := 0; i < len(nodes); i++ {
		n := nodes[i]
		switch {
		case n.list:
			return nil, p.errorf(n, "want a name, not a list")
		case n.atom != "-":
			out = append(out, typed{n, node{atom: rootType}})
		case i+1 == len(nodes):
			return nil, p.errorf(n, "a type is missing after -")
		case nodes[i+1].list:
			return nil, p.errorf(nodes[i+1], "a type is one name here; (either …) is not supported")
		case untyped == len(out):
			return nil, p.errorf(n, "a name is missing before -")
		default:
			i++
			for ; untyped < len(out); untyped++ {
				out[untyped].typ = nodes[i]
			}
		}
	}
	return out, nil
}

func (p *parser) types(nodes []node) error {
	list, err := p.typedList(nodes)
	if err != nil {
		return err
	}
	tree := p.domain.Types
	for _, t := range list {
		name, err := p.name(t.name)
		if err != nil {
			return err
		}
		if name == rootType { // the root type exists already, but some domains declare it
			if t.typ.atom != rootType {
				return p.errorf(t.name, "type %s stands above all others and has no parent", name)
			}
			continue
		}
		if _, ok := tree[name]; ok {
			return p.errorf(t.name, "type %s is declared twice", name)
		}
		tree[name] = t.typ.atom
	}
	for _, t := range list {
		if err := p.checkType(t.typ); err != nil {
			return err
		}
		parent := t.typ.atom
		for n := 0; parent != rootType; n++ {
			if n == maxDepth {
				return p.errorf(t.name, "type %s has itself or too many types above it", t.name.atom)
			}
			parent = tree[parent]
		}
	}
	return nil
}

func (p *parser) checkType(n node) error {
	if _, ok := p.domain.Types[n.atom]; !ok && n.atom != rootType {
		return p.errorf(n, "unknown type %s", n.atom)
	}
	return nil
}

// checkQuantified checks the type of a quantified variable. It accepts a comma after the type, which makes it
// another type without objects: ALFWorld's domain has one, and the consequences are part of the game.
func (p *parser) checkQuantified(n node) error {
	if strings.HasSuffix(n.atom, ",") {
		return nil
	}
	return p.checkType(n)
}

// objects reads declarations of objects or constants. A name may be declared
// again with the same type, and then counts once.
func (p *parser) objects(nodes []node) ([]Object, error) {
	list, err := p.typedList(nodes)
	if err != nil {
		return nil, err
	}
	var out []Object
	for _, o := range list {
		name, err := p.name(o.name)
		if err != nil {
			return nil, err
		}
		if err := p.checkType(o.typ); err != nil {
			return nil, err
		}
		switch typ, ok := p.objectTypes[name]; {
		case !ok:
			p.objectTypes[name] = o.typ.atom
			// A task keeps its objects: copied, or they would keep the text of the whole file.
			out = append(out, Object{strings.Clone(name), unique.Make(o.typ.atom).Value()})
		case typ != o.typ.atom:
			return nil, p.errorf(o.name, "object %s is declared as %s and as %s", name, typ, o.typ.atom)
		default:
			p.repeated = append(p.repeated, name)
		}
	}
	return out, nil
}

func (p *parser) predicates(nodes []node) error {
	for _, n := range nodes {
		if len(n.kids) == 0 {
			return p.errorf(n, "want (PREDICATE VARIABLE…)")
		}
		name, err := p.name(n.kids[0])
		if err != nil {
			return err
		}
		if _, ok := p.arity[name]; ok {
			return p.errorf(n, "predicate %s is declared twice", name)
		}
		params, err := p.declare(n.kids[1:], p.checkType)
		if err != nil {
			return err
		}
		p.release(params)
		p.arity[name] = len(params)
		p.domain.Predicates = append(p.domain.Predicates, Predicate{Name: name, Params: params})
	}
	return nil
}

// declare reads variables and adds them to the scope.
func (p *parser) declare(nodes []node, checkType func(node) error) ([]Object, error) {
	list, err := p.typedList(nodes)
	if err != nil {
		return nil, err
	}
	var out []Object
	for _, v := range list {
		name := v.name.atom
		if !strings.HasPrefix(name, "?") {
			return nil, p.errorf(v.name, "want a variable such as ?%s", name)
		}
		if p.vars[name] {
			return nil, p.errorf(v.name, "variable %s is declared twice", name)
		}
		if err := checkType(v.typ); err != nil {
			return nil, err
		}
		p.vars[name] = true
		out = append(out, Object{name, v.typ.atom})
	}
	return out, nil
}

// release removes variables from the scope.
func (p *parser) release(vars []Object) {
	for _, v := range vars {
		delete(p.vars, v.Name)
	}
}

func (p *parser) action(n node) error {
	if len(n.kids) < 2 || len(n.kids)%2 != 0 {
		return p.errorf(n, "want (:action NAME :parameters … :precondition … :effect …)")
	}
	name, err := p.name(n.kids[1])
	if err != nil {
		return err
	}
	a := Action{Name: name, Precondition: Formula{Op: OpAnd}, Effect: Formula{Op: OpAnd}}
	for _, a := range p.domain.Actions {
		if a.Name == name {
			return p.errorf(n, "action %s is defined twice", name)
		}
	}
	parts := map[string]node{}
	for i := 2; i < len(n.kids); i += 2 {
		key := n.kids[i]
		switch key.atom {
		case ":parameters", ":precondition", ":effect":
		default:
			return p.errorf(key, "unknown part %s of action %s", key.atom, name)
		}
		if _, ok := parts[key.atom]; ok {
			return p.errorf(key, "part %s of action %s is given twice", key.atom, name)
		}
		parts[key.atom] = n.kids[i+1]
	}
	if part, ok := parts[":parameters"]; ok {
		if !part.list {
			return p.errorf(part, "want (VARIABLE…)")
		}
		if a.Params, err = p.declare(part.kids, p.checkType); err != nil {
			return err
		}
		defer p.release(a.Params)
	}
	if part, ok := parts[":precondition"]; ok {
		if a.Precondition, err = p.condition(part); err != nil {
			return err
		}
	}
	if part, ok := parts[":effect"]; ok {
		if a.Effect, err = p.effect(part); err != nil {
			return err
		}
	}
	p.domain.Actions = append(p.domain.Actions, a)
	return nil
}

// init reads the facts of an initial state. It skips numeric assignments. A repeated fact counts once.
func (p *parser) init(nodes []node) ([]Atom, error) {
	var out []Atom
	keys := map[string]bool{}
	for _, n := range nodes {
		if len(n.kids) > 0 && n.kids[0].atom == "=" {
			continue
		}
		a, err := p.atom(n)
		if err != nil {
			return nil, err
		}
		if key := a.String(); !keys[key] {
			keys[key] = true
			out = append(out, a)
		}
	}
	return out, nil
}

// atom reads a predicate with its arguments.
func (p *parser) atom(n node) (Atom, error) {
	if len(n.kids) == 0 || n.kids[0].list {
		return Atom{}, p.errorf(n, "want (PREDICATE ARGUMENT…)")
	}
	a := Atom{Predicate: n.kids[0].atom}
	want, ok := p.arity[a.Predicate]
	if !ok {
		return a, p.errorf(n, "unknown predicate %s", a.Predicate)
	}
	if len(n.kids) != want+1 {
		return a, p.errorf(n, "predicate %s takes %d argument(s), not %d", a.Predicate, want, len(n.kids)-1)
	}
	var err error
	a.Args, err = p.terms(n.kids[1:])
	return a, err
}

// terms reads names of variables in scope and of objects.
func (p *parser) terms(nodes []node) ([]string, error) {
	var out []string
	for _, n := range nodes {
		_, declared := p.objectTypes[n.atom]
		switch {
		case n.list:
			return nil, p.errorf(n, "want a name, not a list")
		case strings.HasPrefix(n.atom, "?"):
			if !p.vars[n.atom] {
				return nil, p.errorf(n, "unknown variable %s", n.atom)
			}
		case declared:
		case p.complete:
			return nil, p.errorf(n, "unknown object %s", n.atom)
		default:
			pos := fmt.Sprintf("%s:%d:%d", p.file, n.line, n.col)
			p.domain.borrowed = append(p.domain.borrowed, mention{n.atom, pos})
		}
		out = append(out, n.atom)
	}
	return out, nil
}

func (p *parser) condition(n node) (Formula, error) {
	if n.list && len(n.kids) == 0 {
		return Formula{Op: OpAnd}, nil
	}
	if !n.list || n.kids[0].list {
		return Formula{}, p.errorf(n, "want a condition")
	}
	switch n.kids[0].atom {
	case "and":
		return p.nary(OpAnd, n.kids[1:], p.condition)
	case "or":
		return p.nary(OpOr, n.kids[1:], p.condition)
	case "not":
		return p.fixed(OpNot, n, 1, p.condition)
	case "imply":
		f, err := p.fixed(OpOr, n, 2, p.condition)
		if err != nil {
			return f, err
		}
		f.Sub[0] = Formula{Op: OpNot, Sub: []Formula{f.Sub[0]}}
		return f, nil
	case "exists":
		return p.quantified(OpExists, n, p.condition)
	case "forall":
		return p.quantified(OpForall, n, p.condition)
	case "=":
		if len(n.kids) != 3 {
			return Formula{}, p.errorf(n, "want (= TERM TERM)")
		}
		args, err := p.terms(n.kids[1:])
		return Formula{Op: OpEqual, Atom: Atom{"=", args}}, err
	default:
		a, err := p.atom(n)
		return Formula{Op: OpAtom, Atom: a}, err
	}
}

func (p *parser) effect(n node) (Formula, error) {
	if n.list && len(n.kids) == 0 {
		return Formula{Op: OpAnd}, nil
	}
	if !n.list || n.kids[0].list {
		return Formula{}, p.errorf(n, "want an effect")
	}
	switch n.kids[0].atom {
	case "and":
		return p.nary(OpAnd, n.kids[1:], p.effect)
	case "not":
		f, err := p.fixed(OpNot, n, 1, p.effect)
		if err == nil && f.Sub[0].Op != OpAtom {
			err = p.errorf(n, "an effect can only take back a single fact")
		}
		return f, err
	case "forall":
		return p.quantified(OpForall, n, p.effect)
	case "when":
		if len(n.kids) != 3 {
			return Formula{}, p.errorf(n, "want (when CONDITION EFFECT)")
		}
		cond, err := p.condition(n.kids[1])
		if err != nil {
			return Formula{}, err
		}
		eff, err := p.effect(n.kids[2])
		return Formula{Op: OpWhen, Sub: []Formula{cond, eff}}, err
	case "increase":
		return Formula{Op: OpAnd}, nil
	case "or", "exists", "imply", "=":
		return Formula{}, p.errorf(n, "%s cannot stand in an effect", n.kids[0].atom)
	default:
		a, err := p.atom(n)
		return Formula{Op: OpAtom, Atom: a}, err
	}
}

func (p *parser) nary(op Op, nodes []node, read func(node) (Formula, error)) (Formula, error) {
	f := Formula{Op: op}
	for _, n := range nodes {
		sub, err := read(n)
		if err != nil {
			return f, err
		}
		f.Sub = append(f.Sub, sub)
	}
	return f, nil
}

func (p *parser) fixed(op Op, n node, want int, read func(node) (Formula, error)) (Formula, error) {
	if len(n.kids) != want+1 {
		return Formula{}, p.errorf(n, "%s takes %d argument(s), not %d", n.kids[0].atom, want, len(n.kids)-1)
	}
	return p.nary(op, n.kids[1:], read)
}

// quantified reads a formula that holds for some or all objects of its variables.
func (p *parser) quantified(op Op, n node, read func(node) (Formula, error)) (Formula, error) {
	if len(n.kids) != 3 || !n.kids[1].list {
		return Formula{}, p.errorf(n, "want (%s (VARIABLE…) …)", n.kids[0].atom)
	}
	vars, err := p.declare(n.kids[1].kids, p.checkQuantified)
	if err != nil {
		return Formula{}, err
	}
	sub, err := read(n.kids[2])
	p.release(vars)
	return Formula{Op: op, Vars: vars, Sub: []Formula{sub}}, err
}
