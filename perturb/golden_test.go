package perturb

import (
	"context"
	"testing"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/alfworld"
	"heldout/envs/sharedtest"
)

func official(t testing.TB) *alfworld.Env {
	t.Helper()
	return sharedtest.Must(alfworld.NewOfficial(sharedtest.AgentBoard(t), alfworld.Options{}))(t)
}

// shipped loads the perturbations that change the interface.
func shipped(t testing.TB) []configs.Perturbation {
	t.Helper()
	names := sharedtest.Must(configs.PerturbationNames())(t)
	var out []configs.Perturbation
	for _, name := range names {
		rules := sharedtest.Must(configs.LoadPerturbation(name))(t)
		if rules.Model == "" {
			out = append(out, rules)
		}
	}
	return out
}

// The expert wins every official game under every perturbation, and nothing that it types would be understood
// without it, unless it is written as before. On the way no old form is listed or carried out.
func TestOfficialGames(t *testing.T) {
	env := official(t)
	ctx := context.Background()
	every := sharedtest.Every(t, 67, 8)
	for _, rules := range shipped(t) {
		perturbed := sharedtest.Must(Wrap(env, rules))(t)
		p := perturbed.byType[env.Tasks()[0].Type]
		won, refused, played := 0, 0, 0
		for i, task := range env.Tasks() {
			if i%every != 0 {
				continue
			}
			played++
			w := sharedtest.Must(perturbed.NewWorld(task))(t)
			sharedtest.OK(t, sharedtest.Err(w.Start(ctx)))
			for range env.Info().StepLimit {
				for _, a := range sharedtest.Must(abilityOf[envs.Lister](t, w).Actions(ctx))(t) {
					if old := p.ReadAction(a); old != a {
						if s, err := w.Step(ctx, old); err != nil || s.Valid || s.Observation != "Nothing happens." {
							t.Fatalf("%s, %s: the old form %q is answered %+v, %v", rules.Name, task.ID, old, s, err)
						}
						refused++
						break // each costs a command of the engine's limit
					}
				}
				action := sharedtest.Must(abilityOf[envs.Expert](t, w).ExpertAction(ctx))(t)
				s, err := w.Step(ctx, action)
				if err != nil || !s.Valid {
					t.Fatalf("%s, %s: %q is answered %+v, %v", rules.Name, task.ID, action, s, err)
				}
				if s.Done {
					if s.Success {
						won++
					}
					break
				}
			}
		}
		if won != played {
			t.Errorf("%s: the expert wins %d of %d", rules.Name, won, played)
		}
		t.Logf("%s: %d won, %d old forms refused", rules.Name, won, refused)
	}
}

// strategy are perturbations of the PDDL games as users might write them.
func strategy() []configs.Perturbation {
	return []configs.Perturbation{
		{Name: "verbs", Env: "pddl", Actions: map[string]string{
			"Move from {a} to {b}": "Walk to {b} from {a}", "Stack {a} on {b}": "Below {a} goes {b}",
			"{a} grasp {b}": "seize {b} by {a}", "Open {a}": "Unlock {a}",
		}},
		{Name: "names", Env: "pddl", Names: "{word}_{number}"},
		{Name: "answers", Env: "pddl", Replies: map[string]string{
			"The action is not valid and therefore takes no effect. Please check valid actions.": "What?",
		}},
	}
}
