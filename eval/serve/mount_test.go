package serve_test

import (
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"heldout/envs"
	"heldout/envs/catalog"
	"heldout/envs/sharedtest"
	"heldout/eval/bench"
	"heldout/eval/serve"
	"heldout/eval/serve/mount"
)

func outside() bench.Outside {
	return bench.Outside{Now: time.Now, Getenv: func(string) string { return "" }, Warn: func(string) {}}
}

func mounts(t *testing.T, m mount.Defaults, texts ...string) []*serve.Mount {
	t.Helper()
	m.Reward = serve.RewardSuccess
	all, _, err := mount.Parse(outside(), m, texts)
	sharedtest.OK(t, err)
	return all
}

// A mount's default is the split that is named, of those that it lists without a name.
func TestSplitNamed(t *testing.T) {
	for _, entry := range catalog.Entries() {
		list := mounts(t, mount.Defaults{}, entry.Name)[0].SplitNames()
		for i, name := range list {
			for _, m := range []*serve.Mount{
				mounts(t, mount.Defaults{}, entry.Name+",split="+name)[0],
				mounts(t, mount.Defaults{Setup: envs.Setup{Settings: envs.Settings{"split": name}}}, entry.Name)[0],
			} {
				want := slices.Concat(list[i:i+1], list[:i], list[i+1:])
				sharedtest.Same(t, m.SplitNames(), want, entry.Name, name)
			}
		}
	}
	_, _, err := mount.Parse(bench.Outside{}, mount.Defaults{}, []string{"pddl,split=dev"})
	if want := `pddl,split=dev: no split is called "dev", only test and train`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// Every split that is listed opens, and a task of it starts.
func TestSplitsOpen(t *testing.T) {
	want := map[string][]string{
		"alfworld": {"test", "train"}, "babyai": {"test", "train"}, "hotpotqa": {"test"}, "jericho": {"test", "train"},
		"pddl": {"test", "train"}, "sciworld": {"test", "dev", "train", "all"},
		"own": {"test", "dev", "train", "all"}, "dev": {"dev", "test", "train", "all"},
	}
	texts := []string{"own=sciworld,variant=scienceworld", "dev=sciworld,variant=scienceworld,split=dev"}
	for _, entry := range catalog.Entries() {
		texts = append(texts, entry.Name)
	}
	for _, m := range mounts(t, mount.Defaults{}, sharedtest.Sample(t, texts, 4)...) {
		got, splits := m.SplitNames(), want[m.Name]
		if splits == nil {
			splits = []string{"test"} // of an environment without official tasks
		}
		slices.Sort(got[1:])
		slices.Sort(splits[1:])
		sharedtest.Same(t, got, splits, m.Name)
		for _, name := range got {
			set, err := m.Set(name)
			if err != nil {
				t.Errorf("%s: %v", m.Name, err)
				continue
			}
			w := sharedtest.Must(set.Env.NewWorld(set.Tasks[len(set.Tasks)-1]))(t)
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
	all := mounts(t, mount.Defaults{Setup: envs.Setup{Data: ""}}, "pddl", "babyai")
	set, err := all[0].Set("generated:3-5")
	if err != nil || len(set.Tasks) != 180 || set.Name != "generated:3-5" {
		t.Fatalf("%+v, %v", set, err)
	}
	if again, err := all[0].Set("generated:3-5"); err != nil || again != set {
		t.Error("the split is opened again")
	}
	for _, name := range []string{"generated:", "generated:x", "generated:5-3", "generated:1-999999999"} {
		sharedtest.Fails(t, sharedtest.Err(all[0].Set(name)), "", name)
	}
	sharedtest.Fails(t, sharedtest.Err(all[1].Set("generated:1")), "", "babyai generates no tasks")
	for seed := range int64(15) {
		if _, err := all[0].Set("generated:" + (envs.GeneratorSeeds{First: seed, Last: seed}).String()); err != nil {
			t.Fatal(err)
		}
	}
	sharedtest.Fails(t, sharedtest.Err(all[0].Set("generated:100")), "", "there is no limit of splits")
}

// ALFWorld has the splits whose games are there, and its default, which says what it lacks.
func TestSplitsOfAFolder(t *testing.T) {
	dir := t.TempDir()
	for _, split := range []string{"train", "valid_seen"} {
		sharedtest.OK(t, os.MkdirAll(filepath.Join(dir, "alfworld", "json_2.1.1", split), 0o777))
	}
	m := mounts(t, mount.Defaults{Setup: envs.Setup{Data: dir}}, "alfworld")[0]
	sharedtest.Equal(t, cmp.Diff([]string{"valid_unseen", "valid_seen", "train"}, m.SplitNames()), "")
}

// A mount has the settings of its text; what cannot be one is refused.
func TestSettingsOfMounts(t *testing.T) {
	m := mounts(t, mount.Defaults{}, "mine=pddl,preset=agentrefine:pddl,tasks=gripper,perturb=verbs:2,reward=progress,"+
		"step-cost=0.5,invalid-penalty=0.25,actions=true,step-limit=7")[0]
	if m.Name != "mine" || m.Perturbation != "verbs:2" || m.StepCost != 0.5 || m.InvalidPenalty != 0.25 ||
		m.Reward != serve.RewardProgress || m.MaxSteps != 7 {
		t.Errorf("%+v", m)
	}
	for text, want := range sharedtest.Table[string](t, "mounts-refused.yaml") {
		if _, _, err := mount.Parse(outside(), mount.Defaults{}, []string{text}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	_, _, err := mount.Parse(outside(), mount.Defaults{}, []string{"openenv:http://me:secret@127.0.0.1:1/?key=secret"})
	if err == nil || strings.Contains(err.Error(), "secret") {
		t.Error(err)
	}
	if _, _, err := mount.Parse(outside(), mount.Defaults{}, []string{"pddl", "pddl"}); err == nil ||
		!strings.Contains(err.Error(), "two mounts are called pddl") {
		t.Errorf("two of one name: %v", err)
	}
}

// The earlier name of a setting works, with the hint that flags give.
func TestEarlierNames(t *testing.T) {
	var hints []string
	out := outside()
	out.Warn = func(line string) { hints = append(hints, line) }
	all, _, err := mount.Parse(out, mount.Defaults{Reward: serve.RewardSuccess}, []string{"pddl,max-steps=3"})
	if err != nil || len(all) != 1 || len(hints) != 1 ||
		hints[0] != "max-steps is called step-limit now; the next version forgets max-steps" {
		t.Errorf("%d mounts, hints %q, %v", len(all), hints, err)
	}
	if _, _, err := mount.Parse(out, mount.Defaults{}, []string{"pddl,name=x"}); err == nil ||
		!strings.Contains(err.Error(), `no setting "name"`) {
		t.Error(err)
	}
}

// AgentGym's servers have the environments that are there; their numbers name tasks.
func TestGyms(t *testing.T) {
	gyms, skipped := mount.Gyms(outside(), mount.Defaults{}, nil)
	names := map[string]*serve.Gym{}
	for _, g := range gyms {
		names[g.Mount.Name] = g
	}
	if len(gyms) != 2 || names["babyai"] == nil || names["sciworld"] == nil || len(skipped) != 1 ||
		!strings.Contains(skipped[0].Error(), "AgentGym's alfworld is not served: its games are ALFWorld's own") {
		t.Fatalf("%d environments, skipped %v", len(gyms), skipped)
	}
	for name, g := range names {
		if c, err := g.Choose(big.NewInt(0)); err != nil || c.TaskID == "" {
			t.Errorf("%s: the first task is %+v, %v", name, c, err)
		}
	}
	huge := new(big.Int).Lsh(big.NewInt(1), 80)
	sharedtest.Fails(t, sharedtest.Err(names["sciworld"].Choose(huge)), "list index out of range")
	if gyms, _ := mount.Gyms(outside(), mount.Defaults{}, []string{"pddl", "own=babyai,max-steps=3"}); len(gyms) != 1 ||
		gyms[0].Mount.Name != "babyai" {
		t.Errorf("%d environments for babyai alone", len(gyms))
	}
}
