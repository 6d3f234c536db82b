package sciworld

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"heldout/envs"
	"heldout/envs/sciworld/py4j"
	"heldout/envs/sharedtest"
)

// rakeLabel is the label of the made-up game.
func rakeLabel() []label {
	l := label{place: boardPlaces()[0], goal: "Rake!", difficulty: envs.Easy}
	for _, p := range []string{`walk to the (yard|lawn) \(2.5`, "^You are back", "raked.+back", `leaves are raked\.`} {
		l.subgoals = append(l.subgoals, regexp.MustCompile(p))
	}
	return []label{l}
}

// The calls are AgentBoard's, in its order, and so is what is made of the
// answers. Sub-goals are regular expressions in which a dot is no line feed and
// which match line feeds only at the start of the text.
func TestAgentBoardTurns(t *testing.T) {
	e := fakeEnv(t, scripted(t, "agentboard.txt"), true, rakeLabel())
	w := newStarted(t, e)
	defer w.Close()
	want := envs.Start{Goal: "Rake!", Observation: "You stand in a shed. Here are:\n\ta rake\nYou carry:\n\ta pear\n"}
	if diff := cmp.Diff(want, w.started); diff != "" {
		t.Error(diff)
	}
	for _, c := range []struct {
		action string
		want   envs.Step
	}{
		{"go yard\x1f ", envs.Step{Observation: "You walk to the yard (2.5 m).", Progress: 0.25, Understood: true}},
		{
			"check valid actions ",
			envs.Step{
				Observation: "Choose an action from these valid actions: go OBJ, rake OBJ, wait, check valid actions",
				Progress:    0.25, Understood: true}},
		{":actions", envs.Step{}},
		{"go shed", envs.Step{Observation: "The leaves are raked.\nYou are back.", Progress: 0.5, Valid: true}},
	} {
		if c.action == ":actions" {
			actions, err := w.Actions(context.Background())
			if diff := cmp.Diff([]string{"go shed", "wait"}, actions); diff != "" || err != nil {
				t.Error(err, diff)
			}
			continue
		}
		got, err := w.Step(context.Background(), c.action)
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("%q: %v %s", c.action, err, diff)
		}
	}
}

// In the simulator's own variant actions are sent as they are, nothing is asked
// beyond the Python package's calls, and the score is the simulator's: never
// below 0, over when it says so, when the task failed, or after 100 ticks.
func TestScienceWorldTurns(t *testing.T) {
	e := fakeEnv(t, scripted(t, "scienceworld.txt"), false, nil)
	start, steps := play(t, e, " go yard", "check valid actions", "break rake", "wait")
	begin := envs.Start{Goal: "Rake the leaves.", Observation: "You stand in a shed.", Progress: 0.03}
	if start != begin {
		t.Errorf("%+v", start)
	}
	want := []envs.Step{
		{Observation: "You walk to the yard.", Progress: 0.12, Valid: true}, // 12.5 % is rounded to even
		{Observation: "No known action matches that input.", Progress: 1, Done: true, Success: true},
		{Observation: "It breaks.", Done: true, Valid: true},
		{Observation: "You wait.", Progress: 0.5, Done: true, Valid: true},
	}
	if diff := cmp.Diff(want, steps); diff != "" {
		t.Error(diff)
	}
}

// broken says of every world what it must be when the simulator fails it.
func TestSimulatorFails(t *testing.T) {
	for name, c := range map[string]struct {
		method, reply, want string
	}{
		"load":       {"load", "!ysno such task\n", "does not load lifespan-longest-lived/5: no such task"},
		"reset":      {"reset", "!ysno\n", "does not reset"},
		"kind":       {"getScore", "!yi0\n", "getScore answers with a int32, want a float64"},
		"java":       {"getCompleted", "!xsjava.lang.Boom: bang\\n\tat x\n", "java.lang.Boom: bang"},
		"garbage":    {"freeActionLook", "SSH-2.0\n", "not the protocol's"},
		"list":       {"getValidActionObjectCombinations", "!yn\n", "want a py4j.Ref"},
		"valid JSON": {"getValidActionObjectCombinationsJSON", "!ys{\n", "the list of valid actions"},
		"inventory":  {"freeActionInventory", "!yv\n", "answers with a py4j.Void"},
	} {
		f := &fakeMachines{make: func() answerer {
			return func(request []string) (string, bool) {
				if len(request) > 2 && request[2] == c.method {
					return c.reply, false
				}
				return obliging(request), false
			}
		}}
		e := fakeEnv(t, f, true, rakeLabel())
		w, err := e.NewWorld(e.Tasks()[0])
		if err != nil {
			t.Fatal(err)
		}
		ctx := context.Background()
		_, err = w.Start(ctx)
		if err == nil {
			_, err = w.Step(ctx, "wait")
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if n := f.running.Load(); n != 0 {
			t.Errorf("%s: the machine is kept", name)
		}
		if _, err := w.Step(ctx, "wait"); err == nil {
			t.Errorf("%s: the world goes on", name)
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
}

// obliging answers every request as a simulator that is well might.
func obliging(request []string) string {
	switch request[0] {
	case "i":
		return "!yro0\n"
	case "m":
		return "!yv\n"
	}
	switch request[2] {
	case "getScore":
		return "!yd0.0\n"
	case "getCompleted":
		return "!ybfalse\n"
	case "getNumMoves":
		return "!yi1\n"
	case "load", "reset":
		return "!ys\n"
	case "getValidActionObjectCombinations", "getGoldActionSequence", "getPossibleActions":
		return "!ylo1\n"
	case "getValidActionObjectCombinationsJSON":
		return "!ys{\"validActions\": []}\n"
	case "join":
		return "!ysopen box\\ntake pear\\ntake pear\\neat pear\n"
	}
	return "!ysYou wait.\n"
}

func obligingMachines() *fakeMachines {
	return &fakeMachines{make: func() answerer {
		return func(request []string) (string, bool) { return obliging(request), false }
	}}
}

// The expert goes along the gold path, past what else was done, on a machine of
// its own.
func TestExpert(t *testing.T) {
	f := obligingMachines()
	e := fakeEnv(t, f, true, rakeLabel())
	w := newStarted(t, e)
	defer w.Close()
	ctx := context.Background()
	for i, want := range []string{"open box", "take pear", "take pear", "eat pear", ""} {
		got, err := w.ExpertAction(ctx)
		if err != nil || got != want {
			t.Fatalf("%d: %q, %v", i, got, err)
		}
		for _, a := range []string{"look around", got + " "} {
			if _, err := w.Step(ctx, a); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n := f.started.Load(); n != 2 {
		t.Errorf("%d machines for a world and its expert", n)
	}
}

func TestWorldOrder(t *testing.T) {
	e := fakeEnv(t, obligingMachines(), true, rakeLabel())
	ctx := context.Background()
	w, err := e.NewWorld(e.Tasks()[0])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Step(ctx, "wait"); err == nil {
		t.Error("a step before the start")
	}
	if _, err := w.Start(ctx); err != nil {
		t.Error(err)
	}
	if _, err := w.Start(ctx); err == nil {
		t.Error("two starts")
	}
	for range 2 {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := w.(envs.Lister).Actions(ctx); err == nil {
		t.Error("actions after the end")
	}
	if _, err := e.NewWorld(envs.Task{ID: "boil/5"}); err == nil {
		t.Error("a task that is not of this environment")
	}
}

// A world that starts like those before it plays as they did.
func TestStartsAgain(t *testing.T) {
	e := opened(t, Options{Variant: AgentGym})
	play := func() (said []string) {
		for _, task := range e.Tasks()[:2*mostStarts] {
			w := startedIn(t, e, task)
			defer w.Close()
			s, err := w.Step(context.Background(), "look around")
			if err != nil {
				t.Fatal(err)
			}
			list, err := w.(envs.Lister).Actions(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			said = append(said, fmt.Sprintf("%+v %v %q", s, w.(envs.Scorer).Score(), list))
		}
		return said
	}
	first := play()
	for range 3 { // not known, known, and kept while there is room
		if diff := cmp.Diff(first, play()); diff != "" {
			t.Fatal(diff)
		}
	}
	var g errgroup.Group
	for range 8 {
		g.Go(func() error {
			w := startedIn(t, e, e.Tasks()[0])
			defer w.Close()
			_, err := w.Step(context.Background(), "wait")
			return err
		})
	}
	if err := g.Wait(); err != nil {
		t.Error(err)
	}
	if n := len(e.games.(*native).starts.worlds); n != mostStarts {
		t.Errorf("%d starts are kept, want %d", n, mostStarts)
	}
}

// A fork goes on as its world does, and neither disturbs the other.
func TestForks(t *testing.T) {
	ctx, every := context.Background(), sharedtest.Times(t, 8, 16)
	for _, s := range mix(t, opened(t, Options{Variant: ScienceWorld})) {
		e := opened(t, Options{Variant: ScienceWorld})
		task, err := e.Task(s.Task)
		if err != nil {
			t.Fatal(err)
		}
		rest := func(w envs.World, from int) (said []string) {
			for _, a := range s.Actions[from:] {
				list, err := w.(envs.Lister).Actions(ctx)
				if err != nil {
					t.Fatal(err)
				}
				step, err := w.Step(ctx, a)
				if err != nil {
					t.Fatal(err)
				}
				said = append(said, fmt.Sprintf("%q %+v", list, step))
			}
			return said
		}
		want := rest(startedIn(t, e, task), 0)
		w := startedIn(t, e, task)
		for i, a := range s.Actions {
			if i%every == 0 {
				fork, err := w.(*nativeWorld).Fork()
				if err != nil {
					t.Fatal(err)
				}
				if got := rest(fork, i); !slices.Equal(got, want[i:]) {
					t.Fatalf("%s, a fork at step %d: %s", s.Task, i, cmp.Diff(want[i:], got))
				}
			}
			if _, err := w.Step(ctx, a); err != nil {
				t.Fatal(err)
			}
		}
	}
	w := &nativeWorld{&world{}}
	if _, err := w.Fork(); err == nil {
		t.Error("a world that is not running can be forked")
	}
}

// The wire's errors keep their kind up to here.
func TestErrorKinds(t *testing.T) {
	f := &fakeMachines{make: func() answerer {
		return func(request []string) (string, bool) { return obliging(request), request[0] != "i" }
	}}
	e := fakeEnv(t, f, true, rakeLabel())
	w, err := e.NewWorld(e.Tasks()[0])
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.Start(context.Background())
	if err == nil {
		_, err = w.Step(context.Background(), "wait")
	}
	if !errors.Is(err, py4j.ErrBroken) {
		t.Error(err)
	}
}
