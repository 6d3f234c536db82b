package planning

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"heldout/envs/sharedtest"
)

// carry is a game in which a robot with one hand brings things from room a to
// room b, one way only if the door closes behind it.
const carry = `(define (domain carry)
	(:predicates (at ?x ?r) (robot ?r) (hand) (has ?x) (room ?r) (thing ?x))
	(:action move :parameters (?a ?b) :precondition (and (room ?a) (room ?b) (robot ?a) (not (= ?a ?b)))
	  :effect (and (robot ?b) (not (robot ?a))))
	(:action take :parameters (?x ?r) :precondition (and (thing ?x) (at ?x ?r) (robot ?r) (hand))
	  :effect (and (has ?x) (not (at ?x ?r)) (not (hand))))
	(:action drop :parameters (?x ?r) :precondition (and (has ?x) (robot ?r))
	  :effect (and (at ?x ?r) (hand) (not (has ?x)))))`

// carrying is a problem with n things in room a and a goal.
func carrying(t testing.TB, n int, goal string) *Task {
	t.Helper()
	var objs, init, all []string
	for i := range n {
		objs = append(objs, fmt.Sprintf("x%d", i))
		init = append(init, fmt.Sprintf("(thing x%d) (at x%d a)", i, i))
		all = append(all, fmt.Sprintf("(at x%d b)", i))
	}
	return mustGround(t, carry, "(define (problem x) (:domain carry) (:objects a b "+strings.Join(objs, " ")+
		") (:init (room a) (room b) (robot a) (hand) "+strings.Join(init, " ")+
		") (:goal (and "+strings.Join(all, " ")+" "+goal+")))")
}

// run carries a plan out and fails the test if that is not possible or does not lead to the goal.
func run(t *testing.T, task *Task, plan []int) {
	t.Helper()
	s := task.Init.Clone()
	for i, op := range plan {
		if !s.Satisfies(task.Operators[op].Precondition) {
			t.Fatalf("step %d, %s, cannot be done", i, task.Name(&task.Operators[op]))
		}
		s = task.follow(s, []int{op})
	}
	if !task.Reached(s) {
		t.Fatal("the plan does not reach the goal")
	}
}

func TestPlan(t *testing.T) {
	for _, n := range []int{1, 2, 5, 12} {
		task := carrying(t, n, "(robot b)")
		plan, ok := task.Plan(task.Init)
		if want := 4*n - 1; !ok || len(plan) != want {
			t.Errorf("%d things: %d steps, %v, want %d", n, len(plan), ok, want)
		}
		run(t, task, plan)
		if again, _ := task.Plan(task.Init); !slices.Equal(plan, again) {
			t.Errorf("%d things: first %v, then %v", n, plan, again)
		}
		end := task.follow(task.Init, plan)
		if plan, ok := task.Plan(end); !ok || plan == nil || len(plan) != 0 {
			t.Errorf("at the goal: %v, %v", plan, ok)
		}
		half := task.follow(task.Init, plan[:len(plan)/2])
		if rest, ok := task.Plan(half); !ok || len(rest) != len(plan)-len(plan)/2 {
			t.Errorf("half way: %d steps, %v", len(rest), ok)
		}
	}
}

// In both problems every part of the goal can be reached, and without deletions
// all at once, but never all at once in fact.
func TestUnsolvable(t *testing.T) {
	small := carrying(t, 3, "(at x0 a)") // all states are looked at
	if plan, ok := small.Plan(small.Init); ok || plan != nil {
		t.Errorf("%v, %v", plan, ok)
	}
	s := search{task: small, budget: maxSearch}
	if plan, complete := s.beam(small.Init, small.Goal, 1000, 1000); plan != nil || !complete {
		t.Errorf("%v, complete %v", plan, complete)
	}
	large := carrying(t, 40, "(at x0 a)") // the search gives up
	if plan, ok := large.plan(large.Init, 1<<22); ok || plan != nil {
		t.Errorf("%v, %v", plan, ok)
	}
}

// The work that may be done bounds the search whatever the task.
func TestBounds(t *testing.T) {
	task := carrying(t, 12, "(robot b)")
	full := search{task: task, budget: maxSearch}
	if plan, _ := full.beam(task.Init, task.Goal, narrowBeam, 100); len(plan) != 47 {
		t.Fatalf("%d steps, want 47", len(plan))
	}
	used := maxSearch - full.budget
	for _, work := range []int{0, 1, used / 2, used - 1, used} {
		s := search{task: task, budget: work}
		plan, complete := s.beam(task.Init, task.Goal, narrowBeam, 100)
		if (plan != nil) != (work == used) || complete {
			t.Errorf("work %d of %d: plan %v, complete %v", work, used, plan, complete)
		}
	}
	for _, limit := range []int{0, 1, 46, 47} {
		s := search{task: task, budget: maxSearch}
		plan, complete := s.beam(task.Init, task.Goal, narrowBeam, limit)
		if (plan != nil) != (limit == 47) || complete {
			t.Errorf("limit %d: plan %v, complete %v", limit, plan, complete)
		}
	}
}

// maze has short cuts that put the light out. There one can only dream of light, which ends the game, but the
// estimate does not see that: only a wide beam keeps the long way in view.
func maze(t testing.TB, deadEnds int) *Task {
	t.Helper()
	var objs, init []string
	link := func(a, b string) { init = append(init, fmt.Sprintf("(way %s %s)", a, b)) }
	for i := range deadEnds {
		objs = append(objs, fmt.Sprintf("d%d", i))
		init = append(init, fmt.Sprintf("(dark d%d)", i))
		link("start", fmt.Sprintf("d%d", i))
		link(fmt.Sprintf("d%d", i), "end")
	}
	last := "start"
	for i := range 6 {
		place := fmt.Sprintf("p%d", i)
		objs = append(objs, place)
		link(last, place)
		last = place
	}
	link(last, "end")
	return mustGround(t, `(define (domain maze)
		(:predicates (way ?a ?b) (dark ?a) (at ?a) (light))
		(:action go :parameters (?a ?b) :precondition (and (at ?a) (way ?a ?b))
		  :effect (and (at ?b) (not (at ?a)) (when (dark ?b) (not (light)))))
		(:action dream :parameters (?a) :precondition (and (at ?a) (dark ?a)) :effect (and (light) (not (at ?a)))))`,
		"(define (problem x) (:domain maze) (:objects start end "+strings.Join(objs, " ")+
			") (:init (at start) (light) "+
			strings.Join(init, " ")+") (:goal (and (at end) (light))))")
}

func TestWideBeam(t *testing.T) {
	task := maze(t, 200)
	narrow := search{task: task, budget: maxSearch}
	if plan, complete := narrow.beam(task.Init, task.Goal, narrowBeam, 100); plan != nil || complete {
		t.Fatalf("the narrow beam finds %v, complete %v: the maze is too easy for this test", plan, complete)
	}
	plan, ok := task.Plan(task.Init)
	if !ok || len(plan) != 7 {
		t.Fatalf("plan %v, %v", plan, ok)
	}
	run(t, task, plan)
}

// Costs along a deep chain of dependencies grow beyond every bound; that must not make the goal look unreachable.
func TestDeepDependencies(t *testing.T) {
	const depth = 40
	var objs, init []string
	for i := range depth {
		objs = append(objs, fmt.Sprintf("n%d", i))
		if i > 0 {
			init = append(init, fmt.Sprintf("(next n%d n%d)", i-1, i))
		}
	}
	// Each level needs two things of the level before, each of which needs both
	// of the level before that: additive costs double from level to level.
	task := mustGround(t, `(define (domain deep)
		(:predicates (next ?a ?b) (left ?a) (right ?a))
		(:action l :parameters (?a ?b) :precondition (and (next ?a ?b) (left ?a) (right ?a)) :effect (left ?b))
		(:action r :parameters (?a ?b) :precondition (and (next ?a ?b) (left ?a) (right ?a)) :effect (right ?b)))`,
		fmt.Sprintf(
			"(define (problem x) (:domain deep) (:objects %s) (:init (left n0) (right n0) %s) (:goal (left n%d)))",
			strings.Join(objs, " "), strings.Join(init, " "), depth-1))
	sharedtest.Equal(t, newRelaxation(task, task.Goal).estimate(task.Init), 2*(depth-1)-1, "estimate")
	plan, ok := task.Plan(task.Init)
	if !ok || len(plan) != 2*(depth-1)-1 {
		t.Fatalf("%d steps, %v", len(plan), ok)
	}
	run(t, task, plan)
}

func TestEstimate(t *testing.T) {
	task := carrying(t, 3, "")
	r := newRelaxation(task, task.Goal)
	// Take and drop each thing, and go once.
	sharedtest.Equal(t, r.estimate(task.Init), 7, "at the start")
	plan, _ := task.Plan(task.Init)
	sharedtest.Equal(t, r.estimate(task.follow(task.Init, plan)), 0, "at the goal")
	sharedtest.Equal(t, newRelaxation(task, nil).estimate(task.Init), far, "for a goal that cannot be reached")
	// Estimates do not depend on those made before.
	sharedtest.Equal(t, r.estimate(task.Init), 7, "at the start again")
	fresh := newRelaxation(task, task.Goal)
	fresh.estimate(task.Init)
	sharedtest.Same(t, fresh.cost, r.cost, "costs", "at first")
}

// What does not help is not looked at.
func TestIrrelevant(t *testing.T) {
	task := mustGround(t, corridor, `(define (problem x) (:domain corridor)
		(:objects r1 r2 r3 - room)
		(:init (next r1 r2) (next r2 r3) (in r1) (locked r3) (have-key) (broken))
		(:goal (in r3)))`)
	var names []string
	for _, i := range newRelaxation(task, task.Goal).ops {
		names = append(names, task.Name(&task.Operators[i]))
	}
	if got, want := strings.Join(names, " "), "(go r1 r2) (go r2 r3) (unlock r3) (fly r2 r1) (fly r3 r2)"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A guide follows its plan, plans anew where the world went elsewhere, and a copy goes its own way.
func TestGuide(t *testing.T) {
	task := carrying(t, 3, "")
	var g Guide
	state, spare := task.Init.Clone(), task.Init.Clone()
	step := func(op int) {
		task.Apply(&task.Operators[op], state, spare)
		state, spare = spare, state
	}
	plan, ok := task.Plan(task.Init)
	if !ok {
		t.Fatal("no plan")
	}
	for i, want := range plan {
		for range 2 { // asking twice changes nothing
			if op, ok := g.Next(task, state); !ok || op != want {
				t.Fatalf("step %d: %d, %v, want %d", i, op, ok, want)
			}
		}
		if i == 2 {
			break
		}
		step(want)
	}
	other := g
	detour := -1
	for i := range task.Operators {
		if state.Satisfies(task.Operators[i].Precondition) && i != plan[2] {
			detour = i
		}
	}
	before := state.Clone()
	step(detour)
	for steps := 0; !task.Reached(state); steps++ {
		op, ok := g.Next(task, state)
		if !ok || steps > 20 {
			t.Fatalf("the goal is not reached after a detour: %v after %d steps", ok, steps)
		}
		step(op)
	}
	if op, ok := other.Next(task, before); !ok || op != plan[2] {
		t.Errorf("the copy goes on with %d, %v, want %d", op, ok, plan[2])
	}
}
