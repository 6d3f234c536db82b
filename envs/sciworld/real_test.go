package sciworld

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"heldout/envs"
	"heldout/envs/sharedtest"
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
	// In the second, 1.1.3 asks which orange is meant, and lists the two in an order that depends on hashing.
	ids := []string{"lifespan-longest-lived/5", "boil/7"}
	for _, id := range ids {
		said = append(said, saidBy(t, e, id, false))
	}
	for i, id := range ids {
		sharedtest.Same(t, saidBy(t, e, id, true), said[i], id)
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
		said = append(said, fmt.Sprintf("%+v", sharedtest.Must(w.Step(ctx, a))(t)))
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
	sharedtest.Equal(t, len(ask[[]string](o, "getTaskNames")), len(tasks), "tasks")
	for _, task := range tasks {
		sharedtest.Equal(t, ask[int](o, "getTaskMaxVariations", task.Name), task.Variations, task.Name, "variations")
		o.load(taskVariation{task.Name, 0}, "")
		for part, method := range map[string]string{"train": "getVariationsTrain", "dev": "getVariationsDev",
			"test": "getVariationsTest"} {
			from, to := sharedtest.Must(findSplit(part))(t).bounds(task.Variations)
			var want []int
			for v := from; v < to; v++ {
				want = append(want, v)
			}
			sharedtest.Same(t, ask[[]int](o, method), want, task.Name, part)
		}
	}
}
