package sciworld

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"heldout/envs"
	"heldout/envs/sharedtest"
)

// rakeLabel is the label of the made-up game.
func rakeLabel() []goalLabel {
	l := goalLabel{place: boardPlaces()[0], goal: "Rake!", difficulty: envs.Easy}
	for _, p := range []string{`walk to the (yard|lawn) \(2.5`, "^You are back", "raked.+back", `leaves are raked\.`} {
		l.subgoals = append(l.subgoals, regexp.MustCompile(p))
	}
	return []goalLabel{l}
}

// The calls are AgentBoard's, in its order, and so is what is made of the answers. Sub-goals are regular
// expressions in which a dot is no line feed and which match line feeds only at the start of the text.
func TestAgentBoardTurns(t *testing.T) {
	m := &madeUp{
		reports: []report{
			{observation: "You stand in a shed. Here are:\n\ta rake"},
			{observation: "You walk to the yard (2.5 m).", score: 0.25, moves: 1},
			{observation: "The leaves are raked.\nYou are back.", score: -1, completed: true, moves: 2},
		},
		lists: [][]string{{"go shed", `rake "leaves"`}, {"go shed"}, {"go shed"}},
	}
	w := newStarted(t, madeUpEnv(t, m, true, rakeLabel()))
	want := envs.Start{Goal: "Rake!", Observation: "You stand in a shed. Here are:\n\ta rake\nYou carry:\n\ta pear\n"}
	sharedtest.Same(t, w.started, want)
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
	w.Close()
	if diff := cmp.Diff([]string{
		"start lifespan-longest-lived/5 with openDoors", "inventory", `act "go yard"`, `judge "go yard\x1f "`,
		"forms", `judge "check valid actions "`, "valid", `act "go shed"`, `judge "go shed"`,
	}, m.asked); diff != "" {
		t.Error(diff)
	}
}

// In the simulator's own variant actions are sent as they are, nothing is asked beyond the Python package's calls,
// and the score is the simulator's: never below 0, over when it says so, when the task failed, or after 100 ticks.
func TestScienceWorldTurns(t *testing.T) {
	m := &madeUp{reports: []report{
		{observation: "You stand in a shed.", score: 0.034},
		{observation: "You walk to the yard.", score: 0.125, moves: 1},
		{observation: notUnderstood, score: 1, completed: true, moves: 1},
		{observation: "It breaks.", score: -1, completed: true, moves: 2},
		{observation: "You wait.", score: 0.5, moves: 101},
	}}
	start, steps := play(t, madeUpEnv(t, m, false, nil), " go yard", "check valid actions", "break rake", "wait")
	begin := envs.Start{Goal: "Rake the leaves.", Observation: "You stand in a shed.", Progress: 0.03}
	sharedtest.Equal(t, start, begin)
	want := []envs.Step{
		{Observation: "You walk to the yard.", Progress: 0.12, Valid: true}, // 12.5 % is rounded to even
		{Observation: "No known action matches that input.", Progress: 1, Done: true, Success: true},
		{Observation: "It breaks.", Done: true, Valid: true},
		{Observation: "You wait.", Progress: 0.5, Done: true, Valid: true},
	}
	sharedtest.Same(t, steps, want)
	if diff := cmp.Diff([]string{
		"start lifespan-longest-lived/5 with openDoors", "description", `act " go yard"`, `act "check valid actions"`,
		`act "break rake"`, `act "wait"`,
	}, m.asked); diff != "" {
		t.Error(diff)
	}
}

// A world whose task cannot be loaded does not go on, nor does one that nobody waits for.
func TestStartFails(t *testing.T) {
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	for name, c := range map[string]struct {
		ctx    context.Context
		broken bool
		want   string
	}{
		"load":     {context.Background(), true, "no such task"},
		"canceled": {gone, false, "context canceled"},
	} {
		e := madeUpEnv(t, &madeUp{broken: c.broken}, true, rakeLabel())
		w := sharedtest.Must(e.NewWorld(e.Tasks()[0]))(t)
		sharedtest.Fails(t, sharedtest.Err(w.Start(c.ctx)), c.want, name)
		if _, err := w.Step(context.Background(), "wait"); !errors.Is(err, errNotRunning) {
			t.Errorf("%s: the world goes on: %v", name, err)
		}
		sharedtest.OK(t, w.Close())
	}
}

// The expert goes along the gold path, past what else was done.
func TestExpert(t *testing.T) {
	e := madeUpEnv(t, &madeUp{}, true, rakeLabel())
	e.native.solutions.Store(boardPlaces()[0], func() ([]string, error) {
		return []string{"open box", "take pear", "take pear", "eat pear"}, nil
	})
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
}

func TestWorldOrder(t *testing.T) {
	e := madeUpEnv(t, &madeUp{}, true, rakeLabel())
	ctx, cancel := context.WithCancel(context.Background())
	w := sharedtest.Must(e.NewWorld(e.Tasks()[0]))(t)
	sharedtest.Fails(t, sharedtest.Err(w.Step(ctx, "wait")), "", "a step before the start")
	sharedtest.Must(w.Start(ctx))(t)
	sharedtest.Fails(t, sharedtest.Err(w.Start(ctx)), "", "two starts")
	cancel()
	if _, err := w.Step(ctx, "wait"); !errors.Is(err, context.Canceled) {
		t.Error("a step that nobody waits for")
	}
	for range 2 {
		sharedtest.OK(t, w.Close())
	}
	sharedtest.Fails(t, sharedtest.Err(w.(envs.Lister).Actions(ctx)), "", "actions after the end")
	sharedtest.Fails(t, sharedtest.Err(e.NewWorld(envs.Task{ID: "boil/5"})), "",
		"a task that is not of this environment")
}

// A fork goes on as its world does, and neither disturbs the other.
func TestForks(t *testing.T) {
	ctx, every := context.Background(), sharedtest.Every(t, 16, 8)
	for _, s := range sharedtest.Sample(t, mix(t, opened(t, Options{Variant: ScienceWorld})), 6) {
		e := opened(t, Options{Variant: ScienceWorld})
		task := sharedtest.Must(e.Task(s.Task))(t)
		rest := func(w envs.World, from int) (said []string) {
			for _, a := range s.Actions[from:] {
				list := sharedtest.Must(w.(envs.Lister).Actions(ctx))(t)
				said = append(said, fmt.Sprintf("%q %+v", list, sharedtest.Must(w.Step(ctx, a))(t)))
			}
			return said
		}
		want := rest(startedIn(t, e, task), 0)
		w := startedIn(t, e, task)
		for i, a := range s.Actions {
			if i%every == 0 {
				fork := sharedtest.Must(w.(*world).Fork())(t)
				if got := rest(fork, i); !slices.Equal(got, want[i:]) {
					t.Fatalf("%s, a fork at step %d: %s", s.Task, i, cmp.Diff(want[i:], got))
				}
			}
			if _, err := w.Step(ctx, a); err != nil {
				t.Fatal(err)
			}
		}
	}
	sharedtest.Fails(t, sharedtest.Err((&world{}).Fork()), "", "a world that is not running can be forked")
}
