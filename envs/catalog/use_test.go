package catalog

import (
	"testing"

	"heldout/envs"
	"heldout/envs/alfworld"
	"heldout/envs/sciworld"
	"heldout/envs/sharedtest"
)

// Every environment has its tasks classified, every split by name, and all that is
// unknown counts as test.
func TestUses(t *testing.T) {
	info := func(env string, source envs.Source, settings ...string) envs.Info {
		i := envs.Info{Name: env, Source: source, Settings: map[string]string{}}
		for j := 0; j < len(settings); j += 2 {
			i.Settings[settings[j]] = settings[j+1]
		}
		return i
	}
	for _, c := range []struct {
		info envs.Info
		task string
		want Use
	}{
		{info("alfworld", envs.Official), "x", Test},
		{info("alfworld", envs.Official, "split", "valid_seen"), "x", Test},
		{info("alfworld", envs.Official, "split", "valid_train"), "x", Test},
		{info("alfworld", envs.Official, "split", "train"), "x", Train},
		{info("alfworld", envs.Official, "split", "new"), "x", Test},
		{info("alfworld", envs.Generated), "x", Train},
		{info("babyai", envs.Official), "BabyAI-GoToRedBallGrey-v0/1234", Test},
		{info("babyai", envs.Generated, "labels", "instruction"), "BabyAI-GoToRedBallGrey-v0/1234", Test},
		{info("babyai", envs.Generated, "variant", "agentgym"), "BabyAI-GoToRedBallGrey-v0/3", Test},
		{info("babyai", envs.Generated), "BabyAI-GoToRedBallGrey-v0/10000", Train},
		{info("babyai", envs.Generated), "nonsense", Test},
		{info("hotpotqa", envs.Official), "x", Test},
		{info("hotpotqa", envs.Official, "questions", "my_train.json"), "x", Test},
		{info("hotpotqa", envs.Official, "questions", "hotpot_train_v1.1.json"), "x", Train},
		{info("hotpotqa", envs.Generated), "x", Train},
		{info("jericho", envs.Official), "zork1", Test},
		{info("jericho", envs.Generated), "lowlight", Train},
		{info("pddl", envs.Official), "gripper/prob01", Test},
		{info("pddl", envs.Generated), "gripper/1", Train},
		{info("sciworld", envs.Official, "variant", "scienceworld", "split", "train"), "boil/0", Train},
		{info("sciworld", envs.Official, "variant", "scienceworld", "split", "train"), "boil/5", Test}, // AgentBoard's
		{info("sciworld", envs.Official, "variant", "scienceworld", "split", "all"), "boil/14", Dev},
		{info("sciworld", envs.Generated), "boil/29", Test},
		{info("sciworld", envs.Official), "nonsense", Test},
		{info("a new one", envs.Generated), "x", Test},
	} {
		sharedtest.Equal(t, UseOf(c.info, envs.Task{ID: c.task, Content: "0123456789abcdef"}), c.want, c.info, c.task)
	}
	for _, unknown := range []envs.Info{info("alfworld", envs.Official, "split", "train"),
		info("hotpotqa", envs.Official, "questions", "hotpot_train_v1.1.json")} {
		sharedtest.Equal(t, UseOf(unknown, envs.Task{ID: "x"}), Test, unknown.Name, "what is not known")
	}
	for _, e := range Entries() {
		if e.Name == "sciworld" || e.Name == "babyai" || len(e.Folders) == 0 {
			continue // by task, not by source; without official tasks, all are for tests
		}
		if got := UseOf(info(e.Name, envs.Generated), envs.Task{}); got != Train {
			t.Errorf("%s: its generated tasks are not classified: %s; useByName in use.go says what they are for",
				e.Name, got)
		}
	}
	for use, want := range map[string]Use{"": Test, "train": Train, "dev": Dev, "test": Test, "all": Test} {
		sharedtest.Equal(t, UseOf(info("exec:mine", envs.External), envs.Task{ID: "x", Use: use}), want,
			"a task of others for", use)
	}
	sharedtest.Equal(t, UseOf(info("pddl", envs.Official), envs.Task{ID: "x", Use: "train"}), Test,
		"a record makes a task of a benchmark")
	train := 0
	for _, split := range alfworld.Splits() {
		if UseOf(info("alfworld", envs.Official, "split", split), envs.Task{Content: "0"}) == Train {
			train++
		}
	}
	if train != 1 || len(sciworld.Splits()) != 4 {
		t.Errorf("%d splits of alfworld are for training, and sciworld has the splits %v: classify new ones", train,
			sciworld.Splits())
	}
}
