package catalog

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/envs/stream"
)

// walker is a world with its task.
type walker struct {
	t    testing.TB
	task envs.Task
	envs.World
}

// started is a world of a task that has begun.
func started(t testing.TB, e envs.Env, task envs.Task) walker {
	t.Helper()
	w := walker{t, task, sharedtest.Must(e.NewWorld(task))(t)}
	if _, err := w.Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w walker) fork() walker {
	f, _ := envs.As[envs.Forker](w.World)
	world, err := f.Fork()
	if err != nil {
		w.t.Fatal(err)
	}
	return walker{w.t, w.task, world}
}

func (w walker) key() string {
	w.t.Helper()
	key, err := envs.StateKey(w.task, w.World)
	if err != nil || len(key) != 16 {
		w.t.Fatalf("the key is %q, %v", key, err)
	}
	return key
}

func (w walker) list() []string {
	l, ok := envs.As[envs.Lister](w.World)
	if !ok {
		w.t.Fatal("the world lists no actions")
	}
	actions, err := l.Actions(context.Background())
	if err != nil {
		w.t.Fatal(err)
	}
	return actions
}

func (w walker) step(action string) envs.Step {
	s, err := w.Step(context.Background(), action)
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

// pick draws an action. An answer, which ends HotpotQA's episodes, is drawn only if there is nothing else.
func pick(random *rand.Rand, actions []string) string {
	ends := func(action string) bool { return strings.HasPrefix(action, "finish[") }
	if on := slices.DeleteFunc(slices.Clone(actions), ends); len(on) > 0 {
		actions = on
	}
	return actions[random.IntN(len(actions))]
}

// apart plays the same random actions in forks of two worlds, drawn from what either
// lists, and returns the first difference; "" if there is none before either ends.
func apart(a, b walker, random *rand.Rand, steps int) string {
	a, b = a.fork(), b.fork()
	for range steps {
		actions, others := a.list(), b.list()
		if !slices.Equal(actions, others) {
			return fmt.Sprintf("the lists are %q and %q", actions, others)
		}
		if len(actions) == 0 {
			return ""
		}
		action := pick(random, actions)
		one, other := a.step(action), b.step(action)
		if one.Done != other.Done && !one.Success && !other.Success {
			return "" // by the number of steps
		}
		if one != other {
			return fmt.Sprintf("%q is answered by %+v and %+v", action, one, other)
		}
		if one.Done {
			return ""
		}
	}
	return ""
}

// Worlds whose keys are equal go on alike. Most worlds whose keys differ show a difference in few random steps.
func TestStateKeys(t *testing.T) {
	for _, entry := range Entries() {
		name := entry.Name
		t.Run(name, func(t *testing.T) {
			e := sharedtest.Must(Open(name, envs.Setup{}, envs.Outside{}))(t)
			random := stream.New(1, "state keys", name)
			var equal, different, visible int
			for _, task := range sharedtest.Sample(t, e.Tasks(), 1, 12) {
				world := sharedtest.Must(e.NewWorld(task))(t)
				w := walker{t, task, world}
				if _, forks := envs.As[envs.Forker](world); !forks && len(entry.Folders) == 0 {
					return // only the six benchmarks must fork
				}
				if _, err := w.Start(context.Background()); err != nil {
					t.Fatal(err)
				}
				seen := map[string]walker{}
				var keys []string
				for range sharedtest.Times(t, 30, 8) {
					key := w.key()
					if again := w.fork(); again.key() != key {
						t.Fatalf("%s: a fork has another key", task.ID)
					}
					if before, ok := seen[key]; ok {
						if equal++; apart(before, w, random, 50) != "" {
							t.Fatalf("%s: worlds with one key differ: %s", task.ID, apart(before, w, random, 50))
						}
					}
					for _, other := range keys {
						if other != key && random.IntN(10) == 0 {
							if different++; apart(seen[other], w, random, 20) != "" {
								visible++
							}
						}
					}
					if _, ok := seen[key]; !ok {
						keys = append(keys, key)
					}
					seen[key] = w.fork()
					actions := w.list()
					if !slices.Equal(w.list(), actions) || w.key() != key {
						t.Fatalf("%s: asking for the actions changes the world", task.ID)
					}
					if len(actions) == 0 {
						break
					}
					action, twin, stray := pick(random, actions), w.fork(), w.fork()
					for range 3 { // which is nothing to the others
						if list := stray.list(); len(list) > 0 {
							stray.step(pick(random, list))
						}
					}
					s := w.step(action)
					if twin.step(action); twin.key() != w.key() {
						t.Fatalf("%s: after %q a fork has another key", task.ID, action)
					}
					if s.Done {
						break
					}
				}
			}
			t.Logf("%d pairs of equal keys, none apart; %d pairs of different keys, %d apart", equal, different, visible)
			if 4*different > 5*visible {
				t.Errorf("%d of %d pairs with different keys show a difference", visible, different)
			}
		})
	}
}
