package bench

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"heldout/envs"
	"heldout/envs/catalog"
	"heldout/eval/serve"
)

func mounts(t *testing.T, m Mounting, texts ...string) []*serve.Mount {
	t.Helper()
	out := Outside{Now: time.Now, Getenv: func(string) string { return "" }, Warn: func(string) {}}
	m.Reward = serve.RewardSuccess
	all, _, err := Mounts(out, m, texts)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Every split that is listed opens, and a task of it starts.
func TestSplitsOpen(t *testing.T) {
	want := map[string][]string{
		"alfworld": {"test", "train"}, "babyai": {"test", "train"}, "hotpotqa": {"test"}, "jericho": {"test", "train"},
		"pddl": {"test", "train"}, "sciworld": {"test", "dev", "train", "all"},
		"own": {"test", "dev", "train", "all"}, "dev": {"dev", "test", "train", "all"},
	}
	texts := []string{"own=sciworld,variant=scienceworld", "dev=sciworld,variant=scienceworld,split=dev"}
	for _, entry := range catalog.All() {
		texts = append(texts, entry.Name)
	}
	for _, m := range mounts(t, Mounting{}, texts...) {
		got := m.SplitNames()
		slices.Sort(got[1:])
		slices.Sort(want[m.Name][1:])
		if diff := cmp.Diff(want[m.Name], got); diff != "" {
			t.Errorf("%s: %s", m.Name, diff)
		}
		for _, name := range got {
			set, err := m.Set(name)
			if err != nil {
				t.Errorf("%s: %v", m.Name, err)
				continue
			}
			w, err := set.Env.NewWorld(set.Tasks[len(set.Tasks)-1])
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.Start(t.Context()); err != nil {
				t.Errorf("%s, %s: %v", m.Name, name, err)
			}
			_ = w.Close() // its start has been seen
			tested := func(t envs.Task) bool { return catalog.UseOf(set.Env.Info(), t) == catalog.Test }
			if name == "train" && set.Env.Info().Name != "sciworld" && slices.ContainsFunc(set.Tasks, tested) {
				t.Errorf("%s: a task of train is one that a benchmark tests with", m.Name)
			}
		}
	}
}

// Ranges of generator seeds are splits; a client cannot open any number of them.
func TestGeneratedSplits(t *testing.T) {
	all := mounts(t, Mounting{Setup: envs.Setup{Data: ""}}, "pddl", "babyai")
	set, err := all[0].Set("generated:3-5")
	if err != nil || len(set.Tasks) != 180 || set.Name != "generated:3-5" {
		t.Fatalf("%+v, %v", set, err)
	}
	if again, err := all[0].Set("generated:3-5"); err != nil || again != set {
		t.Error("the split is opened again")
	}
	for _, name := range []string{"generated:", "generated:x", "generated:5-3", "generated:1-999999999"} {
		if _, err := all[0].Set(name); err == nil {
			t.Errorf("%s is a split", name)
		}
	}
	if _, err := all[1].Set("generated:1"); err == nil {
		t.Error("babyai generates no tasks")
	}
	for seed := range int64(15) {
		if _, err := all[0].Set("generated:" + (envs.GeneratorSeeds{First: seed, Last: seed}).String()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := all[0].Set("generated:100"); err == nil {
		t.Error("there is no limit of splits")
	}
}

// ALFWorld has the splits whose games are there, and its default, which says what it
// lacks.
func TestSplitsOfAFolder(t *testing.T) {
	dir := t.TempDir()
	for _, split := range []string{"train", "valid_seen"} {
		if err := os.MkdirAll(filepath.Join(dir, "alfworld", "json_2.1.1", split), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	m := mounts(t, Mounting{Setup: envs.Setup{Data: dir}}, "alfworld")[0]
	if diff := cmp.Diff([]string{"valid_unseen", "valid_seen", "train"}, m.SplitNames()); diff != "" {
		t.Error(diff)
	}
}
