package alfworld

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"heldout/envs"
	"heldout/envs/agentboard"
	"heldout/envs/engine/planning"
	"heldout/envs/pytext"
	"heldout/envs/sharedtest"
)

// FuzzGame reads anything as a game file and, if it is one, plays some steps.
func FuzzGame(f *testing.F) {
	files, err := filepath.Glob(filepath.Join(fixture, "alfworld/json_2.1.1/valid_unseen", "*", "*", gameName))
	if err != nil || len(files) == 0 {
		f.Fatal(files, err)
	}
	for _, file := range files[:2] {
		f.Add(sharedtest.Must(os.ReadFile(file))(f))
	}
	tiny := func(problem string) []byte {
		return []byte(`{"pddl_problem": "` + problem + `", "solvable": true, "grammar": "` +
			inJSON(exportGrammar(classic, "win.")) + `"}`)
	}
	f.Add(tiny(""))
	f.Add(
		tiny(
			"(define (problem p) (:domain alfred) (:objects a - agent x_bar_1 y_bar_1 - location r_bar_1 - " +
				"receptacle o_bar_1 - object " +
				"sinkbasintype sinktype microwavetype fridgetype - rtype knifetype butterknifetype - otype) " +
				"(:init (atLocation a x_bar_1) (receptacleAtLocation r_bar_1 y_bar_1) (inReceptacle o_bar_1 r_bar_1) " +
				"(pickupable o_bar_1)) (:goal (holds a o_bar_1)))"))
	domain := sharedtest.Must(planning.ParseDomain("domain.pddl", domainText))(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		file, err := parseGameFile(b)
		if err != nil {
			return
		}
		s := gameSource{id: "fuzz", problem: file.problem, goal: file.goal, subgoals: []string{sighting(`a mug \d+`)},
			dialect: file.dialect}
		w, err := loaded(s, domain)
		if err != nil {
			return
		}
		if _, err := w.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		for i := range 12 {
			playAny(t, w, i)
		}
	})
}

// playAny gives one of the listed commands and checks what must always hold.
func playAny(t *testing.T, w *world, i int) {
	commands := w.engine.commands()
	if !slices.IsSorted(commands) || !slices.Contains(commands, "look") ||
		len(slices.Compact(slices.Clone(commands))) != len(commands) {
		t.Fatalf("%q", commands)
	}
	command := commands[(i*7+len(commands)/2)%len(commands)]
	if pytext.Strip(command) == command && w.engine.find(command) < 0 {
		t.Fatalf("%q is listed but not understood", command)
	}
	s, err := w.Step(t.Context(), command)
	if err != nil || s.Progress < 0 || s.Progress > 1 || s.Success && !s.Done {
		t.Fatalf("%q: %+v, %v", command, s, err)
	}
}

// FuzzLabels reads anything as a label file; what passes can be used.
func FuzzLabels(f *testing.F) {
	f.Add(
		[]byte(
			`{"subgoals": ["^(?=.* you see)(?=.*a bowl \\d+)"], "difficulty": "hard", "additional_info": {"description": "x/y"}}`))
	f.Add([]byte("{}\n\n{"))
	f.Fuzz(func(t *testing.T, b []byte) {
		labels, err := parseLabels("labels", b)
		for game, l := range labels {
			if err != nil || game == "" || len(l.subgoals) == 0 {
				t.Fatalf("%q: %+v, %v", game, l, err)
			}
			for _, text := range append(l.subgoals, inDialect(l.subgoals, modern)...) {
				s, err := newSubgoal(text)
				if err != nil {
					continue // a place may be an expression that falls apart in the other dialect
				}
				s.met("On the desk 2, you see a bowl 1.\nx")
			}
		}
	})
}

// FuzzStep types anything into a household, at several moments.
func FuzzStep(f *testing.F) {
	for _, action := range []string{"look", " check valid actions. ", "go to fridge 1", "put apple 3 in fridge 1",
		"take bare-bell  from desk 1", "examine bare-bell ", "open\x00", "İ", ".", ""} {
		f.Add(action, uint8(0))
		f.Add(action, uint8(5))
	}
	w := household(f, classic)
	var moments []*world
	for {
		moments = append(moments, forked(f, w))
		action := sharedtest.Must(w.ExpertAction(context.Background()))(f)
		if action == "" {
			break
		}
		if _, err := w.Step(context.Background(), action); err != nil {
			f.Fatal(err)
		}
	}
	f.Fuzz(func(t *testing.T, action string, moment uint8) {
		w := forked(t, moments[int(moment)%len(moments)])
		was, done := w.engine.clone(), w.done
		normal := agentboard.ALFWorldAction(action, "put")
		listed := slices.Contains(append(w.engine.commands(), checkAction), normal)
		s, err := w.Step(t.Context(), action)
		if err != nil || s.Valid != listed || s.Success && !s.Done || s.Progress == 1 != s.Success {
			t.Fatalf("%q: %+v, %v; listed %v", action, s, err, listed)
		}
		changed := !was.state.Equal(w.engine.state) || !slices.Equal(was.takings, w.engine.takings)
		if changed && (done || s.Observation == rejected) || !done && listed != (s.Observation != rejected) &&
			!strings.HasSuffix(normal, ".") && pytext.Strip(normal) == normal {
			t.Fatalf("%q: %+v, changed %v", action, s, changed)
		}
	})
}

// A fork goes on from where its world was, whatever that did in between, and the answers are then the same.
func TestFork(t *testing.T) {
	w := household(t, modern)
	episode(t, w, win[:4]...)
	kept := forked(t, w)
	for range 3 {
		if last := episode(t, w, win[4:]...); !last.Success {
			t.Fatalf("%+v", last)
		}
		w = forked(t, kept)
		if got := strings.Join(w.engine.commands(), ", "); w.done || w.commands != 4 ||
			!strings.Contains(got, "heat apple 3 with microwave 1") {
			t.Fatalf("%q", got)
		}
	}
}

func forked(t sharedtest.Ender, w *world) *world {
	return sharedtest.Must(w.Fork())(t).(*world)
}

var (
	_ envs.World  = (*world)(nil)
	_ envs.Lister = (*world)(nil)
	_ envs.Expert = (*world)(nil)
	_ envs.Forker = (*world)(nil)
	_ envs.Env    = (*Env)(nil)
)
