package catalog

import (
	"testing"

	"heldout/envs"
	"heldout/envs/alfworld"
	"heldout/envs/sciworld"
	"heldout/envs/sharedtest"
)

// Every environment has its tasks classified, every split by name, and all that is unknown counts as test.
func TestUses(t *testing.T) {
	for _, c := range sharedtest.Cases[struct {
		Env      string
		Source   envs.Source
		Settings map[string]string
		Task     string
		Unknown  bool // a record does not say what the task holds
		Use      string
		Want     Use
	}](t, "uses.yaml") {
		task := envs.Task{ID: c.Task, Use: c.Use}
		if !c.Unknown {
			task.Content = "0123456789abcdef"
		}
		sharedtest.Equal(t, UseOf(envs.Info{Name: c.Env, Source: c.Source, Settings: c.Settings}, task), c.Want, c)
	}
	for _, e := range Entries() {
		if e.Name == "sciworld" || e.Name == "babyai" || len(e.Folders) == 0 {
			continue // by task, not by source; without official tasks, all are for tests
		}
		if got := UseOf(envs.Info{Name: e.Name, Source: envs.Generated}, envs.Task{}); got != Train {
			t.Errorf("%s: its generated tasks are not classified: %s; useByName in use.go says what they are for",
				e.Name, got)
		}
	}
	train := 0
	for _, split := range alfworld.Splits() {
		i := envs.Info{Name: "alfworld", Source: envs.Official, Settings: map[string]string{"split": split}}
		if UseOf(i, envs.Task{Content: "0"}) == Train {
			train++
		}
	}
	if train != 1 || len(sciworld.Splits()) != 4 {
		t.Errorf("%d splits of alfworld are for training, and sciworld has the splits %v: classify new ones", train,
			sciworld.Splits())
	}
}
