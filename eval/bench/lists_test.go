package bench

import (
	"slices"
	"strings"
	"testing"
	"time"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/catalog"
	"heldout/envs/sharedtest"
	"heldout/eval"
	"heldout/eval/episode"
	"heldout/eval/episode/episodetest"
	"heldout/scoring/record"
)

// Names that the environment does not have are left out of a partial list alone.
func TestPartialList(t *testing.T) {
	env := episodetest.NewCountdown(3)
	names := []string{"from/3", "from/9", "from/1", "from/3"}
	got, err := named(env, names, true)
	if err != nil || len(got) != 2 || got[0].ID != "from/3" || got[1].ID != "from/1" {
		t.Errorf("%v, %v", got, err)
	}
	sharedtest.Fails(t, sharedtest.Err(named(env, names, false)), "from/9", "a whole list with an unknown name")
}

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
	sharedtest.OK(t, sharedtest.Err(reopened.NewWorld(found)))
}

func TestReadPaths(t *testing.T) {
	for _, c := range []struct {
		name, json string
		want       []string
	}{
		{"a list of files", `["json_2.1.1/valid_unseen/put-A-None-B-10/trial_1/game.tw-pddl"]`,
			[]string{"put-A-None-B-10/trial_1"}},
		{"folders by type", `{"b": ["put-A-None-B-10/trial_2"], "a": ["x/put-A-None-B-10/trial_1"]}`,
			[]string{"put-A-None-B-10/trial_2", "put-A-None-B-10/trial_1"}},
		{"folders and trials", `[["put-A-None-B-10", "trial_T1"], {"folder": "put-A-None-B-11", "trial": "trial_T2"}]`,
			[]string{"put-A-None-B-10/trial_T1", "put-A-None-B-11/trial_T2"}},
		{"fields of objects", `[{"id": 1, "task": {"path": "/x/put-A-None-B-10/trial_1/"}}]`,
			[]string{"put-A-None-B-10/trial_1"}},
	} {
		list := configs.PresetList{Format: "alfworld-paths"}
		got, err := readList(configs.PromptFile{Name: "f", Content: []byte(c.json)}, list)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, %v, want %q", c.name, got, err, c.want)
		}
	}
	for _, bad := range []string{"", "{", "[]", `["trial_1"]`, `"no path"`} {
		if got, err := readPaths([]byte(bad)); err == nil {
			t.Errorf("%s: %q", bad, got)
		}
	}
}

// FuzzReadPaths: names have the two folders that tasks are named after.
func FuzzReadPaths(f *testing.F) {
	f.Add([]byte(`{"a": ["x/put/trial_1/game.tw-pddl"]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		names, err := readPaths(b)
		for _, name := range names {
			if err == nil && strings.Count(name, "/") != 1 {
				t.Errorf("%q", name)
			}
		}
	})
}
