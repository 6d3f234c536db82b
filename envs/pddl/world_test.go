package pddl

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"heldout/envs"
	"heldout/envs/engine/planning"
	"heldout/envs/sharedtest"
	"heldout/envs/stream"
)

// gameNamed returns the game of that name.
func gameNamed(t testing.TB, name string) *strategyGame {
	t.Helper()
	for i := range games {
		if games[i].Name == name {
			return &games[i]
		}
	}
	t.Fatalf("there is no game %s", name)
	return nil
}

// embeddedDomain parses our own writing of a game's rules.
func embeddedDomain(t testing.TB, name string) *planning.Domain {
	t.Helper()
	text := sharedtest.Must(domains.ReadFile("domains/" + name + ".pddl"))(t)
	return sharedtest.Must(planning.ParseDomain(name+".pddl", string(text)))(t)
}

// newTestInstance grounds a problem of one of the embedded games.
func newTestInstance(t testing.TB, name, text string) *instance {
	t.Helper()
	p := sharedtest.Must(newProblem(gameNamed(t, name), embeddedDomain(t, name), "problem.pddl", text))(t)
	return sharedtest.Must(p.ready())(t)
}

// exampleText returns the small problem of a game that its prompt plays.
func exampleText(t testing.TB, name string) string {
	t.Helper()
	return string(sharedtest.Must(os.ReadFile("testdata/examples/" + name + ".pddl"))(t))
}

// example returns a world of that problem.
func example(t testing.TB, name string) *world {
	t.Helper()
	return newWorld(newTestInstance(t, name, exampleText(t, name)))
}

// step takes a step that must not break the environment.
func step(t rapid.TB, w envs.World, action string) envs.Step {
	t.Helper()
	s, err := w.Step(context.Background(), action)
	if err != nil {
		t.Fatalf("%q: %v", action, err)
	}
	return s
}

// steps takes steps, all of which must be valid, and returns the last answer.
func steps(t rapid.TB, w envs.World, actions ...string) (s envs.Step) {
	t.Helper()
	for _, a := range actions {
		if s = step(t, w, a); !s.Valid {
			t.Fatalf("%q: %q", a, s.Observation)
		}
	}
	return s
}

// start returns what the agent is told first.
func start(t rapid.TB, w envs.World) envs.Start {
	t.Helper()
	return sharedtest.Must(w.Start(context.Background()))(t)
}

// answers is a table of actions, each tried on a fresh world after a way there,
// with the answers that are not a change of the world.
type answers struct {
	Name   string
	Way    []string
	Action string
	Want   string
}

func check(t *testing.T, game string, tests []answers) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.Name, func(t *testing.T) {
			w := example(t, game)
			steps(t, w, tt.Way...)
			got := step(t, w, tt.Action)
			sharedtest.Equal(t, got.Observation, tt.Want, tt.Action, "after", tt.Way)
			if valid := tt.Want != notUnderstood && tt.Want != noEffect; got.Valid != valid {
				t.Errorf("%q after %q: valid %v", tt.Action, tt.Way, got.Valid)
			}
		})
	}
}

func TestAnswers(t *testing.T) {
	for _, g := range games {
		t.Run(g.Name, func(t *testing.T) { check(t, g.Name, sharedtest.Cases[answers](t, g.Name+".yaml")) })
	}
	check(t, "gripper", []answers{{"bytes that are no text", nil, "move \xff roomb \xfe rooma",
		step(t, example(t, "gripper"), "move roomb rooma").Observation}})
}

// A verb counts among the objects if an object has its name, and an object whose
// name contains "check" can never be acted upon.
func TestNamesLikeVerbs(t *testing.T) {
	in := newTestInstance(t, "blockworld", `(define (problem x) (:domain blockworld) (:objects pickup checkers b1 around look)
		(:init (arm-empty) (on-table pickup) (clear pickup) (on-table checkers) (clear checkers) (on-table b1) (clear b1)
		       (on-table look) (clear look) (on-table around) (clear around))
		(:goal (on pickup b1)))`)
	w := newWorld(in)
	s := steps(t, w, "pickup b1")
	if want := "You are holding pickup. "; !strings.HasSuffix(s.Observation, want) {
		t.Errorf("%q, want that it ends with %q", s.Observation, want)
	}
	s = steps(t, w, "putdown pickup", "pickup checkers")
	if !strings.HasPrefix(s.Observation, listPrefix) {
		t.Errorf("%q, want a list", s.Observation)
	}
	if s = step(t, w, "pickup look around"); !s.Valid || strings.Contains(s.Observation, "holding") {
		t.Errorf("%+v, want a look around", s)
	}
}

// Arguments may be equal where the rules allow it, though no list shows such an
// action and no verb is recognized by it alone.
func TestEqualArguments(t *testing.T) {
	const text = `(define (problem x) (:domain blockworld) (:objects b1 b2 b3)
		(:init (arm-empty) (on b1 b1) (clear b1) (on-table b2)%s) (:goal (on b1 b2)))`
	w := newWorld(newTestInstance(t, "blockworld", fmt.Sprintf(text, " (on b3 b2) (clear b3)")))
	if s := step(t, w, "check"); strings.Contains(s.Observation, "b1 from b1") {
		t.Errorf("%q lists an action with equal arguments", s.Observation)
	}
	if s := step(t, w, "unstack b1 b1"); !s.Valid ||
		s.Observation != "B2 is on the table. B3 is on b2. The b1 is clear. The b3 is clear. You are holding b1. " {
		t.Errorf("%+v", s)
	}
	w = newWorld(newTestInstance(t, "blockworld", fmt.Sprintf(text, " (on-table b3) (clear b2) (clear b3)")))
	sharedtest.Equal(t, step(t, w, "unstack b1 b1").Observation, notUnderstood)
}

// Progress is the largest share reached by an action: the start does not count,
// and nothing is lost again. The end of the game can be.
func TestProgressAndDone(t *testing.T) {
	w := newWorld(newTestInstance(t, "blockworld", `(define (problem x) (:domain blockworld) (:objects b1 b2 b3)
		(:init (arm-empty) (on-table b1) (on b2 b1) (clear b2) (on-table b3) (clear b3)) (:goal (and (on b2 b1) (on b3 b2))))`))
	sharedtest.Equal(t, start(t, w).Goal,
		"The goal is to satisfy the following conditions: b2 is on b1., b3 is on b2.", "goal")
	for i, tt := range sharedtest.Cases[struct {
		Action   string
		Progress float64
		Done     bool
		Suffix   bool
		Valid    bool
	}](t, "progress-and-done.yaml") {
		s := step(t, w, tt.Action)
		if s.Progress != tt.Progress || s.Done != tt.Done || s.Success != tt.Done || s.Valid != tt.Valid {
			t.Errorf("step %d, %q: %+v", i, tt.Action, s)
		}
		sharedtest.Equal(t, strings.HasSuffix(s.Observation, " The goal is satisfied."), tt.Suffix, "step", i,
			tt.Action, s.Observation)
	}
}

// The sentence follows one space, also after a text that ends in one.
func TestGoalSentence(t *testing.T) {
	w := newWorld(newTestInstance(t, "barman",
		strings.Replace(exampleText(t, "barman"), "(contains shot1 cocktail1)", "(holding left shot1)", 1)))
	sharedtest.Equal(t, steps(t, w, "left grasp shot1").Observation, "You are holding left.  The goal is satisfied.")
}

// A fact of the goal may always hold, or never.
func TestSettledGoals(t *testing.T) {
	text := strings.Replace(exampleText(t, "gripper"), "(at ball1 roomb)", "(room rooma) (ball left) (at ball1 left)",
		1)
	w := newWorld(newTestInstance(t, "gripper", text))
	if s := steps(t, w, "move roomb rooma"); s.Progress != 0.4 || s.Done {
		t.Errorf("%+v", s)
	}
	sharedtest.Equal(t, sharedtest.Must(w.ExpertAction(context.Background()))(t), "", "the expert")
}

func TestRender(t *testing.T) {
	g := &strategyGame{
		Facts: map[string]string{"on": "{} is on {}.", "none": "Nothing.", "one": "{}!"}}
	for _, tt := range []struct{ atom, want string }{
		{"on a b", "a is on b."},
		{"on a", "a is on {}."},
		{"one a b", "a!"},
		{"none a b", "Nothing."},
		{"other a b", "other a b"},
		{"other", "other"},
	} {
		words := strings.Fields(tt.atom)
		sharedtest.Equal(t, g.fact(planning.Atom{Predicate: words[0], Args: words[1:]}), tt.want, tt.atom)
	}
	for text, want := range map[string]string{"": "", "a B C": "A b c", "ABC": "Abc", "éA": "Éa", "1A": "1a",
		" A": " a"} {
		sharedtest.Equal(t, capitalize(text), want, "capitalize", text)
	}
}

// Several facts with one text are all told.
func TestEqualTexts(t *testing.T) {
	w := example(t, "barman")
	steps(t, w, "left grasp shot1", "right grasp shot2")
	if s := step(t, w, "look around"); strings.Count(s.Observation, "You are holding left. ") != 1 ||
		strings.Count(s.Observation, "You are holding right. ") != 1 {
		t.Errorf("%q", s.Observation)
	}
	w = newWorld(newTestInstance(t, "barman",
		strings.Replace(exampleText(t, "barman"), "(handempty left)", "(holding left shot1) (holding left shot2)", 1)))
	if s := start(t, w); strings.Count(s.Observation, "You are holding left. ") != 2 {
		t.Errorf("%q", s.Observation)
	}
}

func TestActions(t *testing.T) {
	w := example(t, "barman")
	got := sharedtest.Must(w.Actions(context.Background()))(t)
	want := []string{"left grasp shaker1. ", "left grasp shot1. ", "left grasp shot2. ", "right grasp shaker1. ",
		"right grasp shot1. ", "right grasp shot2. "}
	sharedtest.Same(t, got, want)
}

// Every action that is listed is understood, whatever it does.
func TestListedActionsAreUnderstood(t *testing.T) {
	for _, g := range games {
		w := example(t, g.Name)
		rng := stream.New(1, "listed", g.Name)
		for range 200 {
			actions, err := w.Actions(context.Background())
			if err != nil || len(actions) == 0 {
				t.Fatal(actions, err)
			}
			for _, a := range actions {
				if s := step(t, forked(t, w), a); !s.Valid &&
					(s.Observation != noEffect || !strings.Contains(a, "clean-shaker") &&
						!strings.HasPrefix(a, "Move from")) {
					t.Fatalf("%s: %q is answered by %q", g.Name, a, s.Observation)
				}
			}
			step(t, w, actions[rng.IntN(len(actions))])
		}
	}
}

// chatter draws an action: a listed one, a listed one changed, or words.
func chatter(t *rapid.T, w *world) string {
	actions := sharedtest.Must(w.Actions(context.Background()))(t)
	words := []string{"check", "look around", "the", "move", "pick", "grasp", "b1", "b2", "left", "right", "shot1",
		"wrench", "boot", "open", ".", "'", ""}
	switch pick := rapid.IntRange(0, 9).Draw(t, "kind"); {
	case pick < 7 && len(actions) > 0:
		return rapid.SampledFrom(actions).Draw(t, "action")
	case pick < 8 && len(actions) > 0:
		return rapid.SampledFrom(words).Draw(t, "word") + rapid.SampledFrom(actions).Draw(t, "action")
	default:
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 5).Draw(t, "words"), " ")
	}
}

// Going on from a fork and doing the same again gives the same answers, the expert's included.
func TestForks(t *testing.T) {
	ins := map[string]*instance{}
	for _, g := range games {
		ins[g.Name] = newTestInstance(t, g.Name, exampleText(t, g.Name))
	}
	rapid.Check(t, func(rt *rapid.T) {
		g := rapid.SampledFrom(games[:]).Draw(rt, "game")
		w := newWorld(ins[g.Name])
		type moment struct {
			action, expert string
			step           envs.Step
			fork           *world
		}
		var moments []moment
		act := func(m moment) moment {
			m.fork = forked(rt, w)
			if m.action == "" {
				m.action = chatter(rt, w)
			}
			if len(moments)%3 == 0 {
				m.expert = sharedtest.Must(w.ExpertAction(context.Background()))(rt)
			}
			m.step = step(rt, w, m.action)
			return m
		}
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			moments = append(moments, act(moment{}))
		}
		for range 3 {
			back := rapid.IntRange(0, len(moments)-1).Draw(rt, "back")
			w = forked(rt, moments[back].fork)
			later := moments[back:]
			moments = moments[:back:back]
			for i := range later {
				if later[i].action == "" {
					break // an empty action would be drawn anew
				}
				again := act(moment{action: later[i].action})
				if again.step != later[i].step || again.expert != later[i].expert {
					rt.Fatalf("%q: first %+v %q, then %+v %q", again.action, later[i].step, later[i].expert, again.step,
						again.expert)
				}
				moments = append(moments, later[i])
			}
			if len(moments) == 0 {
				return
			}
		}
	})
}

func forked(t sharedtest.Ender, w *world) *world {
	return sharedtest.Must(w.Fork())(t).(*world)
}

// transcript plays an instance at random, seeded, and returns all answers.
func transcript(in *instance, seed int64, n int) []string {
	ctx := context.Background()
	w := newWorld(in)
	rng := stream.New(seed, "transcript")
	s, _ := w.Start(ctx)
	out := []string{s.Goal, s.Observation}
	for i := range n {
		actions, _ := w.Actions(ctx)
		actions = append(actions, "check", "look around", "open sesame")
		action := actions[rng.IntN(len(actions))]
		if i%5 == 4 {
			if a, _ := w.ExpertAction(ctx); a != "" {
				action = a
			}
		}
		s, err := w.Step(ctx, action)
		out = append(out, fmt.Sprintf("%q %+v %v", action, s, err))
	}
	return out
}

// Worlds of one task share nothing that changes.
func TestWorldsAreIndependent(t *testing.T) {
	for _, g := range games {
		in := newTestInstance(t, g.Name, exampleText(t, g.Name))
		a, b := newWorld(in), newWorld(in)
		first := start(t, b)
		for _, action := range []string{"move roomb rooma", "unstack b2 b1", "left grasp shot1", "open boot", "check",
			"look around"} {
			step(t, a, action)
		}
		sharedtest.Same(t, start(t, b), first, g.Name)
		want := transcript(in, 7, 60)
		got := make([][]string, 8)
		var wait sync.WaitGroup
		for i := range got {
			wait.Go(func() { got[i] = transcript(in, 7, 60) })
		}
		wait.Wait()
		for _, g := range got {
			if diff := cmp.Diff(want, g); diff != "" {
				t.Fatal(diff)
			}
		}
	}
}

// A task is made ready once, whoever asks first.
func TestConcurrentNewWorld(t *testing.T) {
	e := generated(t)
	task := e.Tasks()[30]
	worlds := make([]envs.World, 8)
	var wait sync.WaitGroup
	for i := range worlds {
		wait.Go(func() { worlds[i], _ = e.NewWorld(task) })
	}
	wait.Wait()
	for _, w := range worlds {
		if w == nil || w.(*world).in != worlds[0].(*world).in {
			t.Fatal("the worlds of one task do not share what it is made of")
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
}
