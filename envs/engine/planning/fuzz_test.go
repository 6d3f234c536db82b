package planning

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// seeds are small domains and problems with everything in them.
var seeds = []struct{ domain, problem string }{
	{
		"(define (domain d) (:predicates (p) (q ?x)) (:action a :parameters (?x) :precondition (not (q ?x)) :effect " +
			"(and (q ?x) (not (p)))))",
		"(define (problem x) (:domain d) (:objects o k) (:init (p)) (:goal (and (q o) (q k))))",
	},
	{
		"(define (domain d) (:types u - t t) (:constants k - u) (:predicates (q ?x - t) (r ?x ?y)) (:action a " +
			":parameters (?x - t) :precondition (or (exists (?y - u) (r ?x ?y)) (= ?x k)) :effect (forall (?y) (when " +
			"(r ?x ?y) (q ?y)))))",
		"(define (problem x) (:domain d) (:objects o - t) (:init (r o k) (= (c) 1)) (:goal (forall (?x) (imply (r o " +
			"?x) (q ?x)))))",
	},
	{
		"(define (domain d) (:functions (c)) (:predicates (p ?x ?y)) (:action a :parameters (?x?y ?z) :precondition " +
			"(and (p ?x ?y) (p ?y ?y)) :effect (and (p ?z ?x) (increase (c) 1))))",
		"(define (problem x) (:domain d) (:objects a b) (:init (p a b) (p b b)) (:goal (or (not (p a b)) (p b a))) " +
			"(:metric minimize (c)))",
	},
}

func FuzzParseDomain(f *testing.F) {
	for _, s := range seeds {
		f.Add(s.domain)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := ParseDomain("d", text)
		if (err == nil) != (d != nil) {
			t.Fatalf("domain %v, error %v", d, err)
		}
		if err != nil {
			return
		}
		for typ := range d.Types { // every walk up the types ends
			if !d.IsA(typ, "object") || !d.IsA(typ, typ) {
				t.Errorf("type %s is no object", typ)
			}
		}
	})
}

func FuzzParseProblem(f *testing.F) {
	for _, s := range seeds {
		f.Add(s.problem)
	}
	domain := mustDomain(f, seeds[1].domain)
	f.Fuzz(func(t *testing.T, text string) {
		same, unread := Sameness("p", text)
		p, err := ParseProblem("p", text, domain)
		if (err == nil) != (p != nil) {
			t.Fatalf("problem %v, error %v", p, err)
		}
		if err != nil {
			return
		}
		if again, err := Sameness("p", text+" ; the same"); unread != nil || err != nil || again != same {
			t.Errorf("%q and %q, %v and %v", same, again, unread, err)
		}
		walk(t, p)
	})
}

func FuzzGround(f *testing.F) {
	for _, s := range seeds {
		f.Add(s.domain, s.problem)
	}
	f.Fuzz(func(t *testing.T, domain, problem string) {
		d, err := ParseDomain("d", domain)
		if err != nil {
			return
		}
		p, err := ParseProblem("p", problem, d)
		if err != nil {
			return
		}
		walk(t, p)
	})
}

// TestGarbled reads good text in which some words and parentheses went missing,
// were doubled or exchanged: that must give an error or a problem that works.
func TestGarbled(t *testing.T) {
	word := regexp.MustCompile(`[()]|[^\s()]+`)
	parsed := 0
	forSketches(t, func(k *sketch) {
		domain, problem := k.text()
		garble := func(text string) string {
			words := word.FindAllString(text, -1)
			for range k.draw("changes", 0, 3) {
				at := k.draw("at", 0, len(words)-1)
				switch k.draw("change", 0, 2) {
				case 0:
					words = slices.Delete(words, at, at+1)
				case 1:
					words = slices.Insert(words, at, words[at])
				default:
					words[at] = words[k.draw("other", 0, len(words)-1)]
				}
			}
			return strings.Join(words, " ")
		}
		d, err := ParseDomain("d", garble(domain))
		if err != nil {
			return
		}
		p, err := ParseProblem("p", garble(problem), d)
		if err != nil {
			return
		}
		parsed++
		walk(k.t, p)
	})
	t.Logf("%d could be read", parsed)
}

// walk grounds a problem, takes some steps in it and looks for a plan, all
// within small bounds.
func walk(t rapid.TB, p *Problem) {
	task, err := ground(p, 1<<16)
	if err != nil {
		return
	}
	s := task.Init.Clone()
	for range 10 {
		next := s.Clone()
		for i := range task.Operators {
			if op := &task.Operators[i]; s.Satisfies(op.Precondition) {
				task.Apply(op, s, next)
				if !next.Equal(s) {
					break
				}
			}
		}
		s = next
	}
	plan, ok := task.plan(s, 1<<16)
	if !ok {
		return
	}
	for _, op := range plan {
		if !s.Satisfies(task.Operators[op].Precondition) {
			t.Fatalf("plan %v cannot be carried out", plan)
		}
		s = task.follow(s, []int{op})
	}
	if !task.Reached(s) {
		t.Fatalf("plan %v does not reach the goal", plan)
	}
}
