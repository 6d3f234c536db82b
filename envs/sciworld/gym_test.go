package sciworld

import (
	"context"
	"flag"
	"math/rand/v2"
	"testing"

	"heldout/envs"
	"heldout/envs/sharedtest"
)

var (
	gymEvery = flag.Int("gym-every", 97, "compare every so many of AgentGym's tasks with the official simulator")
	gymSteps = flag.Int("gym-steps", 8, "steps of each of AgentGym's tasks that are compared")
)

// gymSaid plays one of AgentGym's tasks as its service does. The actions are
// the given ones or, without any, drawn from what is valid here.
func gymSaid(t *testing.T, e *Env, number int, actions []string) (said, played []string) {
	t.Helper()
	id := sharedtest.Must(GymTask(number))(t)
	task := sharedtest.Must(e.Task(id))(t)
	w := sharedtest.Must(e.NewWorld(task))(t)
	defer w.Close()
	ctx := context.Background()
	start := sharedtest.Must(w.Start(ctx))(t)
	said = append(said, start.Goal, start.Observation)
	draw := rand.New(rand.NewPCG(1, uint64(number)))
	for n := range *gymSteps {
		var action string
		if actions != nil {
			action = actions[n]
		} else {
			valid := sharedtest.Must(w.(envs.Lister).Actions(ctx))(t)
			action = valid[draw.IntN(len(valid))]
		}
		s := sharedtest.Must(w.Step(ctx, action))(t)
		played, said = append(played, action), append(said, action+": "+s.Observation)
	}
	asked := w.(interface {
		Goals(context.Context) (string, error)
		PossibleObjects(context.Context) ([]string, error)
	})
	goals := sharedtest.Must(asked.Goals(ctx))(t)
	return append(append(said, goals), sharedtest.Must(asked.PossibleObjects(ctx))(t)...), played
}

// AgentGym's service over the official simulator and ours say the same.
func TestRealGym(t *testing.T) {
	simulator, o := startOfficial(t), Options{Variant: ScienceWorld, Split: "all"}
	if simulator.version == "1.2.3" { // which AgentGym's service has
		o = Options{Variant: AgentGym}
	}
	ours, real := opened(t, o), simulator.plays(o)
	tasks, texts, different := 0, 0, 0 // texts that differ
	for number := *first % *gymEvery; number < 4639; number += *gymEvery {
		said, played := gymSaid(t, ours, number, nil)
		want, _ := gymSaid(t, real, number, played)
		tasks++
		for i := range min(len(said), len(want)) {
			texts++
			if said[i] != want[i] {
				different++
				t.Logf("task %d, text %d: %q, want %q", number, i, said[i], want[i])
			}
		}
	}
	t.Logf("version %s: %d tasks, %d texts, %d of them differ", simulator.version, tasks, texts, different)
	if different > 0 && (simulator.version == nativeVersion || o.Variant == AgentGym) {
		t.Errorf("%d of %d texts differ", different, texts)
	}
}

// The variant AgentGym has its tasks in its order, and answers looks at doors and drains.
func TestGymVariant(t *testing.T) {
	e := opened(t, Options{Variant: AgentGym})
	if n := len(e.Tasks()); n != 4639 || e.Tasks()[4638].ID != "identify-life-stages-2/9" {
		t.Errorf("%d tasks", n)
	}
	for variant, want := range map[string]string{
		AgentGym:     "A door to the bedroom (that is closed)",
		ScienceWorld: "ERROR: SHOULD USE OVERRIDE FOR PORTAL.",
	} {
		other := opened(t, Options{Variant: variant, Split: map[string]string{ScienceWorld: "all"}[variant]})
		w := sharedtest.Must(other.NewWorld(other.Tasks()[0]))(t)
		if _, err := w.Start(context.Background()); err != nil {
			t.Fatal(err)
		}
		s := sharedtest.Must(w.Step(context.Background(), "look at bedroom door"))(t)
		sharedtest.Equal(t, s.Observation, want, variant)
	}
}
