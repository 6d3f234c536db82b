package catalog

import (
	"testing"

	"heldout/envs"
	"heldout/envs/sharedtest"
)

// The tasks of several seeds are one environment: each is the task that its seed alone
// has, and all have names and numbers of their own.
func TestGeneratorSeeds(t *testing.T) {
	for _, name := range sharedtest.Sample(t, []string{"pddl", "alfworld", "jericho"}, 1) {
		open := func(text string) envs.Env {
			var seeds envs.GeneratorSeeds
			sharedtest.OK(t, seeds.Set(text))
			return sharedtest.Must(Open(name, envs.Setup{GeneratorSeed: seeds}, envs.Outside{}))(t)
		}
		start := func(env envs.Env, task envs.Task) envs.Start {
			w, err := env.NewWorld(task)
			if err != nil {
				t.Fatal(name, task.ID, err)
			}
			defer w.Close()
			return sharedtest.Must(w.Start(t.Context()))(t)
		}
		all, four := open("2-6"), open("4")
		tasks := all.Tasks()
		names := map[string]bool{}
		for i, task := range tasks {
			if names[task.ID] || task.Index != i {
				t.Errorf("%s: %+v is number %d", name, task, i)
			}
			names[task.ID] = true
		}
		each := len(four.Tasks())
		if len(tasks) != 5*each || all.Info().Settings["generator-seed"] != "2-6" {
			t.Errorf("%s: %d tasks, %v", name, len(tasks), all.Info())
		}
		for _, i := range []int{0, each - 1} {
			if pooled, alone := tasks[2*each+i], four.Tasks()[i]; pooled.Digest != alone.Digest ||
				start(all, pooled) != start(four, alone) {
				t.Errorf("%s: %+v is not %+v", name, pooled, alone)
			}
		}
		start(all, tasks[len(tasks)-1])
		start(all, tasks[0])
	}
	for _, bad := range []string{"", "x", "5-1", "1-", "-3-4", "0-99999999"} {
		sharedtest.Fails(t, new(envs.GeneratorSeeds).Set(bad), "", bad)
	}
}
