package bench

import (
	"slices"
	"testing"
	"time"

	"heldout/envs"
	"heldout/envs/catalog"
	"heldout/envs/sharedtest"
	"heldout/eval"
	"heldout/eval/episode"
	"heldout/scoring/record"
)

// Draws are the same for the same seed, and have names of their own.
func TestDraw(t *testing.T) {
	tasks := []envs.Task{{ID: "a"}, {ID: "b"}, {ID: "c"}}
	got := draw(tasks, 60, 1)
	if !slices.Equal(got, draw(tasks, 60, 1)) || slices.Equal(got, draw(tasks, 60, 2)) {
		t.Error("the draws do not follow from the seed")
	}
	count, names := map[string]int{}, map[string]bool{}
	for _, task := range got {
		names[task.ID] = true
		count[drawnFrom(task.ID)]++
	}
	if len(names) != 60 || len(count) != 3 || !names["a"] || !names["a#2"] {
		t.Errorf("%d names of %v", len(names), count)
	}
	if got := draw(nil, 3, 1); got != nil {
		t.Errorf("%v is drawn from nothing", got)
	}
}

// A task that was drawn twice is two episodes, each of which can be opened again.
func TestDrawnTasks(t *testing.T) {
	out := envs.Outside{Now: time.Now}
	env := sharedtest.Must(catalog.Open("pddl", envs.Setup{}, out))(t)
	task := env.Tasks()[3]
	again := task
	again.ID += "#2"
	b := episode.Benchmark{Env: drawnEnv{env}, Tasks: []envs.Task{task, again}, StepLimit: 5, Named: &record.Preset{
		Name: "p", SHA256: "h"}}
	plan, err := eval.NewPlan(&eval.Spec{Benchmarks: []episode.Benchmark{b}, Players: []episode.Player{
		{Name: episode.Expert, Agent: episode.Expert}}, Seeds: []int64{0}})
	if err != nil || plan.Episodes[0].ID == plan.Episodes[1].ID {
		t.Fatalf("%v: two draws are one episode", err)
	}
	c := plan.Episodes[1].Condition
	reopened, found, err := (&Worlds{Texts: Texts{Outside: out}}).Task(*c, again)
	if err != nil || found.ID != again.ID {
		t.Fatalf("%v, %v", found, err)
	}
	if _, err := reopened.NewWorld(found); err != nil {
		t.Error(err)
	}
}
