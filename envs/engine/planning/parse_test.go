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
	for _, tt := range sharedtest.Cases[struct{ Name, Text, Want string }](t, "domain-errors.yaml") {
		t.Run(tt.Name, func(t *testing.T) {
			d, err := ParseDomain("d.pddl", tt.Text)
			if err == nil {
				t.Fatal("no error")
			}
			if d != nil {
				t.Error("a domain beside the error")
			}
			sharedtest.Same(t, err.Error(), "d.pddl:"+tt.Want)
		})
	}
}

func TestProblemErrors(t *testing.T) {
	d := mustDomain(t, `(define (domain d) (:types a b) (:constants k - a) (:predicates (p ?x - a) (q ?x ?y))
		(:action do :precondition (q k ghost) :effect (p k)))`)
	for _, tt := range sharedtest.Cases[struct{ Name, Text, Want string }](t, "problem-errors.yaml") {
		t.Run(tt.Name, func(t *testing.T) {
			p, err := ParseProblem("p.pddl", tt.Text, d)
			if err == nil {
				t.Fatal("no error")
			}
			if p != nil {
				t.Error("a problem beside the error")
			}
			sharedtest.Same(t, err.Error(), "p.pddl"+tt.Want)
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
	for goal, want := range sharedtest.Table[string](t, "literals.yaml") {
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

const grip = `(define (problem p1) (:domain gripper)
 (:objects rooma roomb - room ball1 ball2 - ball left - gripper)
 (:init (at-robby rooma) (free left) (at ball1 rooma) (at ball2 roomb)) ; two balls
 (:goal (and (at ball1 roomb) (at ball2 rooma))))`

// What is written in another way is the same problem; another fact makes another one.
func TestSameness(t *testing.T) {
	same := func(text string, named ...string) string {
		t.Helper()
		s := sharedtest.Must(Sameness("p", text, named...))(t)
		sharedtest.Equal(t, len(s), 16, s)
		return s
	}
	swap := strings.NewReplacer
	want := same(grip)
	for name, text := range map[string]string{
		"case":       strings.ToUpper(grip),
		"space":      strings.Join(strings.Fields(strings.Replace(grip, "; two balls", "", 1)), " "),
		"name":       swap("p1", "other", ":domain gripper", ":domain grippers").Replace(grip),
		"facts":      swap("(at-robby rooma) (free left)", "(free left) (at-robby rooma)").Replace(grip),
		"goals":      swap("(at ball1 roomb) (at ball2 rooma)", "(at ball2 rooma) (at ball1 roomb)").Replace(grip),
		"objects":    swap("rooma roomb - room", "roomb rooma - room").Replace(grip),
		"names":      swap("rooma", "kitchen", "ball1", "b", "ball2", "ball1", "left", "hand").Replace(grip),
		"swap rooms": swap("rooma", "roomb", "roomb", "rooma").Replace(grip),
	} {
		if same(text) != want {
			t.Errorf("another %s makes another problem", name)
		}
	}
	for name, text := range map[string]string{
		"verb":  strings.Replace(grip, "(free left)", "(empty left)", 1),
		"type":  strings.Replace(grip, "- ball", "- box", 1),
		"place": strings.Replace(grip, "(at ball2 roomb))", "(at ball2 rooma))", 1),
		"goal":  strings.Replace(grip, "(at ball2 rooma))", "(at ball2 roomb))", 1),
		"more":  strings.Replace(grip, "(at-robby rooma)", "(at-robby rooma) (at-robby roomb)", 1),
		"less":  strings.Replace(grip, "(free left)", "", 1),
	} {
		if same(text) == want {
			t.Errorf("another %s makes the same problem", name)
		}
	}
	if renamed := strings.ReplaceAll(grip, "ball1", "b"); same(renamed, "ball") == same(grip, "ball") {
		t.Error("names that count do not count")
	}
	if _, err := Sameness("p", "(define", "x"); err == nil || !strings.HasPrefix(err.Error(), "p:1:8") {
		t.Error(err)
	}
}
