package babyai

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/envs/stream"
)

// What an environment can do is found by type assertion.
var (
	_ envs.Finder = (*Env)(nil)
	_ envs.Lister = (*world)(nil)
	_ envs.Expert = (*world)(nil)
	_ envs.Forker = (*world)(nil)
	_ envs.Viewer = (*world)(nil)
)

func TestBenchmark(t *testing.T) {
	e := opened(t, Options{})
	want := envs.Info{Name: Name, Source: envs.Generated, Settings: map[string]string{"labels": "instruction"},
		StepLimit: 30}
	sharedtest.Same(t, e.Info(), want)
	tasks := e.Tasks()
	if len(tasks) != 112 {
		t.Fatalf("%d tasks", len(tasks))
	}
	for i, id := range map[int]string{
		0: "BabyAI-GoToRedBallGrey-v0/1234", 3: "BabyAI-GoToRedBallGrey-v0/1237", 83: "BabyAI-PickupAbove-v0/1237",
		84: "BabyAI-Unlock-v0/1234", 111: "BabyAI-KeyCorridorS6R3-v0/1237",
	} {
		level, _, _ := strings.Cut(id, "/")
		if task := tasks[i]; task.ID != id || task.Index != i || task.Type != level || task.Difficulty != "" {
			t.Errorf("task %d: %+v", i, task)
		}
	}
	if _, err := New(Options{Variant: "chess"}); err == nil ||
		!strings.Contains(err.Error(), "there are agentboard and agentgym") {
		t.Error(err)
	}
	if info := opened(t, Options{Variant: AgentBoard}).Info(); !cmp.Equal(info, e.Info()) {
		t.Errorf("%+v", info)
	}
}

func TestTasksByName(t *testing.T) {
	e := opened(t, Options{})
	large := strings.Repeat("123456789", 5)
	for name, want := range map[string]struct {
		id    string
		index int
	}{
		"13/1234":                        {"BabyAI-OpenRedDoor-v0/1234", 48},
		"BabyAI-OpenRedDoor-v0/1234":     {"BabyAI-OpenRedDoor-v0/1234", 48},
		"13/01234":                       {"BabyAI-OpenRedDoor-v0/1234", 48},
		"BabyAI-GoToRedBallGrey-v0/77":   {"BabyAI-GoToRedBallGrey-v0/77", -1},
		"40/0":                           {"BabyAI-BossLevelNoUnlock-v0/0", -1},
		"1/" + large:                     {"BabyAI-GoToRedBallGrey-v0/" + large, -1},
		"BabyAI-PutNextLocalS6N4-v0/000": {"BabyAI-PutNextLocalS6N4-v0/0", -1},
	} {
		task, err := e.Task(name)
		if err != nil || task.ID != want.id || task.Index != want.index {
			t.Errorf("%s: %+v, %v", name, task, err)
			continue
		}
		if _, start := played(t, e, name); start.Goal == "" || start.Observation == "" {
			t.Errorf("%s: %+v", name, start)
		}
	}
	for _, name := range []string{"", "1", "1/", "/1", "0/1", "41/1", "1/-1", "1/1.5", "1/1/1", "1/ 1", "BabyAI/1",
		"1/" + strings.Repeat("1", 81)} {
		sharedtest.Fails(t, sharedtest.Err(e.Task(name)), "", name)
	}
}

func TestForeignTasks(t *testing.T) {
	e := opened(t, Options{})
	task := e.Tasks()[7]
	for name, change := range map[string]func(*envs.Task){
		"another digest": func(t *envs.Task) { t.Digest = "x" },
		"another index":  func(t *envs.Task) { t.Index = 8 },
		"another name":   func(t *envs.Task) { t.ID = "1/1" },
		"an alias":       func(t *envs.Task) { t.ID = "2/1237" },
	} {
		changed := task
		change(&changed)
		if _, err := e.NewWorld(changed); err == nil {
			t.Errorf("a task with %s was played", name)
		}
	}
}

// A small world, step by step: what is refused and why, sub-goals, and a success
// that the last step of an action takes back.
func TestOpenRedDoor(t *testing.T) {
	g := newGame(generated(t, 13, 1234), [][]string{{"There is a red closed door **", "There is a red open door **"}})
	w := &world{game: g}
	const room = "In front of you in this room, you can see several objects: "
	start, err := w.Start(context.Background())
	want := envs.Start{Goal: "open the red door", Observation: room +
		"There is a red closed door 1 3 steps in front of you and 1 steps to your right.  " +
		"The room has walls around you. You are facing a wall 3 steps away. You are not carrying anything."}
	if diff := cmp.Diff(want, start); err != nil || diff != "" {
		t.Fatalf("%v %s", err, diff)
	}
	for i, s := range sharedtest.Cases[struct {
		Action string
		Want   envs.Step
	}](t, "open-red-door.yaml") {
		if diff := cmp.Diff(s.Want, act(t, w, s.Action)); diff != "" {
			t.Fatalf("step %d, %q: %s", i, s.Action, diff)
		}
	}
}

// An object that is picked up still counts as faced, and the world's own reward ends the game.
func TestOwnReward(t *testing.T) {
	w := &world{game: newGame(generated(t, 4, 1234), nil)}
	s := act(t, w, "pickup purple box 1")
	if s.Progress != 0.83125 || !s.Done || !s.Success ||
		!strings.HasSuffix(s.Observation, "You are carrying a purple box."+completed) {
		t.Errorf("%+v", s)
	}
	if s = act(t, w, "drop"); s.Progress != 0.775 || !s.Done ||
		!strings.Contains(s.Observation, "You are facing a box 1 steps away.") {
		t.Errorf("%+v", s)
	}
	for range 20 { // far beyond the limit the world's reward is negative
		act(t, w, "turn left")
		s = act(t, w, "turn right")
	}
	if w.game.reward >= 0 || s.Progress != 0 || s.Done {
		t.Errorf("reward %v, %+v", w.game.reward, s)
	}
}

func TestGym(t *testing.T) {
	w, start := played(t, opened(t, Options{Variant: AgentGym}), "13/1234")
	if !strings.HasPrefix(start.Observation, "Your goal: open the red door\nIn front of you") ||
		!strings.HasSuffix(start.Observation, "not carrying anything.\n"+
			`Available actions: ["turn left", "turn right", "move forward", "toggle and go through red closed door 1", "go to red closed door 1", "check available actions"]`) {
		t.Errorf("%q", start.Observation)
	}
	act(t, w, "go to red closed door 1")
	if s := act(t, w, "toggle"); !s.Done || !s.Success || s.Progress != 1-0.9*6/50 {
		t.Errorf("%+v", s)
	}
	if s := act(t, w, "turn left"); s.Observation != finished || !s.Done || s.Progress != 1-0.9*6/50 {
		t.Errorf("%+v", s)
	}
}

// Every listed action is valid and the list is sorted; a fork goes on as its world would.
func TestActionsAndForks(t *testing.T) {
	ctx := context.Background()
	e := opened(t, Options{})
	rng := stream.New(1, "test")
	for _, id := range []string{"7/3", "18/5", "23/0", "33/0", "39/2"} {
		w, _ := played(t, e, id)
		for range 15 {
			actions, err := w.Actions(ctx)
			if err != nil || len(actions) == 0 || !slices.IsSorted(actions) || slices.Contains(actions, checkActions) {
				t.Fatalf("%s: %q, %v", id, actions, err)
			}
			var first []envs.Step
			for _, a := range actions {
				first = append(first, act(t, forked(t, w), a))
				if !first[len(first)-1].Valid {
					t.Fatalf("%s: %q is not valid", id, a)
				}
			}
			for i, a := range actions {
				if s := act(t, forked(t, w), a); s != first[i] {
					t.Fatalf("%s, %q: %+v, before %+v", id, a, s, first[i])
				}
			}
			act(t, w, actions[rng.IntN(len(actions))])
		}
	}
}

func forked(t sharedtest.Ender, w *world) *world {
	return sharedtest.Must(w.Fork())(t).(*world)
}

func TestView(t *testing.T) {
	w, _ := played(t, opened(t, Options{}), "13/1234")
	var got []string
	for _, row := range w.View().Rows {
		line := ""
		for _, g := range row {
			mark := ""
			if g.Lit {
				mark = "*"
			}
			line += fmt.Sprintf("%s%s%.1s ", g.Text, mark, g.Color)
		}
		got = append(got, line)
	}
	want := []string{
		"## ##* ##* ##* ##* ## ## ## ## ",
		"## . * . * . * ##*          ## ",
		"## > * . * . * ##*          ## ",
		"## . * . * . * Dr*r          ## ",
		"## ##* ##* ##* ##* ## ## ## ## ",
	}
	sharedtest.Same(t, got, want)
}

// FuzzStep types actions of any text into games.
func FuzzStep(f *testing.F) {
	f.Add(uint8(0), "go to red ball 1\ncheck\n\npickup red ball 1")
	f.Add(uint8(17), "toggle and go through red closed door 1\ntoggle\nGO THROUGH red open door 1\ndrop")
	e := sharedtest.Must(New(Options{}))(f)
	f.Fuzz(func(t *testing.T, task uint8, text string) {
		w, _ := played(t, e, e.Tasks()[int(task)%len(e.Tasks())].ID)
		for _, action := range strings.Split(text, "\n") {
			before := w.game.world.Steps()
			state := string(w.game.appendState(nil))
			s := act(t, w, action)
			known := w.game.world.Steps() > before
			if !known && state != string(w.game.appendState(nil)) {
				t.Fatalf("%q changed the game without a step", action)
			}
			if known && !s.Valid || s.Observation == "" || s.Progress < 0 || s.Progress > 1 || s.Done != s.Success {
				t.Fatalf("%q: %+v", action, s)
			}
		}
	})
}

// FuzzTask names tasks by any text.
func FuzzTask(f *testing.F) {
	for _, name := range []string{"1/1234", "BabyAI-Open-v0/7", "0/0", "/", "13/00"} {
		f.Add(name)
	}
	e := sharedtest.Must(New(Options{}))(f)
	f.Fuzz(func(t *testing.T, name string) {
		task, err := e.Task(name)
		if err != nil {
			return
		}
		if again, err := e.Task(task.ID); err != nil || again != task {
			t.Fatalf("%q is %+v, whose own name is %+v, %v", name, task, again, err)
		}
	})
}

// Seeds of a small level repeat worlds. Tasks with one content look alike from everywhere
// that the same actions lead to.
func TestContent(t *testing.T) {
	e := opened(t, Options{})
	look := func(id string) (seen []string) {
		w, start := played(t, e, id)
		seen = append(seen, start.Goal, start.Observation)
		for _, action := range []string{"turn left", "turn left", "move forward", "turn right", "move forward"} {
			seen = append(seen, act(t, w, action).Observation)
		}
		return seen
	}
	first := map[string]string{} // task of each content
	repeated := 0
	for seed := range 200 {
		id := fmt.Sprintf("BabyAI-OpenRedDoor-v0/%d", testSeeds+seed)
		content := sharedtest.Must(Content(id))(t)
		before, ok := first[content]
		if !ok {
			first[content] = id
			continue
		}
		repeated++
		sharedtest.Same(t, look(id), look(before), before, "and", id, "have one content, and differ")
	}
	t.Logf("%d of 200 seeds repeat a world", repeated)
	if repeated == 0 || len(first) < 10 {
		t.Errorf("%d contents in 200 seeds", len(first))
	}
	sharedtest.Fails(t, sharedtest.Err(Content("BabyAI-Nowhere-v0/1")), "", "a name that no task has is no error")
}
