package sciworld

import (
	"context"
	"fmt"
	"testing"

	"heldout/envs/sharedtest"

	"github.com/google/go-cmp/cmp"

	"heldout/envs"
)

// someActions are such as say something of most of what there is.
var someActions = []string{
	"open door to hallway", "go to hallway", "look around", "inventory", "open door to greenhouse", "go to greenhouse",
	"look around", "pick up jug", "wait", "wait1", "go outside", "look around", "task", "focus on orange", "jump", "",
	"go to kitchen", "look around", "pick up orange", "0", "open cupboard", "open fridge", "look around",
	"go to hallway", "go to art studio", "look around",
}

// sameBytes plays some tasks again and again, and asks for the valid actions and for the
// expert after the first time, which changes nothing. It returns what the tasks say.
func sameBytes(t *testing.T, e *Env) (said [][]string) {
	t.Helper()
	// In the second, 1.1.3 asks which orange is meant, and lists the two in an
	// order that depends on hashing.
	ids := []string{"lifespan-longest-lived/5", "boil/7"}
	for _, id := range ids {
		said = append(said, saidBy(t, e, id, false))
	}
	for i, id := range ids {
		if diff := cmp.Diff(said[i], saidBy(t, e, id, true)); diff != "" {
			t.Errorf("%s: %s", id, diff)
		}
	}
	return said
}

func saidBy(t *testing.T, e *Env, id string, asking bool) (said []string) {
	t.Helper()
	ctx := context.Background()
	task := sharedtest.Must(e.Task(id))(t)
	w := sharedtest.Must(e.NewWorld(task))(t)
	defer w.Close()
	start := sharedtest.Must(w.Start(ctx))(t)
	said = append(said, start.Goal, start.Observation)
	for _, a := range someActions {
		if asking {
			actions, err := w.(envs.Lister).Actions(ctx)
			if err != nil || len(actions) == 0 { // few where the simulator asks which is meant
				t.Fatal(len(actions), err)
			}
			if _, err := w.(envs.Expert).ExpertAction(ctx); err != nil {
				t.Fatal(err)
			}
		}
		s := sharedtest.Must(w.Step(ctx, a))(t)
		said = append(said, fmt.Sprintf("%+v", s))
	}
	return said
}

func TestSameBytes(t *testing.T) { sameBytes(t, opened(t, Options{})) }

// The official simulator says the same as ours through AgentBoard's layer.
func TestRealSameBytes(t *testing.T) {
	o := startOfficial(t)
	got := sameBytes(t, o.plays(Options{}))
	if diff := cmp.Diff(got, sameBytes(t, opened(t, Options{}))); diff != "" && o.version == nativeVersion {
		t.Error(diff)
	}
}

// The table of tasks is the simulator's.
func TestRealTasks(t *testing.T) {
	o := startOfficial(t)
	if names := ask[[]string](o, "getTaskNames"); len(names) != len(tasks) {
		t.Errorf("%d tasks", len(names))
	}
	for _, task := range tasks {
		if n := ask[int](o, "getTaskMaxVariations", task.name); n != task.variations {
			t.Errorf("%s: %d variations", task.name, n)
		}
		o.load(taskVariation{task.name, 0}, "")
		for part, method := range map[string]string{"train": "getVariationsTrain", "dev": "getVariationsDev",
			"test": "getVariationsTest"} {
			split := sharedtest.Must(findSplit(part))(t)
			from, to := split.bounds(task.variations)
			var want []int
			for v := from; v < to; v++ {
				want = append(want, v)
			}
			if diff := cmp.Diff(want, ask[[]int](o, method)); diff != "" {
				t.Errorf("%s, %s: %s", task.name, part, diff)
			}
		}
	}
}
