package planning

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"heldout/envs/sharedtest"
)

// facts lists everything that holds in a state, sorted, without parentheses.
func facts(t *Task, s State) []string {
	var out []string
	for i, a := range t.Facts {
		if s.Contains(i) {
			out = append(out, strings.Trim(a.String(), "()"))
		}
	}
	for _, a := range t.Constant {
		out = append(out, strings.Trim(a.String(), "()"))
	}
	slices.Sort(out)
	return out
}

// applicable names the operators that can be applied in a state.
func applicable(t *Task, s State) []string {
	var out []string
	for i := range t.Operators {
		if op := &t.Operators[i]; s.Satisfies(op.Precondition) {
			out = append(out, strings.Trim(t.Name(op), "()"))
		}
	}
	return slices.Compact(out)
}

// do applies the operator of that name and fails the test if it cannot.
func do(t *testing.T, task *Task, s State, name string) State {
	t.Helper()
	for i := range task.Operators {
		if op := &task.Operators[i]; task.Name(op) == "("+name+")" && s.Satisfies(op.Precondition) {
			next := slices.Clone(s)
			task.Apply(op, s, next)
			return next
		}
	}
	t.Fatalf("cannot do %s; can do %q", name, applicable(task, s))
	return nil
}

// wrap writes a domain and a problem with objects a, b and c of type thing and k of type other, in which an action
// "do" has the given precondition and effect. The predicates p and q can change; s and r cannot, as long as no
// effect names them.
func wrap(precondition, effect, init, goal string) (domain, problem string) {
	return `(define (domain d) (:types thing other)
			(:predicates (p ?x) (q ?x) (two ?x ?y) (s ?x) (r ?x ?y) (tri ?x ?y ?z) (flag))
			(:action do :parameters (?x - thing) :precondition ` + precondition + ` :effect ` + effect + `)
			(:action p+ :parameters (?x - thing) :precondition (s k) :effect (p ?x))
			(:action p- :parameters (?x - thing) :precondition (s k) :effect (not (p ?x))))`,
		`(define (problem x) (:domain d) (:objects a b c - thing k - other) (:init (s k) ` + init + `) (:goal ` +
			goal + `))`
}

// Every case tells for which things x the precondition holds in the initial
// state. TestTaskEqualsNaive has the combinations.
func TestPreconditions(t *testing.T) {
	const init = "(p a) (p b) (r a b) (r b c) (r c c) (s a) (tri b b b) (tri b c c) (tri a b c) (tri k a k)"
	for _, tt := range sharedtest.Cases[struct{ Precondition, Want string }](t, "preconditions.yaml") {
		task := mustGround(t, first(wrap(tt.Precondition, "(q ?x)", init, "()")),
			second(wrap(tt.Precondition, "(q ?x)", init, "()")))
		var want []string
		for _, x := range strings.Fields(tt.Want) {
			want = append(want, "do "+x)
		}
		var got []string
		for _, name := range applicable(task, task.Init) {
			if strings.HasPrefix(name, "do ") {
				got = append(got, name)
			}
		}
		sharedtest.Same(t, got, want, tt.Precondition)
		// The same condition as a goal, about one thing.
		for _, x := range []string{"a", "b", "c"} {
			goal := strings.ReplaceAll(tt.Precondition, "?x", x)
			task := mustGround(t, first(wrap("()", "()", init, goal)), second(wrap("()", "()", init, goal)))
			sharedtest.Equal(t, task.Reached(task.Init), slices.Contains(want, "do "+x), "goal", goal, "reached")
		}
	}
}

func first(a, _ string) string  { return a }
func second(_, b string) string { return b }

// Every case does one thing to the state {p a, p b, two a b, flag}.
func TestEffects(t *testing.T) {
	const init = "(p a) (p b) (two a b) (flag) (r a b) (r a c)"
	for _, tt := range sharedtest.Cases[struct{ Effect, Want string }](t, "effects.yaml") {
		task := mustGround(t, first(wrap("()", tt.Effect, init, "()")), second(wrap("()", tt.Effect, init, "()")))
		before := facts(task, task.Init)
		after := slices.DeleteFunc(facts(task, do(t, task, task.Init, "do a")), func(f string) bool {
			return f[0] == 'r' || f[0] == 's'
		})
		sharedtest.Equal(t, strings.Join(after, ", "), tt.Want, tt.Effect)
		sharedtest.Same(t, facts(task, task.Init), before, tt.Effect, "changed the state before")
	}
}

// corridor has rooms in a row, a door of which the key lies behind it, and a trap that nothing can come out of.
const corridor = `(define (domain corridor) (:types room)
	(:predicates (next ?a ?b - room) (in ?r - room) (locked ?r - room) (have-key) (lamp) (broken) (seen ?r - room))
	(:action go :parameters (?a ?b - room)
	  :precondition (and (in ?a) (next ?a ?b) (not (locked ?b)))
	  :effect (and (in ?b) (not (in ?a)) (seen ?b)))
	(:action unlock :parameters (?r - room)
	  :precondition (and (locked ?r) (have-key))
	  :effect (not (locked ?r)))
	(:action repair :precondition (broken) :effect (not (broken)))
	(:action fly :parameters (?a ?b - room) :precondition (and (in ?a) (next ?b ?a) (have-key)) :effect (in ?b)))`

// What cannot be reached is left out, what never changes is constant, and the
// order follows the domain and the objects.
func TestGroundedTask(t *testing.T) {
	task := mustGround(t, corridor, `(define (problem x) (:domain corridor)
		(:objects r1 r2 r3 r4 - room)
		(:init (next r3 r4) (next r2 r3) (next r1 r2) (in r1) (locked r3) (lamp) (seen r1))
		(:goal (and (in r2) (lamp) (not (have-key)))))`)
	sharedtest.Equal(t, [2]int{len(task.Facts), len(task.Operators)}, [2]int{3, 1}, "facts and operators")
	names := func(atoms []Atom) string { return fmt.Sprint(atoms) }
	if got, want := names(task.Facts), "[(in r1) (in r2) (seen r2)]"; got != want {
		t.Errorf("facts %s, want %s", got, want)
	}
	if got, want := names(task.Constant), "[(next r3 r4) (next r2 r3) (next r1 r2) (lamp) (locked r3) (seen r1)]"; got != want {
		t.Errorf("constant %s, want %s", got, want)
	}
	want := []Operator{{
		Action: &mustDomain(t, corridor).Actions[0], Args: []int32{0, 1},
		Precondition: []Literal{literal(0, false)},
		Effects:      []Effect{{Literals: []Literal{literal(1, false), literal(0, true), literal(2, false)}}},
	}}
	if diff := cmp.Diff(want, task.Operators, cmp.AllowUnexported(Domain{})); diff != "" {
		t.Error(diff)
	}
	sharedtest.Same(t, task.Goal, [][]Literal{{literal(1, false)}})
	for fact, want := range map[string]bool{
		"in r1": true, "in r2": false, "locked r3": true, "locked r4": false, "lamp": true, "next r1 r2": true,
		"next r2 r1": false, "seen r1": true, "seen r9": false, "nonsense": false,
	} {
		w := strings.Fields(fact)
		a := Atom{w[0], w[1:]}
		sharedtest.Equal(t, task.Fact(a).Holds(task.Init), want, "Holds", fact)
		if f := task.Fact(a); (f >= 0) != slices.Contains([]string{"in r1", "in r2"}, fact) {
			t.Errorf("Fact(%s) = %v", fact, f)
		}
	}
}

func TestOrder(t *testing.T) {
	task := mustGround(t, corridor, `(define (problem x) (:domain corridor)
		(:objects r2 r1 r3 - room)
		(:init (next r3 r1) (next r2 r3) (next r1 r2) (next r2 r1) (next r1 r3) (in r3) (locked r1) (locked r2) (have-key) (broken))
		(:goal ()))`)
	var names []string
	for i := range task.Operators {
		names = append(names, task.Name(&task.Operators[i]))
	}
	want := []string{"(go r2 r1)", "(go r2 r3)", "(go r1 r2)", "(go r1 r3)", "(go r3 r1)", "(unlock r2)", "(unlock r1)",
		"(repair)",
		"(fly r2 r1)", "(fly r1 r2)", "(fly r1 r3)", "(fly r3 r2)", "(fly r3 r1)"}
	sharedtest.Same(t, names, want)
	if got, want := fmt.Sprint(task.Facts), "[(in r2) (in r1) (in r3) (locked r2) (locked r1) (broken) (seen r2) (seen r1) (seen r3)]"; got != want {
		t.Errorf("facts %s, want %s", got, want)
	}
}

// An action with several ways to be possible has an operator for each way that can come about.
func TestWays(t *testing.T) {
	count := func(precondition, init string) (n int) {
		task := mustGround(t, first(wrap(precondition, "(q ?x)", init, "()")),
			second(wrap(precondition, "(q ?x)", init, "()")))
		for i := range task.Operators {
			if task.Name(&task.Operators[i]) == "(do a)" {
				n++
			}
		}
		return n
	}
	for _, tt := range sharedtest.Cases[struct {
		Precondition, Init string
		Want               int
	}](t, "ways.yaml") {
		sharedtest.Equal(t, count(tt.Precondition, tt.Init), tt.Want, tt.Precondition, "operators")
	}
}

// What effects do without a condition, or with one that static facts settle, is one effect.
func TestEffectsAreJoined(t *testing.T) {
	const effect = "(and (q ?x) (forall (?y - thing) (when (r ?x ?y) (p ?y))) (when (s k) (flag)) (when (and (s k) (flag)) (and (q a) (q b))))"
	task := mustGround(t, first(wrap("()", effect, "(r a b) (r a c)", "()")),
		second(wrap("()", effect, "(r a b) (r a c)", "()")))
	var got []string
	for _, e := range task.Operators[0].Effects {
		got = append(got, fmt.Sprint(len(e.Condition), len(e.Literals)))
	}
	sharedtest.Same(t, got, []string{"0 4", "1 2"})
}

// Goals that always hold, or never can, are told apart from others.
func TestGoals(t *testing.T) {
	for _, tt := range sharedtest.Cases[struct {
		Goal    string
		Ways    int
		Reached bool
		Steps   int // -1: cannot be reached
	}](t, "goals.yaml") {
		task := mustGround(t, first(wrap("()", "(q ?x)", "(p b)", tt.Goal)),
			second(wrap("()", "(q ?x)", "(p b)", tt.Goal)))
		if len(task.Goal) != tt.Ways || task.Reached(task.Init) != tt.Reached {
			t.Errorf("%s: %d ways, reached %v, want %d, %v", tt.Goal, len(task.Goal), task.Reached(task.Init), tt.Ways,
				tt.Reached)
		}
		plan, ok := task.Plan(task.Init)
		if ok != (tt.Steps >= 0) || ok && len(plan) != tt.Steps || ok && plan == nil || !ok && plan != nil {
			t.Errorf("%s: plan %v, %v, want %d steps", tt.Goal, plan, ok, tt.Steps)
		}
	}
}

// State bits beyond the first word.
func TestManyFacts(t *testing.T) {
	var objs, init []string
	for i := range 200 {
		objs = append(objs, fmt.Sprintf("o%d", i))
		if i%3 == 0 {
			init = append(init, fmt.Sprintf("(on o%d)", i))
		}
	}
	task := mustGround(t, `(define (domain d) (:predicates (on ?x))
		(:action flip :parameters (?x) :effect (and (when (on ?x) (not (on ?x))) (when (not (on ?x)) (on ?x)))))`,
		"(define (problem x) (:domain d) (:objects "+strings.Join(objs, " ")+") (:init "+strings.Join(init, " ")+
			") (:goal (not (on o198))))")
	if len(task.Facts) != 200 || len(task.Init) != 4 {
		t.Fatalf("%d facts in %d words", len(task.Facts), len(task.Init))
	}
	s := task.Init
	for i := range 200 {
		s = do(t, task, s, fmt.Sprintf("flip o%d", i))
	}
	for i := range 200 {
		sharedtest.Equal(t, s.Contains(i), i%3 != 0, "fact", i)
	}
	if !s.Equal(s.Clone()) || s.Equal(task.Init) {
		t.Error("Equal is wrong")
	}
	if plan, ok := task.Plan(task.Init); !ok || len(plan) != 1 || task.Name(&task.Operators[plan[0]]) != "(flip o198)" {
		t.Errorf("plan %v, %v", plan, ok)
	}
}

// Grounding what is too large ends with an error, soon and without taking the memory that the task would need.
func TestTooLarge(t *testing.T) {
	var objs []string
	for i := range 60 {
		objs = append(objs, fmt.Sprintf("o%d", i))
	}
	problem := func(goal string) string {
		return "(define (problem x) (:domain d) (:objects " + strings.Join(objs, " ") + ") (:init (s o1)) (:goal " +
			goal + "))"
	}
	domain := func(action string) string {
		return "(define (domain d) (:predicates (p ?x) (q ?x ?y) (s ?x) (t ?x)) (:action grow :parameters (?x) :effect (p ?x))" +
			"(:action do " + action + "))"
	}
	vars := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, " ?v%d", i)
		}
		return "(" + b.String() + ")"
	}
	nested := func(op, body string, n int) string {
		for i := range n {
			body = fmt.Sprintf("(%s (?n%d) %s)", op, i, body)
		}
		return body
	}
	clauses := "(and"
	for i := range 40 {
		clauses += fmt.Sprintf(" (or (p o%d) (q o%d o%d))", i, i, i)
	}
	clauses += ")"
	const q = "(q o1 o2)"
	tests := []struct{ name, domain, goal, want string }{
		{"parameters", domain(":parameters " + vars(10) + " :effect (q ?v1 ?v2)"), "()", "action do"},
		{"parameters with tests", domain(":parameters " + vars(8) +
			" :precondition (and (s ?v0) (not (= ?v1 ?v2)) (p ?v3)) :effect " + q), "()", "action do"},
		{"nothing but tests", domain(":parameters " + vars(10) +
			" :precondition (and (= ?v0 ?v9) (not (= ?v0 ?v9))) :effect " + q), "()", "action do"},
		{"exists", domain(":precondition " + nested("exists", "(p ?n1)", 6) + " :effect " + q), "()", "action do"},
		{"forall", domain(":precondition " + nested("forall", "(imply (s ?n0) (p ?n1))", 6) + " :effect " + q), "()",
			"action do"},
		{"static", domain(":effect " + q),
			nested("forall", "(or (= ?n0 ?n5) (not (= ?n5 ?n0)) (and (= ?n1 ?n2) (= ?n3 ?n4)))", 6), "the goal"},
		{"disjunctions", domain(":precondition " + clauses + " :effect " + q), "()", "action do"},
		{"disjunctions under forall", domain(":precondition (forall (?a) (or (p ?a) (q ?a ?a))) :effect " + q), "()",
			"action do"},
		{"disjunctions of disjunctions", domain(":precondition (or " + clauses + clauses + ") :effect " + q), "()",
			"action do"},
		{"conditional effects", domain(":effect " + nested("forall", "(when (p ?n0) (q ?n1 ?n2))", 6)), "()",
			"action do"},
		{"conditions of effects", domain(":effect (when " + clauses + " " + q + ")"), "()", "action do"},
		{"effects", domain(":effect " + nested("forall", "(and (p ?n0) (not (q ?n1 ?n2)))", 6)), "()", "action do"},
		{"goal", domain(":effect " + q), clauses, "the goal"},
		{"goal over everything", domain(":effect " + q), nested("forall", "(p ?n3)", 6), "the goal"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ground(mustProblem(t, tt.domain, problem(tt.goal)), 1<<20)
			if want := "grounding " + tt.want + ": the problem is too large"; err == nil || err.Error() != want {
				t.Errorf("error %v, want %s", err, want)
			}
		})
	}
	// The real bound, once.
	sharedtest.Fails(t, sharedtest.Err(Ground(mustProblem(t, tests[0].domain, problem("()")))), "", "no error")
}

// Static facts guide grounding: an action with ten parameters over sixty objects
// is no trouble where few of the bindings are possible.
func TestGuidedGrounding(t *testing.T) {
	var objs, init, pre, params []string
	for i := range 60 {
		objs = append(objs, fmt.Sprintf("o%d", i))
		init = append(init, fmt.Sprintf("(next o%d o%d)", i, (i+1)%60))
	}
	for i := range 10 {
		params = append(params, fmt.Sprintf("?v%d", (i*7+3)%10)) // in another order than the chain
		if i > 0 {
			pre = append(pre, fmt.Sprintf("(next ?v%d ?v%d)", i-1, i))
		}
	}
	task := sharedtest.Must(ground(mustProblem(t,
		"(define (domain d) (:predicates (next ?x ?y) (p ?x ?y)) (:action do :parameters ("+strings.Join(params, " ")+
			") :precondition (and (not (= ?v0 o0)) "+strings.Join(pre, " ")+") :effect (p ?v0 ?v9)))",
		"(define (problem x) (:domain d) (:objects "+strings.Join(objs, " ")+") (:init "+strings.Join(init, " ")+
			") (:goal ()))"), 1<<14))(t)
	sharedtest.Equal(t, len(task.Operators), 59, "operators")
}
