package record

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"heldout/envs"
	"heldout/envs/sharedtest"
)

// choosable is a plan of two environments, two models and three seeds.
func choosable() *Manifest {
	m := &Manifest{Names: map[string]string{"vllm:a": "Base"}}
	for _, name := range []string{"pddl", "babyai"} {
		env := Environment{Info: envs.Info{Name: name}, Tasks: []envs.Task{
			{ID: "gripper/1", Type: "gripper"}, {ID: "barman/1", Type: "barman", Index: 1},
			{ID: "other", Type: "barman", Index: -1}}}
		m.Environments = append(m.Environments, env)
		for _, model := range []string{"vllm:a", "expert"} {
			for seed := range int64(3) {
				m.Groups = append(m.Groups, Group{Condition{Env: name, Model: model, Seed: seed},
					[]string{name + model + "0", name + model + "1", name + model + "2"}})
			}
		}
	}
	return m
}

func TestOnly(t *testing.T) {
	for _, c := range []struct {
		only                 EpisodeFilter
		environments, groups int
		episodes             int
	}{
		{EpisodeFilter{}, 2, 12, 36},
		{EpisodeFilter{Env: []string{"pddl"}}, 1, 6, 18},
		{EpisodeFilter{Env: []string{"*a*"}, Model: []string{"a"}}, 1, 3, 9},
		{EpisodeFilter{Model: []string{"Base"}, Seed: []string{"0", "2-9"}}, 2, 4, 12},
		{EpisodeFilter{Task: []string{"barman"}}, 2, 12, 24},
		{EpisodeFilter{Task: []string{"1-5"}}, 2, 12, 12},
		{EpisodeFilter{Task: []string{"?ripper/*", "other"}}, 2, 12, 24},
		{EpisodeFilter{Task: []string{"GRIPPER"}}, 0, 0, 0},
		{EpisodeFilter{Preset: []string{"none"}}, 2, 12, 36},
		{EpisodeFilter{Preset: []string{"eto"}}, 0, 0, 0},
		{EpisodeFilter{Seed: []string{"-1"}}, 0, 0, 0},
		{EpisodeFilter{Env: []string{"p.d*"}}, 0, 0, 0},
	} {
		m := choosable().Only(c.only)
		if len(m.Environments) != c.environments || len(m.Groups) != c.groups || m.Planned() != c.episodes {
			t.Errorf("%s: %d environments, %d groups, %d episodes", c.only, len(m.Environments), len(m.Groups),
				m.Planned())
		}
		for _, g := range m.Groups {
			if env, ok := m.EnvironmentOf(g.Condition); !ok || len(env.Tasks) != len(g.Episodes) {
				t.Errorf("%s: the plan for %s does not fit its tasks", c.only, g.Condition.Env)
			}
		}
	}
}

func TestPresetNames(t *testing.T) {
	p := &Preset{Name: "eto-alfworld@1+:unseen"}
	for _, name := range []string{"eto-alfworld", "eto-alfworld:unseen", "eto-alfworld@1+", "eto-*",
		"eto-alfworld@1+:unseen"} {
		if !fits([]string{name}, p.Names()...) {
			t.Errorf("%s does not fit", name)
		}
	}
	if fits([]string{"none"}, p.Names()...) || fits([]string{"eto"}, p.Names()...) {
		t.Error("another name fits")
	}
}

// What is read with a choice is what is read without one and chosen.
func TestChoose(t *testing.T) {
	dir, of := sharded(t, 3)
	for i, episodes := range of {
		appended(t, filepath.Join(dir, Shard{i + 1, 3}.Dir()), episodes...)
	}
	name := of[0][0].Task
	chosen, err := Choose([]Parts{{dir}}, EpisodeFilter{Task: []string{name}})
	if err != nil || len(chosen) != 1 {
		t.Fatal(chosen, err)
	}
	var want, got, indexed []string
	sharedtest.OK(t, sharedtest.Err(EachEpisode(Parts{dir}, func(_ *Manifest, e *Episode) {
		if e.Task == name {
			want = append(want, e.ID)
		}
	})))
	part, err := EachEpisode(chosen[0], func(_ *Manifest, e *Episode) { got = append(got, e.ID) })
	if err != nil || !slices.Equal(got, want) || len(want) == 0 {
		t.Errorf("%q, want %q (%v)", got, want, err)
	}
	sharedtest.Equal(t, len(part.Environments[0].Tasks), 1, "tasks")
	x := sharedtest.Must(OpenIndex(chosen[0]))(t)
	for i := range x.Results().Len() {
		indexed = append(indexed, x.Results().Result(i).ID)
	}
	sharedtest.Same(t, indexed, want, "the index has")
	if _, err := Choose([]Parts{{dir}}, EpisodeFilter{Task: []string{name}, Seed: []string{"99"}}); err == nil ||
		!strings.Contains(err.Error(), `--seeds "99" fits nothing; there are `) {
		t.Error(err)
	}
}

// A model may be chosen by the name that the user gave it.
func TestCalled(t *testing.T) {
	given := EpisodeFilter{Model: []string{"tuned", "other"}}
	got := given.Called(map[string]string{"vllm:step-900": "tuned"})
	sharedtest.Same(t, got.Model, []string{"vllm:step-900", "other"})
	sharedtest.Equal(t, given.Model[0], "tuned", "the choice that was given has changed")
}

// What fits nothing is told with the values that there are, the first twenty of them.
func TestUnfit(t *testing.T) {
	if err := unfit("--model", "x", []string{"a", "b"}); !strings.HasSuffix(err.Error(), "there are a, b") {
		t.Error(err)
	}
	many := slices.Repeat([]string{"v"}, 23)
	if err := unfit("--model", "x", many); !strings.HasSuffix(err.Error(), "v and 3 more") {
		t.Error(err)
	}
	sharedtest.Contains(t, unfit("--tasks", "x", []string{"box"}).Error(), "ranges, or types: box")
}
