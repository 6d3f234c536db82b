package sciworld

import (
	"strings"
	"testing"

	"heldout/configs"
	"heldout/envs/sharedtest"
)

// forms are the beginnings of actions that the simulator knows; of all its
// variants of §2, only what an agent needs.
var forms = []string{
	"activate", "close", "connect", "deactivate", "disconnect", "dunk", "eat", "flush", "focus on", "go", "inventory",
	"look around", "look at", "look in", "mix", "move", "open", "pick up", "pour", "put down", "read", "task", "use",
	"wait", "wait1",
}

// The prompt explains every action, and its example, which is made up, uses such actions only.
func TestPrompt(t *testing.T) {
	for _, version := range configs.PromptVersions() {
		t.Run(version, func(t *testing.T) { testPrompt(t, version) })
	}
}

func testPrompt(t *testing.T, version string) {
	prompt := sharedtest.Must(configs.LoadPrompt(Name, version))(t)
	in, err := prompt.For(tasks[0].Name)
	if err != nil || len(prompt.Types) != 1 || len(in.Examples) != 1 {
		t.Fatalf("%d types, %d examples, %v", len(prompt.Types), len(in.Examples), err)
	}
	for _, f := range forms {
		if !strings.Contains(in.Instruction, f) {
			t.Errorf("the instruction does not explain %q", f)
		}
	}
	for _, s := range in.Examples[0].Steps {
		known := false
		for _, f := range forms {
			known = known || s.Action == f || strings.HasPrefix(s.Action, f+" ")
		}
		if !known || s.Thought == "" || s.Observation == "" {
			t.Errorf("step %+v", s)
		}
	}
}

// The forms of the test above are the simulator's.
func TestRealForms(t *testing.T) {
	w := newStarted(t, startOfficial(t).plays(Options{Variant: ScienceWorld}))
	defer w.Close()
	n := 0
	for _, l := range w.game.forms() {
		if l == "reset task" { // begins anew, which no agent needs
			continue
		}
		n++
		known := false
		for _, f := range forms {
			known = known || l == f || strings.HasPrefix(l, f+" OBJ")
		}
		if !known {
			t.Errorf("there is no form for %q", l)
		}
	}
	sharedtest.Equal(t, n, len(forms), "forms are listed")
}
