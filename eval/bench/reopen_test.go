package bench

import (
	"os"
	"strings"
	"testing"
	"time"

	"heldout/envs"
	"heldout/envs/catalog"
	"heldout/envs/sharedtest"
	"heldout/eval"
	"heldout/eval/episode"
	"heldout/perturb"
	"heldout/scoring/record"
)

// An episode of generated tasks is drawn from its record, also under a perturbation.
func TestReopen(t *testing.T) {
	out := envs.Outside{Now: time.Now}
	c := record.Condition{Env: "babyai", Source: envs.Generated, Perturbation: episode.NoPerturbation}
	task := envs.Task{ID: "BabyAI-GoToRedBallGrey-v0/1234"}
	_, _, err := (&Worlds{Texts: Texts{Outside: out}}).Task(c, task)
	if err == nil || !strings.Contains(err.Error(), "is another one here than in the records") {
		t.Fatalf("another task is opened: %v", err)
	}
	env := sharedtest.Must(catalog.Open(c.Env, envs.Setup{}, out))(t)
	task = sharedtest.Must(eval.FindTask(env, task.ID))(t)
	reopened, found, err := (&Worlds{Texts: Texts{Outside: out}}).Task(c, task)
	if err != nil || found.Digest != task.Digest {
		t.Fatalf("task %v, %v", found, err)
	}
	world := sharedtest.Must(reopened.NewWorld(found))(t)
	start := sharedtest.Must(world.Start(t.Context()))(t)
	pictures, differs, err := episode.Pictures(t.Context(), reopened, found, &record.Episode{
		Observation: start.Observation})
	if err != nil || len(pictures) != 1 || differs != -1 || len(pictures[0].Rows) < 5 {
		t.Errorf("%d pictures, differs %d, %v", len(pictures), differs, err)
	}
	rules := sharedtest.Must(perturb.Named("babyai", "random:7:4"))(t)
	drawn := c
	drawn.Perturbation, drawn.PerturbationHash = rules.Name, perturb.Hash(rules)
	if env, _, err := (&Worlds{Texts: Texts{Outside: out}}).Task(drawn, task); err != nil {
		t.Error(err)
	} else if _, ok := env.(*perturb.Env); !ok {
		t.Errorf("a drawn perturbation is opened as %T", env)
	}
	for name, change := range map[string]func(*record.Condition){
		"give it with --data": func(c *record.Condition) { c.Source = envs.Official },
		"unknown environment": func(c *record.Condition) { c.Env = "chess" },
		"unknown variant":     func(c *record.Condition) { c.Settings = map[string]string{"variant": "x"} },
		"perturbation":        func(c *record.Condition) { c.Perturbation = "../../secret.yaml" },
		"has other rules": func(c *record.Condition) {
			c.Perturbation, c.PerturbationHash = "random:8:4",
				perturb.Hash(rules)
		},
		"want K from 1 to": func(c *record.Condition) { c.Perturbation = "random:8:99" },
	} {
		bad := c
		change(&bad)
		_, _, err := (&Worlds{Texts: Texts{Outside: out}}).Task(bad, task)
		sharedtest.Fails(t, err, name)
	}
}

// Records choose no files, programs or addresses.
func TestRecordsNameNoFiles(t *testing.T) {
	c := record.Condition{Env: "hotpotqa", Settings: map[string]string{
		"questions": "evil.json", "wiki-flow": "html", "nonsense": "x"}}
	got, err := recordedSettings(c, envs.Settings{"sample": "all"})
	if err != nil || got["questions"] != "" || got["nonsense"] != "" || got["wiki-flow"] != "html" ||
		got["sample"] != "all" {
		t.Errorf("settings %v, %v", got, err)
	}
}

// A record chooses neither the program nor how it is run.
func TestRecordsStartNothing(t *testing.T) {
	c := record.Condition{Env: "exec:touch ran", Source: envs.External, Perturbation: episode.NoPerturbation,
		Settings: map[string]string{"env-processes": "1000000000000", "env-timeout": "1ns"}}
	t.Chdir(t.TempDir())
	for own, want := range map[string]string{"": "records do not say where", "exec:exit 3": "exit status 3"} {
		_, err := ReopenEnv(c, envs.Setup{External: own}, envs.Outside{})
		sharedtest.Fails(t, err, want, own)
	}
	c.Source = envs.Generated
	if _, err := ReopenEnv(c, envs.Setup{}, envs.Outside{}); err == nil {
		t.Error("a generated environment is a program")
	}
	if _, err := os.Stat("ran"); err == nil {
		t.Error("the record has started its program")
	}
}
