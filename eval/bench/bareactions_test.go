package bench

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"heldout/envs"
	"heldout/envs/catalog"
	"heldout/envs/sharedtest"
	"heldout/eval/agent"
)

// What a model writes bare comes through unchanged, and so it does out of quotes, code, emphasis and
// TeX: every action that an environment lists or that its expert plays.
func TestBareActions(t *testing.T) {
	for _, entry := range catalog.Entries() {
		setup := envs.Setup{}
		if len(entry.Folders) > 0 && entry.Name != "hotpotqa" && entry.Name != "jericho" {
			setup.Data = sharedtest.AgentBoard(t)
		}
		t.Run(entry.Name, func(t *testing.T) {
			env := sharedtest.Must(catalog.Open(entry.Name, setup, envs.Outside{}))(t)
			known := map[string]bool{}
			tasks := env.Tasks()
			some := min(len(tasks), sharedtest.Times(t, 24, 1, len(tasks)))
			for i := range some {
				gather(t, env, tasks[i*len(tasks)/some], known)
			}
			for action := range known {
				comesThrough(t, action)
			}
			t.Logf("%d actions", len(known))
			if len(known) == 0 {
				t.Error("no action was found")
			}
		})
	}
}

// gather adds the actions on the way of a task's expert, or of one who chooses at random.
func gather(t *testing.T, env envs.Env, task envs.Task, known map[string]bool) {
	t.Helper()
	world := sharedtest.Must(env.NewWorld(task))(t)
	defer world.Close()
	sharedtest.OK(t, sharedtest.Err(world.Start(t.Context())))
	draw := rand.New(rand.NewPCG(1, 1))
	lister, lists := envs.As[envs.Lister](world)
	expert, knows := envs.As[envs.Expert](world)
	for range 12 {
		action := ""
		if knows {
			var err error
			if action, err = expert.ExpertAction(t.Context()); err != nil || action == "" {
				return
			}
			known[action] = true
		}
		if lists && env.Info().Name != "jericho" { // where a list takes seconds
			list, err := lister.Actions(t.Context())
			if err != nil || len(list) == 0 {
				return
			}
			for _, a := range list {
				known[a] = true
			}
			if action == "" {
				action = list[draw.IntN(len(list))]
			}
		}
		if step, err := world.Step(t.Context(), action); err != nil || step.Done {
			return
		}
	}
}

func comesThrough(t *testing.T, action string) {
	t.Helper()
	action = strings.TrimSpace(action) // some of PDDL end in a blank
	want := agent.Canonical("", action)
	for _, form := range []string{"%s", `"%s"`, "'%s'", "“%s”", "`%s`", "**%s**", "_%s_", "```%s```", "\\boxed{%s}", "\\boxed{\\text{%s}}", "- %s"} {
		before, after, _ := strings.Cut(form, "%s")
		if strings.ContainsAny(action, before+after) {
			continue
		}
		for _, stop := range []string{"", "."} {
			if strings.TrimSpace(after) == "" && stop != "" {
				continue
			}
			sharedtest.Equal(t, agent.HistoryEntry(fmt.Sprintf("Action: "+form+stop, action)), want, action, "in",
				form, stop, "gives")
		}
	}
}
