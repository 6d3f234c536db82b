package planning

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"heldout/envs/sharedtest"
)

// mustDomain parses a domain that is expected to be good.
func mustDomain(t testing.TB, text string) *Domain {
	t.Helper()
	return sharedtest.Must(ParseDomain("domain.pddl", text))(t)
}

// mustProblem parses a problem that is expected to be good.
func mustProblem(t testing.TB, domain, text string) *Problem {
	t.Helper()
	return sharedtest.Must(ParseProblem("problem.pddl", text, mustDomain(t, domain)))(t)
}

// mustGround grounds a problem that is expected to be good.
func mustGround(t testing.TB, domain, problem string) *Task {
	t.Helper()
	return sharedtest.Must(Ground(mustProblem(t, domain, problem)))(t)
}

// harbour is a domain with nearly everything that there is.
const harbour = `; Boats carry goods between ports.
(define (domain Harbour) ; the name is in lower case afterwards
  (:requirements :adl :typing :action-costs)
  (:types boat good - thing
          port thing
          object)
  (:constants Home - port)
  (:functions (total-cost) - number (distance ?a ?b - port))
  (:predicates (at ?x - thing ?p - port) (on ?g - good ?b - boat) (closed ?p - port) (calm))
  (:action sail
    :effect (and (at ?b ?to) (not (at ?b ?from)) (increase (total-cost) (distance ?from ?to)))
    :parameters (?b - boat ?from?to - port)
    :precondition (and (at ?b ?from) (not (= ?from ?to)) (or (calm) (imply (closed ?to) (= ?to home)))))
  (:action load
    :parameters (?b - boat ?g - good)
    :precondition (exists (?p - port) (and (at ?b ?p) (at ?g ?p)))
    :effect (and (on ?g ?b) (forall (?p - port) (when (at ?g ?p) (not (at ?g ?p))))))
  (:action wait))`

func TestParseDomain(t *testing.T) {
	got := mustDomain(t, harbour)
	atom := func(words ...string) Formula {
		return Formula{Op: OpAtom, Atom: Atom{words[0], words[1:]}}
	}
	equal := func(a, b string) Formula { return Formula{Op: OpEqual, Atom: Atom{"=", []string{a, b}}} }
	not := func(f Formula) Formula { return Formula{Op: OpNot, Sub: []Formula{f}} }
	all := func(sub ...Formula) Formula { return Formula{Op: OpAnd, Sub: sub} }
	port := []Object{{"?p", "port"}}
	want := &Domain{
		Name:      "harbour",
		Types:     map[string]string{"boat": "thing", "good": "thing", "port": "object", "thing": "object"},
		Constants: []Object{{"home", "port"}},
		Predicates: []Predicate{
			{"at", []Object{{"?x", "thing"}, {"?p", "port"}}},
			{"on", []Object{{"?g", "good"}, {"?b", "boat"}}},
			{"closed", port},
			{"calm", nil},
		},
		Actions: []Action{
			{
				Name:   "sail",
				Params: []Object{{"?b", "boat"}, {"?from", "port"}, {"?to", "port"}},
				Precondition: all(atom("at", "?b", "?from"), not(equal("?from", "?to")),
					Formula{Op: OpOr, Sub: []Formula{
						atom("calm"), {Op: OpOr, Sub: []Formula{not(atom("closed", "?to")), equal("?to", "home")}}}}),
				Effect: all(atom("at", "?b", "?to"), not(atom("at", "?b", "?from")), all()),
			},
			{
				Name:   "load",
				Params: []Object{{"?b", "boat"}, {"?g", "good"}},
				Precondition: Formula{Op: OpExists, Vars: port,
					Sub: []Formula{all(atom("at", "?b", "?p"), atom("at", "?g", "?p"))}},
				Effect: all(atom("on", "?g", "?b"), Formula{Op: OpForall, Vars: port, Sub: []Formula{
					{Op: OpWhen, Sub: []Formula{atom("at", "?g", "?p"), not(atom("at", "?g", "?p"))}}}}),
			},
			{Name: "wait", Precondition: all(), Effect: all()},
		},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Domain{}), cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
}

func TestParseProblem(t *testing.T) {
	got := mustProblem(t, harbour, `(define (problem Voyage) (:domain whatever) (:requirements :adl)
		(:objects Tub - boat rum tea - good Home BAY - port Home - port)
		(:init (at TUB home);(calm)
		       (at rum bay) (at tub home) (= (total-cost) 0) (= (distance home bay) 7))
		(:goal (forall (?g - good) (at ?g home)))
		(:metric minimize (total-cost)))`)
	want := &Problem{
		Name:     "voyage",
		Domain:   got.Domain,
		Objects:  []Object{{"home", "port"}, {"tub", "boat"}, {"rum", "good"}, {"tea", "good"}, {"bay", "port"}},
		Repeated: []string{"home", "home"},
		Init:     []Atom{{"at", []string{"tub", "home"}}, {"at", []string{"rum", "bay"}}},
		Goal: Formula{Op: OpForall, Vars: []Object{{"?g", "good"}}, Sub: []Formula{
			{Op: OpAtom, Atom: Atom{"at", []string{"?g", "home"}}}}},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Domain{})); diff != "" {
		t.Error(diff)
	}
}

// The messages are what a user sees who gave a wrong file. Positions count from
// the start of the text between the quotes.
func TestDomainErrors(t *testing.T) {
	const preds = "(define (domain d) (:types a b) (:predicates (p ?x - a) (q ?x ?y))\n"
	action := func(precondition, effect string) string {
		return preds + "(:action do :parameters (?x - a)\n:precondition " + precondition + "\n:effect " + effect + "))"
	}
	tests := []struct{ name, text, want string }{
		{"empty", "", "1:1: the file ends in the middle of a definition: a closing parenthesis is missing"},
		{"only a comment", "; nothing\n",
			"2:1: the file ends in the middle of a definition: a closing parenthesis is missing"},
		{"a word", "define", "1:1: want (define (domain NAME) …)"},
		{"an empty list", "()", "1:1: want (define (domain NAME) …)"},
		{"another kind", "(define (problem x))", "1:9: want (domain NAME)"},
		{"no name", "(define (domain))", "1:9: want (domain NAME)"},
		{"a list for a name", "(define (domain (d)))", "1:9: want (domain NAME)"},
		{"unclosed", "(define (domain d)\n(:types a",
			"2:10: the file ends in the middle of a definition: a closing parenthesis is missing"},
		{"extra", "(define (domain d)))", "1:20: unexpected text after the closing parenthesis of the definition"},
		{"closing first", ")", "1:1: unexpected closing parenthesis"},
		{"text behind", "(define (domain d)) more",
			"1:21: unexpected text after the closing parenthesis of the definition"},
		{"a word for a section", "(define (domain d) types)", "1:20: want a section such as (:action …)"},
		{"an empty section", "(define (domain d) ())", "1:20: want a section such as (:action …)"},
		{"a list for a key", "(define (domain d) ((:types)))", "1:20: want a section such as (:action …)"},
		{"unknown section", "(define (domain d)\n (:derived (p) (q)))", "2:2: unknown section :derived in a domain"},
		{"section of a problem", "(define (domain d) (:init))", "1:20: unknown section :init in a domain"},
		{"section twice", "(define (domain d) (:types a)\n(:types b))", "2:1: section :types is given twice"},
		{"deep", "(define (domain d) " + strings.Repeat("(", 250), "1:220: parentheses are nested more than 200 deep"},

		{"type twice", "(define (domain d) (:types a b a))", "1:32: type a is declared twice"},
		{"unknown parent", "(define (domain d) (:types a - c))", "1:32: unknown type c"},
		{"circular", "(define (domain d) (:types a - b b - a))", "1:28: type a has itself or too many types above it"},
		{"its own parent", "(define (domain d) (:types a - a))", "1:28: type a has itself or too many types above it"},
		{"a parent for the root", "(define (domain d) (:types a object - a))",
			"1:30: type object stands above all others and has no parent"},
		{"either", "(define (domain d) (:types a b) (:constants x - (either a b)))",
			"1:49: a type is one name here; (either …) is not supported"},
		{"no type", "(define (domain d) (:types a -))", "1:30: a type is missing after -"},
		{"no name before the type", "(define (domain d) (:types - a))", "1:28: a name is missing before -"},
		{"two types", "(define (domain d) (:types a - object - object))", "1:39: a name is missing before -"},
		{"a variable for a type", "(define (domain d) (:types ?a))", "1:28: want a name"},
		{"a list for a type", "(define (domain d) (:types (a)))", "1:28: want a name, not a list"},

		{"type of a constant", "(define (domain d) (:constants x - y))", "1:36: unknown type y"},
		{"two types of a constant", "(define (domain d) (:types a b) (:constants x - a x - b))",
			"1:51: object x is declared as a and as b"},
		{"a variable for a constant", "(define (domain d) (:constants ?x))", "1:32: want a name"},

		{"predicate twice", "(define (domain d) (:predicates (p) (q) (p ?x)))", "1:41: predicate p is declared twice"},
		{"a word for a predicate", "(define (domain d) (:predicates p))", "1:33: want (PREDICATE VARIABLE…)"},
		{"a list for a predicate", "(define (domain d) (:predicates ((p))))", "1:34: want a name"},
		{"type of a predicate", "(define (domain d) (:predicates (p ?x - y)))", "1:41: unknown type y"},
		{"a name for a variable", "(define (domain d) (:predicates (p x)))", "1:36: want a variable such as ?x"},
		{"variable of a predicate twice", "(define (domain d) (:predicates (p ?x ?x)))",
			"1:39: variable ?x is declared twice"},

		{"action without a name", preds + "(:action))",
			"2:1: want (:action NAME :parameters … :precondition … :effect …)"},
		{"a list for an action", preds + "(:action (x)))", "2:10: want a name"},
		{"half a part", preds + "(:action x :parameters))",
			"2:1: want (:action NAME :parameters … :precondition … :effect …)"},
		{"unknown part", preds + "(:action x :duration 1))", "2:12: unknown part :duration of action x"},
		{"part twice", preds + "(:action x :effect () :effect ()))", "2:23: part :effect of action x is given twice"},
		{"action twice", preds + "(:action x) (:action x))", "2:13: action x is defined twice"},
		{"a word for parameters", preds + "(:action x :parameters ?x))", "2:24: want (VARIABLE…)"},
		{"a name for a parameter", preds + "(:action x :parameters (x)))", "2:25: want a variable such as ?x"},
		{"parameter twice", preds + "(:action x :parameters (?x ?y ?x)))", "2:31: variable ?x is declared twice"},
		{"type of a parameter", preds + "(:action x :parameters (?x - c)))", "2:30: unknown type c"},
		{"a comma after a type", preds + "(:action x :parameters (?x - a, ?y - b)))", "2:30: unknown type a,"},

		{"unknown predicate", action("(and (p ?x) (r ?x))", "()"), "3:27: unknown predicate r"},
		{"too few arguments", action("(p)", "()"), "3:15: predicate p takes 1 argument(s), not 0"},
		{"too many arguments", action("(p ?x ?x)", "()"), "3:15: predicate p takes 1 argument(s), not 2"},
		{"unknown variable", action("(q ?x ?y)", "()"), "3:21: unknown variable ?y"},
		{"out of scope", action("(or (exists (?y) (q ?x ?y)) (p ?y))", "()"), "3:46: unknown variable ?y"},
		{"a list for an argument", action("(p (p ?x))", "()"), "3:18: want a name, not a list"},
		{"a word for a condition", action("p", "()"), "3:15: want a condition"},
		{"a list for a predicate in a condition", action("((p ?x))", "()"), "3:15: want a condition"},
		{"not of two", action("(not (p ?x) (p ?x))", "()"), "3:15: not takes 1 argument(s), not 2"},
		{"imply of one", action("(imply (p ?x))", "()"), "3:15: imply takes 2 argument(s), not 1"},
		{"equality of one", action("(= ?x)", "()"), "3:15: want (= TERM TERM)"},
		{"equality of lists", action("(= ?x (q))", "()"), "3:21: want a name, not a list"},
		{"quantifier without a body", action("(exists (?y))", "()"), "3:15: want (exists (VARIABLE…) …)"},
		{"quantifier without variables", action("(forall ?y (p ?y))", "()"), "3:15: want (forall (VARIABLE…) …)"},
		{"quantified again", action("(exists (?x) (p ?x))", "()"), "3:24: variable ?x is declared twice"},
		{"type of a quantified variable", action("(exists (?y - c) (p ?y))", "()"), "3:29: unknown type c"},
		{"a problem in an inner part", action("(forall (?y) (not (or (p ?y) (r))))", "()"),
			"3:44: unknown predicate r"},

		{"a word for an effect", action("()", "p"), "4:9: want an effect"},
		{"not of not", action("()", "(not (not (p ?x)))"), "4:9: an effect can only take back a single fact"},
		{"not of and", action("()", "(not (and (p ?x) (q ?x ?x)))"), "4:9: an effect can only take back a single fact"},
		{"or in an effect", action("()", "(or (p ?x) (q ?x ?x))"), "4:9: or cannot stand in an effect"},
		{"exists in an effect", action("()", "(and (exists (?y) (p ?y)))"), "4:14: exists cannot stand in an effect"},
		{"equality in an effect", action("()", "(= ?x ?x)"), "4:9: = cannot stand in an effect"},
		{"when of one", action("()", "(when (p ?x))"), "4:9: want (when CONDITION EFFECT)"},
		{"when with an effect for a condition", action("()", "(when (when (p ?x) (p ?x)) (p ?x))"),
			"4:15: unknown predicate when"},
		{"when in a condition", action("(when (p ?x) (p ?x))", "()"), "3:15: unknown predicate when"},
		{"unknown predicate in an effect", action("()", "(forall (?y) (when (p ?y) (r)))"),
			"4:35: unknown predicate r"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, err := ParseDomain("d.pddl", tt.text)
			if err == nil {
				t.Fatal("no error")
			}
			if d != nil {
				t.Error("a domain beside the error")
			}
			sharedtest.Same(t, err.Error(), "d.pddl:"+tt.want)
		})
	}
}

func TestProblemErrors(t *testing.T) {
	d := mustDomain(t, `(define (domain d) (:types a b) (:constants k - a) (:predicates (p ?x - a) (q ?x ?y))
		(:action do :precondition (q k ghost) :effect (p k)))`)
	const start = "(define (problem x) (:domain d)\n"
	tests := []struct{ name, text, want string }{
		{"a domain", "(define (domain x))", ":1:9: want (problem NAME)"},
		{"no goal", start + "(:objects ghost))", ": the problem has no :goal"},
		{"empty goal", start + "(:objects ghost) (:goal))", ":2:18: want (:goal CONDITION)"},
		{"two conditions", start + "(:objects ghost) (:goal (p k) (p k)))", ":2:18: want (:goal CONDITION)"},
		{"goal twice", start + "(:goal ()) (:goal ()))", ":2:12: section :goal is given twice"},
		{"objects twice", start + "(:objects ghost) (:objects o) (:goal ()))",
			":2:18: section :objects is given twice"},
		{"unknown section", start + "(:constraints))", ":2:1: unknown section :constraints in a problem"},
		{"object of another type than a constant", start + "(:objects ghost - b k - b) (:goal ()))",
			":2:21: object k is declared as a and as b"},
		{"unknown type", start + "(:objects ghost - c) (:goal ()))", ":2:19: unknown type c"},
		{"a variable for an object", start + "(:objects ?x) (:goal ()))", ":2:11: want a name"},
		{"an object of the domain", start + "(:objects o) (:goal ()))",
			": object ghost is not declared; domain.pddl:2:34 names it"},
		{"unknown object", start + "(:objects ghost)\n(:init (p k)\n(p o)) (:goal ()))", ":4:4: unknown object o"},
		{"unknown predicate", start + "(:objects ghost) (:init (r k)) (:goal ()))", ":2:25: unknown predicate r"},
		{"arity", start + "(:objects ghost) (:init (q k)) (:goal ()))",
			":2:25: predicate q takes 2 argument(s), not 1"},
		{"a variable in a fact", start + "(:objects ghost) (:init (p ?x)) (:goal ()))", ":2:28: unknown variable ?x"},
		{"a negative fact", start + "(:objects ghost) (:init (not (p k))) (:goal ()))", ":2:25: unknown predicate not"},
		{"a word for a fact", start + "(:objects ghost) (:init p) (:goal ()))", ":2:25: want (PREDICATE ARGUMENT…)"},
		{"an empty fact", start + "(:objects ghost) (:init ()) (:goal ()))", ":2:25: want (PREDICATE ARGUMENT…)"},
		{"unknown object in the goal", start + "(:objects ghost) (:goal (exists (?x) (q ?x o))))",
			":2:44: unknown object o"},
		{"unknown variable in the goal", start + "(:objects ghost) (:goal (q ?x ?x)))", ":2:28: unknown variable ?x"},
		{"unknown object in an equality", start + "(:objects ghost) (:goal (= k o)))", ":2:30: unknown object o"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := ParseProblem("p.pddl", tt.text, d)
			if err == nil {
				t.Fatal("no error")
			}
			if p != nil {
				t.Error("a problem beside the error")
			}
			sharedtest.Same(t, err.Error(), "p.pddl"+tt.want)
		})
	}
}

// A chain of types is legal, but not one without end.
func TestDeepTypes(t *testing.T) {
	chain := func(n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(" t" + strings.Repeat("x", i) + " - t" + strings.Repeat("x", i+1))
		}
		return "(define (domain d) (:types" + b.String() + " t" + strings.Repeat("x", n) + "))"
	}
	d := mustDomain(t, chain(100))
	if !d.IsA("t", "t"+strings.Repeat("x", 100)) || !d.IsA("t", "object") || d.IsA("tx", "t") || d.IsA("object", "t") ||
		d.IsA("none", "t") {
		t.Error("IsA is wrong")
	}
	sharedtest.Fails(t, sharedtest.Err(ParseDomain("d", chain(300))), "",
		"300 types one above the other were accepted")
}

func TestIsA(t *testing.T) {
	d := mustDomain(t, harbour)
	for _, tt := range []struct {
		typ, super string
		want       bool
	}{
		{"boat", "boat", true}, {"boat", "thing", true}, {"boat", "object", true}, {"object", "object", true},
		{"thing", "boat", false}, {"boat", "good", false}, {"object", "boat", false}, {"nothing", "boat", false},
	} {
		sharedtest.Equal(t, d.IsA(tt.typ, tt.super), tt.want, "IsA", tt.typ, tt.super)
	}
}

func TestLiterals(t *testing.T) {
	const domain = "(define (domain d) (:predicates (p) (q ?x)))"
	for goal, want := range map[string]string{
		"()":                             "",
		"(p)":                            "(p)",
		"(and (q o) (and (p)) () (q o))": "(q o) (p) (q o)",
		"(not (p))":                      "none",
		"(and (p) (not (p)))":            "none",
		"(or (p))":                       "none",
		"(exists (?x) (q ?x))":           "none",
		"(and (p) (forall (?x) (q ?x)))": "none",
		"(= o o)":                        "none",
	} {
		p := mustProblem(t, domain, "(define (problem x) (:domain d) (:objects o) (:goal "+goal+"))")
		got := "none"
		if atoms, ok := p.Goal.Literals(); ok {
			var words []string
			for _, a := range atoms {
				words = append(words, a.String())
			}
			got = strings.Join(words, " ")
		}
		sharedtest.Equal(t, got, want, "literals of", goal)
	}
}
