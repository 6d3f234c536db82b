package alfworld

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/envs/stream"
)

// solve plays a task with the expert and returns the number of steps it took.
func solve(t testing.TB, e *Env, task envs.Task) (steps int, success bool) {
	t.Helper()
	w := newTestWorld(t, e, task)
	for steps = 1; steps <= stepLimit; steps++ {
		action, err := w.ExpertAction(t.Context())
		if err != nil || action == "" {
			t.Fatalf("%s: step %d: the expert says %q, %v", task.ID, steps, action, err)
		}
		s, err := w.Step(t.Context(), action)
		if err != nil || !s.Valid {
			t.Fatalf("%s: step %d, %q: %q, %v", task.ID, steps, action, s.Observation, err)
		}
		if s.Done {
			return steps, s.Success && s.Progress == 1
		}
	}
	return stepLimit, false
}

func TestExpertOfficial(t *testing.T) {
	e := shared(t, Options{})
	total := 0
	for _, task := range sharedtest.Sample(t, e.Tasks(), 4, 40) {
		steps, success := solve(t, e, task)
		if !success || steps < 3 || steps > 12 {
			t.Errorf("%s: %d steps, success %v", task.ID, steps, success)
		}
		total += steps
	}
	t.Logf("%d games in %d steps", len(e.Tasks()), total)
}

// The expert that knows only what was shown solves nearly all games within the limit of
// steps, without naming an object that no answer has named or looking anywhere twice.
func TestExpertSearches(t *testing.T) {
	e := sharedtest.Must(NewGenerated(2, Options{ExpertKnows: knowsShown}))(t)
	known := sharedtest.Must(NewGenerated(2, Options{}))(t)
	steps, shortest, unsolved := 0, 0, 0
	games := sharedtest.Sample(t, e.Tasks(), 1, 24)
	for _, task := range games {
		w := newTestWorld(t, e, task)
		shown := sharedtest.Must(w.Start(t.Context()))(t).Observation
		var visited []string // before anything was taken
		done := false
		for ; !done && w.commands < stepLimit; steps++ {
			action, err := w.ExpertAction(t.Context())
			if err != nil || action == "" {
				t.Fatalf("%s: step %d: the expert says %q, %v", task.ID, w.commands, action, err)
			}
			sharedtest.Equal(t, sharedtest.Must(w.ExpertAction(t.Context()))(t), action, task.ID, "the expert says")
			if !strings.Contains(shown, "You pick up") {
				if strings.HasPrefix(action, "go to") && slices.Contains(visited, action) {
					t.Errorf("%s: %q again", task.ID, action)
				}
				visited = append(visited, action)
			}
			for _, thing := range w.rules.game.things {
				named := strings.Contains(action+" ", " "+thing.name+" ")
				if thing.object != nil && named && !strings.Contains(shown, thing.name) {
					t.Errorf("%s: %q before it was shown", task.ID, action)
				}
			}
			s, err := w.Step(t.Context(), action)
			if err != nil || !s.Valid {
				t.Fatalf("%s: %q: %+v, %v", task.ID, action, s, err)
			}
			shown, done = shown+s.Observation, s.Done
			if done && !s.Success {
				t.Errorf("%s: not solved", task.ID)
			}
		}
		if !done {
			unsolved++
		}
		n, _ := solve(t, known, known.Tasks()[task.Index])
		shortest += n
	}
	if unsolved*20 > len(games) { // a search may take longer than the limit
		t.Errorf("%d of %d games not solved in %d steps", unsolved, len(games), stepLimit)
	}
	if steps <= shortest {
		t.Errorf("%d steps in all games, and %d of the expert that knows all", steps, shortest)
	}
}

// A thing is looked for where it is likely for each step that a look takes.
func TestChances(t *testing.T) {
	mug, soap := chances("mug 2"), chances("soapbar 1")
	if mug["coffeemachine"] <= mug["cabinet"] || mug["toilet"] > 0 || soap["sinkbasin"] <= soap["drawer"] {
		t.Errorf("mug %v, soapbar %v", mug, soap)
	}
}

// The expert finds a way from wherever it is called in, unless there is none: some
// things, once taken, can be put nowhere.
func TestExpertFromAnywhere(t *testing.T) {
	e := sharedtest.Must(NewOfficial(fixture, Options{}))(t)
	rng := stream.New(1, "anywhere")
	stuck := 0
	for n := range sharedtest.Times(t, 30, 10) {
		w := newTestWorld(t, e, e.Tasks()[n%len(e.Tasks())])
		for range 20 {
			commands := w.engine.commands()
			w.engine.do(commands[rng.IntN(len(commands))])
		}
		for steps := 0; !w.engine.won(); steps++ {
			action, err := w.ExpertAction(t.Context())
			if err != nil || steps > stepLimit {
				t.Fatal(action, err)
			}
			if action == "" {
				if !deadEnd(w.engine) {
					t.Fatalf("%s: gave up with %q", e.Tasks()[n%6].ID, w.engine.inventory())
				}
				stuck++
				break
			}
			w.engine.do(action)
		}
	}
	if stuck > 10 {
		t.Errorf("stuck in %d of 30", stuck)
	}
}

// deadEnd reports whether the player holds what can be put nowhere.
func deadEnd(e *engine) bool {
	for n, thing := range e.game.things {
		if thing.object != nil && thing.object.carried.Holds(e.state) {
			return !e.game.canPut(n)
		}
	}
	return false
}

func (g *game) canPut(thing int) bool {
	for i := range g.task.Operators {
		if op := &g.task.Operators[i]; op.Action.Name == "putobject" && g.number(op, "o") == thing {
			return true
		}
	}
	return false
}

// Worlds of one task that are played at the same time do not meet.
func TestWorldsApart(t *testing.T) {
	e := sharedtest.Must(NewOfficial(fixture, Options{}))(t)
	transcripts := make([][]string, 4*len(e.Tasks()))
	var group errgroup.Group
	for n := range transcripts {
		group.Go(func() error {
			made, err := e.NewWorld(e.Tasks()[n%len(e.Tasks())])
			if err != nil {
				return err
			}
			w := made.(*world)
			if err := w.load(); err != nil {
				return err
			}
			rng := stream.New(int64(n%len(e.Tasks())), "apart")
			for range stepLimit {
				commands := w.engine.commands()
				transcripts[n] = append(transcripts[n], w.engine.do(commands[rng.IntN(len(commands))]))
			}
			return nil
		})
	}
	sharedtest.OK(t, group.Wait())
	for n := range transcripts {
		if !slices.Equal(transcripts[n], transcripts[n%len(e.Tasks())]) {
			t.Errorf("run %d of %s differs", n, e.Tasks()[n%len(e.Tasks())].ID)
		}
	}
}
