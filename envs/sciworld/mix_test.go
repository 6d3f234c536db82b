package sciworld

import (
	"context"
	"math/rand/v2"
	"testing"

	"heldout/envs"
	"heldout/envs/sharedtest"
)

// drawn is an episode of which the actions are known.
type drawn struct {
	Task    string   `json:"task"`
	Actions []string `json:"actions"`
}

// mixLength is the number of steps of an episode of the mix.
const mixLength = 40

// mix is what worlds are measured by: an episode in a variation of each task, with
// actions drawn from what is valid.
func mix(t testing.TB, e *Env) (out []drawn) {
	t.Helper()
	ctx := context.Background()
	draw := rand.New(rand.NewPCG(1, 2))
	for n, kind := range tasks {
		task, err := e.Task(taskVariation{kind.Name, n * 7 % kind.Variations}.id())
		if err != nil { // a task about electricity, in AgentBoard's setting
			continue
		}
		w := startedIn(t, e, task)
		s := drawn{Task: task.ID}
		for range mixLength {
			valid := sharedtest.Must(w.(envs.Lister).Actions(ctx))(t)
			action := valid[draw.IntN(len(valid))]
			if _, err := w.Step(ctx, action); err != nil {
				t.Fatal(err)
			}
			s.Actions = append(s.Actions, action)
		}
		out = append(out, s)
		w.Close()
	}
	return out
}

func startedIn(t testing.TB, e *Env, task envs.Task) envs.World {
	t.Helper()
	w, err := e.NewWorld(task)
	if err == nil {
		_, err = w.Start(context.Background())
	}
	if err != nil {
		t.Fatal(err)
	}
	return w
}
