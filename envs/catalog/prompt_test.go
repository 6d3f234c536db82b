package catalog

import (
	"testing"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/sharedtest"
)

// examples says of which tasks a prompt's examples are episodes.
type examples struct {
	Env, Dialect   string
	Seed           int64             // 0 for tasks outside the benchmark
	Tasks          map[string]string // by their types
	Refused, Lists int               // how many steps are refused, and how many ask for the actions
}

// The examples of the prompts are won episodes of our own environments.
func TestPromptExamples(t *testing.T) {
	for _, c := range sharedtest.Cases[examples](t, "examples.yaml") {
		for _, version := range configs.PromptVersions() {
			if c.Dialect == "" || c.Dialect == version {
				t.Run(c.Env+c.Dialect+" "+version, func(t *testing.T) { testPromptExamples(t, c, version) })
			}
		}
	}
}

func testPromptExamples(t *testing.T, c examples, version string) {
	setup, name := envs.Setup{GeneratorSeed: envs.GeneratorSeeds{First: c.Seed, Last: c.Seed}}, c.Env
	if c.Dialect != "" {
		setup.Settings, name = envs.Settings{"dialect": c.Dialect}, c.Env+"-"+c.Dialect
	}
	prompt := sharedtest.Must(configs.LoadPrompt(name, version))(t)
	sharedtest.Equal(t, prompt.Help, "check valid actions", "the help action")
	sharedtest.Equal(t, len(prompt.Types), len(c.Tasks), "sections")
	env := opened(t, c.Env, setup)
	finder, _ := envs.As[envs.Finder](env)
	for kind, id := range c.Tasks {
		task := sharedtest.Must(finder.Task(id))(t)
		sharedtest.Equal(t, task.Index < 0, c.Seed == 0, id, "is outside the benchmark")
		in := sharedtest.Must(prompt.For(kind))(t)
		sharedtest.Equal(t, len(in.Examples), 1, kind, "examples")
		w := walker{t, task, sharedtest.Must(env.NewWorld(task))(t)}
		refused, lists := example(t, w, in.Examples[0], prompt.Help)
		c.Refused, c.Lists = c.Refused-refused, c.Lists-lists
	}
	if c.Refused != 0 || c.Lists != 0 {
		t.Errorf("%d more steps should be refused, and %d ask for the list", c.Refused, c.Lists)
	}
}

// example plays an example, and returns how many of its steps are refused, and how many ask for the actions.
func example(t *testing.T, w walker, ex configs.Example, help string) (refused, lists int) {
	t.Helper()
	start := sharedtest.Must(w.Start(t.Context()))(t)
	if start.Goal != ex.Goal || start.Observation != ex.Observation {
		t.Errorf("%s: the example starts with %q, %q, the game with %+v", w.task.ID, ex.Goal, ex.Observation, start)
	}
	for i, want := range ex.Steps {
		got, last := w.step(want.Action), i == len(ex.Steps)-1
		if got.Observation != want.Observation || got.Done != last || got.Success != last || want.Thought == "" {
			t.Errorf("%s, step %d: the example says %+v, the game %+v", w.task.ID, i, want, got)
		}
		if !got.Valid {
			refused++
		}
		if want.Action == help {
			lists++
		}
	}
	return refused, lists
}
