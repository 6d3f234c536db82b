package planning

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"heldout/envs/sharedtest"
)

// TestMain asks for more random problems than rapid would, for they are small.
func TestMain(m *testing.M) {
	checks := 60
	if sharedtest.Long() {
		checks = 1000
	}
	if err := flag.Set("rapid.checks", strconv.Itoa(checks)); err != nil {
		panic(err)
	}
	m.Run()
}

// naive is a state held as a set of facts, and the plainest reading of PDDL that there is: it evaluates what the
// files say by trying every object for every variable. What the Task says is compared with it.
type naive struct {
	p     *Problem
	facts map[string]bool
}

func newNaive(p *Problem) naive {
	n := naive{p, map[string]bool{}}
	for _, a := range p.Init {
		n.facts[a.String()] = true
	}
	return n
}

// bindings calls visit with every extension of env to the variables.
func (n naive) bindings(vars []Object, env map[string]string, visit func(map[string]string)) {
	if len(vars) == 0 {
		visit(env)
		return
	}
	for _, o := range n.p.Objects {
		above := o.Type
		for above != vars[0].Type && above != "object" {
			above = n.p.Domain.Types[above]
		}
		if above != vars[0].Type {
			continue
		}
		inner := maps.Clone(env)
		inner[vars[0].Name] = o.Name
		n.bindings(vars[1:], inner, visit)
	}
}

func bind(a Atom, env map[string]string) Atom {
	out := Atom{Predicate: a.Predicate}
	for _, t := range a.Args {
		if v, ok := env[t]; ok {
			t = v
		}
		out.Args = append(out.Args, t)
	}
	return out
}

func (n naive) holds(f Formula, env map[string]string) bool {
	some, every := false, true
	switch f.Op {
	case OpAtom:
		return n.facts[bind(f.Atom, env).String()]
	case OpEqual:
		a := bind(f.Atom, env)
		return a.Args[0] == a.Args[1]
	case OpNot:
		return !n.holds(f.Sub[0], env)
	case OpAnd, OpOr:
		for _, s := range f.Sub {
			h := n.holds(s, env)
			some, every = some || h, every && h
		}
	case OpExists, OpForall:
		n.bindings(f.Vars, env, func(env map[string]string) {
			h := n.holds(f.Sub[0], env)
			some, every = some || h, every && h
		})
	default:
		panic(f.Op)
	}
	if f.Op == OpAnd || f.Op == OpForall {
		return every
	}
	return some
}

// after returns the state that an effect leads to.
func (n naive) after(f Formula, env map[string]string) naive {
	added, deleted := map[string]bool{}, map[string]bool{}
	var collect func(f Formula, env map[string]string)
	collect = func(f Formula, env map[string]string) {
		switch f.Op {
		case OpAtom:
			added[bind(f.Atom, env).String()] = true
		case OpNot:
			deleted[bind(f.Sub[0].Atom, env).String()] = true
		case OpAnd:
			for _, s := range f.Sub {
				collect(s, env)
			}
		case OpForall:
			n.bindings(f.Vars, env, func(env map[string]string) { collect(f.Sub[0], env) })
		case OpWhen:
			if n.holds(f.Sub[0], env) {
				collect(f.Sub[1], env)
			}
		default:
			panic(f.Op)
		}
	}
	collect(f, env)
	next := naive{n.p, maps.Clone(n.facts)}
	for a := range deleted {
		delete(next.facts, a)
	}
	maps.Copy(next.facts, added)
	return next
}

// moves returns the states that actions lead to, by their names.
func (n naive) moves() map[string]naive {
	out := map[string]naive{}
	for _, a := range n.p.Domain.Actions {
		n.bindings(a.Params, map[string]string{}, func(env map[string]string) {
			if n.holds(a.Precondition, env) {
				name := Atom{Predicate: a.Name}
				for _, p := range a.Params {
					name.Args = append(name.Args, env[p.Name])
				}
				out[name.String()] = n.after(a.Effect, env)
			}
		})
	}
	return out
}

func (n naive) reached() bool { return n.holds(n.p.Goal, map[string]string{}) }

// key names the state.
func (n naive) key() string { return strings.Join(slices.Sorted(maps.Keys(n.facts)), " ") }

// search looks at all states that can be reached, if they are at most limit, and
// returns the length of a shortest plan, or -1 if there is none.
func (n naive) search(limit int) (steps int, ok bool) {
	seen := map[string]bool{n.key(): true}
	for layer := []naive{n}; len(layer) > 0; steps++ {
		var next []naive
		for _, s := range layer {
			if s.reached() {
				return steps, true
			}
			for _, m := range s.moves() {
				if k := m.key(); !seen[k] {
					seen[k] = true
					next = append(next, m)
				}
			}
			if len(seen) > limit {
				return 0, false
			}
		}
		layer = next
	}
	return -1, true
}

// sketch writes a small random domain and a problem of it.
type sketch struct {
	t     rapid.TB
	draw  func(label string, from, to int) int
	fixed int // number of the predicates, from the last, that no effect names
}

// drawn has rapid draw the sketch, which makes what fails small; seeded draws
// evenly, which makes more of what is drawn difficult.
func drawn(t *rapid.T) *sketch {
	return &sketch{t: t, draw: func(label string, from, to int) int { return rapid.IntRange(from, to).Draw(t, label) }}
}

func seeded(t *testing.T, seed uint64) *sketch {
	rng := rand.New(rand.NewPCG(seed, 0))
	return &sketch{t: t, draw: func(_ string, from, to int) int { return from + rng.IntN(to-from+1) }}
}

// forSketches runs a property on sketches of both kinds.
func forSketches(t *testing.T, property func(*sketch)) {
	rapid.Check(t, func(rt *rapid.T) { property(drawn(rt)) })
	for seed := range uint64(sharedtest.Times(t, 200, 20, 1000)) {
		property(seeded(t, seed))
		if t.Failed() {
			t.Fatalf("that was seed %d", seed)
		}
	}
}

var (
	sketchTypes      = []string{"object", "t1", "t2", "t3"}
	sketchPredicates = []string{"z", "u", "v", "w", "b", "c", "d"} // arities as in sketchArity
	sketchArity      = []int{0, 1, 1, 1, 2, 2, 3}
)

func (k *sketch) pick(label string, from []string) string {
	return from[k.draw(label, 0, len(from)-1)]
}

// text draws a domain and a problem.
func (k *sketch) text() (domain, problem string) {
	k.fixed = k.draw("fixed", 0, len(sketchPredicates)-1)
	var d strings.Builder
	d.WriteString(
		"(define (domain random) (:types t2 - t1 t1 t3)\n(:constants o0 - t1)\n(:predicates (z) (u ?x) (v ?x - t1) " +
			"(w ?x) (b ?x ?y) (c ?x ?y) (d ?x ?y ?z))\n")
	for i := range k.draw("actions", 1, 3) {
		var params string
		var vars []string
		for j := range k.draw("parameters", 0, 3) {
			v := fmt.Sprintf("?p%d", j)
			vars = append(vars, v)
			params += " " + v + " - " + k.pick("type", sketchTypes)
		}
		fmt.Fprintf(&d, "(:action a%d :parameters (%s)\n :precondition %s\n :effect %s)\n", i, params,
			k.condition(vars, 3), k.effect(vars, 2))
	}
	d.WriteString(")")
	objs := []string{"o0"}
	var decl, init string
	for i := range k.draw("objects", 1, 4) {
		o := fmt.Sprintf("o%d", i+1)
		objs = append(objs, o)
		decl += " " + o + " - " + k.pick("type", sketchTypes)
	}
	for range k.draw("facts", 0, 8) {
		init += " " + k.atom(objs, 0)
	}
	return d.String(), fmt.Sprintf("(define (problem random) (:domain random)\n(:objects%s)\n(:init%s)\n(:goal %s))",
		decl, init, k.condition(objs, 2))
}

// atom draws an atom of a predicate but for the last ones.
func (k *sketch) atom(terms []string, without int) string {
	i := k.draw("predicate", 0, len(sketchPredicates)-1-without)
	if len(terms) == 0 {
		terms = []string{"o0"}
	}
	words := []string{sketchPredicates[i]}
	for range sketchArity[i] {
		words = append(words, k.pick("term", terms))
	}
	return "(" + strings.Join(words, " ") + ")"
}

func (k *sketch) condition(terms []string, depth int) string {
	ops := []string{"atom", "not atom", "=", "()"}
	if depth > 0 {
		ops = append(ops, "and", "or", "and", "or", "not", "imply", "exists", "forall", "exists", "forall")
	}
	switch op := k.pick("condition", ops); op {
	case "atom":
		return k.atom(terms, 0)
	case "not atom":
		return "(not " + k.atom(terms, 0) + ")"
	case "=":
		return "(= " + k.pick("term", append(terms, "o0")) + " " + k.pick("term", append(terms, "o0")) + ")"
	case "not":
		return "(not " + k.condition(terms, depth-1) + ")"
	case "imply":
		return "(imply " + k.condition(terms, depth-1) + " " + k.condition(terms, depth-1) + ")"
	case "exists", "forall":
		vars, inner := k.variables(terms, depth)
		return "(" + op + " (" + vars + ") " + k.condition(inner, depth-1) + ")"
	case "and", "or":
		out := "(" + op
		for range k.draw("parts", 0, 3) {
			out += " " + k.condition(terms, depth-1)
		}
		return out + ")"
	default:
		return "()"
	}
}

func (k *sketch) effect(terms []string, depth int) string {
	ops := []string{"atom", "atom", "not", "not"}
	if depth > 0 {
		ops = append(ops, "and", "and", "and", "when", "forall")
	}
	switch op := k.pick("effect", ops); op {
	case "atom":
		return k.atom(terms, k.fixed)
	case "not":
		return "(not " + k.atom(terms, k.fixed) + ")"
	case "when":
		return "(when " + k.condition(terms, 1) + " " + k.effect(terms, depth-1) + ")"
	case "forall":
		vars, inner := k.variables(terms, depth+5)
		return "(forall (" + vars + ") " + k.effect(inner, depth-1) + ")"
	default:
		out := "(and"
		for range k.draw("parts", 0, 3) {
			out += " " + k.effect(terms, depth-1)
		}
		return out + ")"
	}
}

// variables draws one or two quantified variables, with names of their own.
func (k *sketch) variables(terms []string, depth int) (decl string, inner []string) {
	inner = slices.Clone(terms)
	for i := range k.draw("variables", 1, 2) {
		v := fmt.Sprintf("?q%d%d", depth, i)
		inner = append(inner, v)
		decl += v + " - " + k.pick("type", sketchTypes) + " "
	}
	return decl, inner
}

// problem draws a problem with its ground task, nil if that is too large.
func (k *sketch) problem() (*Problem, *Task) {
	domain, problem := k.text()
	d, err := ParseDomain("d", domain)
	if err != nil {
		k.t.Fatalf("%v\n%s", err, domain)
	}
	p, err := ParseProblem("p", problem, d)
	if err != nil {
		k.t.Fatalf("%v\n%s\n%s", err, domain, problem)
	}
	task, err := ground(p, 1<<18)
	if err != nil {
		return nil, nil // too large
	}
	return p, task
}

// goalAhead draws a goal that a walk leads to.
func (k *sketch) goalAhead(p *Problem) Formula {
	start := newNaive(p)
	now := start
	for range k.draw("walk", 1, 8) {
		moves := now.moves()
		if len(moves) == 0 {
			break
		}
		now = moves[k.pick("move", slices.Sorted(maps.Keys(moves)))]
	}
	var changed []Formula
	for _, a := range everyAtom(p) {
		f := Formula{Op: OpAtom, Atom: a}
		if now.facts[a.String()] == start.facts[a.String()] {
			continue
		}
		if start.facts[a.String()] {
			f = Formula{Op: OpNot, Sub: []Formula{f}}
		}
		changed = append(changed, f)
	}
	return Formula{Op: OpAnd, Sub: changed[:min(len(changed), k.draw("goals", 1, 4))]}
}

// everyAtom lists all atoms over the objects of a problem.
func everyAtom(p *Problem) []Atom {
	var out []Atom
	for _, pr := range p.Domain.Predicates {
		atoms := []Atom{{Predicate: pr.Name}}
		for range pr.Params {
			var longer []Atom
			for _, a := range atoms {
				for _, o := range p.Objects {
					longer = append(longer, Atom{a.Predicate, append(slices.Clone(a.Args), o.Name)})
				}
			}
			atoms = longer
		}
		out = append(out, atoms...)
	}
	return out
}

// Whatever the problem, the ground task and the plain reading of the files agree about what holds, what can be
// done, what comes of it and whether the goal is reached.
func TestTaskEqualsNaive(t *testing.T) { forSketches(t, taskEqualsNaive) }

// FuzzTaskEqualsNaive lets the fuzzer choose the problem.
func FuzzTaskEqualsNaive(f *testing.F) {
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) { taskEqualsNaive(drawn(t)) }))
}

func taskEqualsNaive(k *sketch) {
	p, task := k.problem()
	if task == nil {
		return
	}
	atoms := everyAtom(p)
	checkOrder(k.t, p, task)
	now, s := newNaive(p), task.Init.Clone()
	for range 6 {
		for _, a := range atoms {
			if task.Fact(a).Holds(s) != now.facts[a.String()] {
				k.t.Fatalf("%s: %v", a, task.Fact(a).Holds(s))
			}
		}
		if task.Reached(s) != now.reached() {
			k.t.Fatalf("the goal is reached: %v", task.Reached(s))
		}
		moves := now.moves()
		got := map[string]State{}
		for i := range task.Operators {
			op := &task.Operators[i]
			if !s.Satisfies(op.Precondition) {
				continue
			}
			next := make(State, len(s))
			task.Apply(op, s, next)
			name := task.Name(op)
			if before, ok := got[name]; ok && !before.Equal(next) {
				k.t.Fatalf("%s leads to two states", name)
			}
			got[name] = next
		}
		for name := range moves {
			if _, ok := got[name]; !ok {
				k.t.Fatalf("%s is missing", name)
			}
		}
		names := slices.Sorted(maps.Keys(got))
		for _, name := range names {
			next, ok := moves[name]
			if !ok {
				k.t.Fatalf("%s cannot be done", name)
			}
			for _, a := range atoms {
				if task.Fact(a).Holds(got[name]) != next.facts[a.String()] {
					k.t.Fatalf("%s after %s: %v", a, name, task.Fact(a).Holds(got[name]))
				}
			}
		}
		if len(names) == 0 {
			break
		}
		name := k.pick("move", names)
		now, s = moves[name], got[name]
	}
}

// checkOrder checks the documented order of facts and operators, and that operators hold nothing useless.
func checkOrder(t rapid.TB, p *Problem, task *Task) {
	predicate := func(a Atom) (n []int) {
		n = append(n, slices.IndexFunc(p.Domain.Predicates, func(pr Predicate) bool { return pr.Name == a.Predicate }))
		for _, arg := range a.Args {
			n = append(n, slices.IndexFunc(p.Objects, func(o Object) bool { return o.Name == arg }))
		}
		return n
	}
	for i := 1; i < len(task.Facts); i++ {
		if slices.Compare(predicate(task.Facts[i-1]), predicate(task.Facts[i])) >= 0 {
			t.Fatalf("fact %s stands before %s", task.Facts[i-1], task.Facts[i])
		}
	}
	operator := func(op *Operator) []int32 {
		return append([]int32{int32(slices.IndexFunc(p.Domain.Actions, func(a Action) bool {
			return a.Name == op.Action.Name
		}))}, op.Args...)
	}
	for i := 1; i < len(task.Operators); i++ {
		if a, b := &task.Operators[i-1], &task.Operators[i]; slices.Compare(operator(a), operator(b)) > 0 {
			t.Fatalf("operator %s stands before %s", task.Name(a), task.Name(b))
		}
	}
	for i := range task.Operators {
		op := &task.Operators[i]
		for _, ls := range append([][]Literal{op.Precondition}, whens(op)...) {
			if seen := slices.Sorted(slices.Values(ls)); len(slices.Compact(seen)) != len(ls) {
				t.Fatalf("operator %s asks twice for one thing: %v", task.Name(op), ls)
			}
		}
		for _, e := range op.Effects {
			if len(e.Literals) == 0 {
				t.Fatalf("operator %s has an effect that does nothing", task.Name(op))
			}
		}
	}
}

func whens(op *Operator) (out [][]Literal) {
	for _, e := range op.Effects {
		out = append(out, e.Condition)
	}
	return out
}

// A plan can be carried out and reaches the goal; where few states can be
// reached it is a shortest one, and there is one if and only if there can be.
func TestPlanEqualsNaive(t *testing.T) {
	lengths := map[int]int{} // of plans; -1 for problems without one
	forSketches(t, func(k *sketch) {
		p, task := k.problem()
		if task == nil {
			return
		}
		if k.draw("goal ahead", 0, 1) == 1 {
			p.Goal = k.goalAhead(p)
			var err error
			if task, err = ground(p, 1<<18); err != nil {
				return
			}
		}
		lengths[planEqualsNaive(k.t, p, task)]++
	})
	t.Logf("lengths of plans: %v", lengths)
}

func planEqualsNaive(t rapid.TB, p *Problem, task *Task) (length int) {
	plan, ok := task.plan(task.Init, 1<<22)
	again, _ := task.plan(task.Init, 1<<22)
	if !slices.Equal(plan, again) {
		t.Fatalf("first %v, then %v", plan, again)
	}
	if ok != (plan != nil) {
		t.Fatalf("plan %v, ok %v", plan, ok)
	}
	if ok {
		now := newNaive(p)
		for _, op := range plan {
			next, can := now.moves()[task.Name(&task.Operators[op])]
			if !can {
				t.Fatalf("plan %v: %s cannot be done", plan, task.Name(&task.Operators[op]))
			}
			now = next
		}
		if !now.reached() {
			t.Fatalf("plan %v does not reach the goal", plan)
		}
	}
	switch steps, all := newNaive(p).search(narrowBeam); {
	case !all:
	case steps < 0 && ok:
		t.Fatalf("a plan where none can be: %v", plan)
	case steps >= 0 && len(plan) != steps:
		t.Fatalf("plan %v, want %d steps", plan, steps)
	}
	if !ok {
		return -1
	}
	return len(plan)
}
