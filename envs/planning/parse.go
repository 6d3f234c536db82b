package planning

import "fmt"

// ParseDomain reads a domain file. The name is used in error messages, which
// give file:line:column.
func ParseDomain(file, text string) (*Domain, error) {
	p := &parser{file: file}
	sections, name, err := p.define(text, "domain")
	if err != nil {
		return nil, err
	}
	d := &Domain{Name: name, Types: map[string]string{}}
	for _, s := range sections {
		switch key := s.kids[0].atom; key {
		case ":requirements", ":functions":
			// What is required shows in what is used; costs are not counted.
		case ":types":
			err = p.types(d, s.kids[1:])
		case ":constants":
			d.Constants, err = p.typedList(s.kids[1:])
		case ":predicates":
			err = p.predicates(d, s.kids[1:])
		case ":action":
			err = p.action(d, s)
		default:
			err = p.errorf(s, "unknown section %s in a domain", key)
		}
		if err != nil {
			return nil, err
		}
	}
	return d, checkDomain(file, d)
}

// ParseProblem reads a problem file.
func ParseProblem(file, text string) (*Problem, error) {
	p := &parser{file: file}
	sections, name, err := p.define(text, "problem")
	if err != nil {
		return nil, err
	}
	pr := &Problem{Name: name, Goal: Formula{Op: OpAnd}}
	hasGoal := false
	for _, s := range sections {
		switch key := s.kids[0].atom; key {
		case ":requirements", ":metric":
		case ":domain":
			if len(s.kids) != 2 || s.kids[1].list {
				return nil, p.errorf(s, "want (:domain NAME)")
			}
			pr.Domain = s.kids[1].atom
		case ":objects":
			pr.Objects, err = p.typedList(s.kids[1:])
		case ":init":
			pr.Init, err = p.init(s.kids[1:])
		case ":goal":
			if len(s.kids) != 2 {
				return nil, p.errorf(s, "want (:goal CONDITION)")
			}
			hasGoal = true
			pr.Goal, err = p.condition(s.kids[1])
		default:
			err = p.errorf(s, "unknown section %s in a problem", key)
		}
		if err != nil {
			return nil, err
		}
	}
	if !hasGoal {
		return nil, fmt.Errorf("%s: the problem has no :goal", file)
	}
	return pr, nil
}

// parser turns S-expressions into definitions.
type parser struct {
	file string
}

func (p *parser) errorf(n node, format string, args ...any) error {
	return (&reader{file: p.file}).at(n).errorf(format, args...)
}

// define takes apart (define (KIND NAME) SECTION…) and checks that every
// section is a list that starts with a word.
func (p *parser) define(text, kind string) (sections []node, name string, err error) {
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
	for _, s := range n.kids[2:] {
		if len(s.kids) == 0 || s.kids[0].list {
			return nil, "", p.errorf(s, "want a section such as (:init …)")
		}
	}
	return n.kids[2:], head.kids[1].atom, nil
}

func (p *parser) types(d *Domain, nodes []node) error {
	list, err := p.typedList(nodes)
	if err != nil {
		return err
	}
	for _, t := range list {
		if t.Name == rootType {
			continue
		}
		if _, ok := d.Types[t.Name]; ok {
			return fmt.Errorf("%s: type %s is declared twice", p.file, t.Name)
		}
		d.Types[t.Name] = t.Type
	}
	return nil
}

// typedList reads "a b - t c d - u e"; what has no type is an object.
func (p *parser) typedList(nodes []node) ([]Object, error) {
	var out []Object
	untyped := 0
	for i := 0; i < len(nodes); i++ {
		n := nodes[i]
		switch {
		case n.list:
			return nil, p.errorf(n, "want a name, not a list")
		case n.atom != "-":
			out = append(out, Object{Name: n.atom, Type: rootType})
		case i+1 == len(nodes):
			return nil, p.errorf(n, "a type is missing after -")
		case nodes[i+1].list:
			return nil, p.errorf(nodes[i+1], "a type is one name here; (either …) is not supported")
		case untyped == len(out):
			return nil, p.errorf(n, "a name is missing before -")
		default:
			i++
			for ; untyped < len(out); untyped++ {
				out[untyped].Type = nodes[i].atom
			}
		}
	}
	return out, nil
}

func (p *parser) predicates(d *Domain, nodes []node) error {
	for _, n := range nodes {
		if len(n.kids) == 0 || n.kids[0].list {
			return p.errorf(n, "want (PREDICATE PARAMETER…)")
		}
		params, err := p.typedList(n.kids[1:])
		if err != nil {
			return err
		}
		d.Predicates = append(d.Predicates, Predicate{Name: n.kids[0].atom, Params: params})
	}
	return nil
}

func (p *parser) action(d *Domain, n node) error {
	if len(n.kids) < 2 || n.kids[1].list || len(n.kids)%2 != 0 {
		return p.errorf(n, "want (:action NAME :parameters … :precondition … :effect …)")
	}
	a := Action{Name: n.kids[1].atom, Precondition: Formula{Op: OpAnd}, Effect: Formula{Op: OpAnd}}
	for i := 2; i < len(n.kids); i += 2 {
		key, value := n.kids[i], n.kids[i+1]
		var err error
		switch key.atom {
		case ":parameters":
			a.Params, err = p.typedList(value.kids)
		case ":precondition":
			a.Precondition, err = p.condition(value)
		case ":effect":
			a.Effect, err = p.effect(value)
		default:
			err = p.errorf(key, "unknown part %s of action %s", key.atom, a.Name)
		}
		if err != nil {
			return err
		}
	}
	d.Actions = append(d.Actions, a)
	return nil
}

// init reads the facts of an initial state. Numeric assignments are passed
// over; a fact given twice counts once.
func (p *parser) init(nodes []node) ([]Atom, error) {
	var out []Atom
	seen := map[string]bool{}
	for _, n := range nodes {
		if len(n.kids) > 0 && n.kids[0].atom == "=" {
			continue
		}
		a, err := p.atom(n)
		if err != nil {
			return nil, err
		}
		if key := a.String(); !seen[key] {
			seen[key] = true
			out = append(out, a)
		}
	}
	return out, nil
}

func (p *parser) atom(n node) (Atom, error) {
	if len(n.kids) == 0 {
		return Atom{}, p.errorf(n, "want (PREDICATE ARGUMENT…)")
	}
	words := make([]string, len(n.kids))
	for i, k := range n.kids {
		if k.list {
			return Atom{}, p.errorf(k, "want a name, not a list")
		}
		words[i] = k.atom
	}
	return Atom{Predicate: words[0], Args: words[1:]}, nil
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
		a, err := p.atom(n)
		if err == nil && len(a.Args) != 2 {
			err = p.errorf(n, "want (= TERM TERM)")
		}
		return Formula{Op: OpEqual, Atom: a}, err
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

func (p *parser) quantified(op Op, n node, read func(node) (Formula, error)) (Formula, error) {
	if len(n.kids) != 3 || !n.kids[1].list {
		return Formula{}, p.errorf(n, "want (%s (VARIABLE…) …)", n.kids[0].atom)
	}
	vars, err := p.typedList(n.kids[1].kids)
	if err != nil {
		return Formula{}, err
	}
	sub, err := read(n.kids[2])
	return Formula{Op: op, Vars: vars, Sub: []Formula{sub}}, err
}
