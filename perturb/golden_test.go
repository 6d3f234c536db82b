package perturb

import (
	"context"
	"strings"
	"testing"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/alfworld"
	"heldout/envs/pddl"
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

// Rewriting loses nothing of what was ever said in recorded games: actions of
// models, good and bad, listed actions, and observations.
func TestRecordsOneToOne(t *testing.T) {
	iface := official(t).Interface("")
	actions, observations := map[string]bool{}, map[string]bool{}
	for _, e := range sharedtest.Lines[struct {
		Goal  string
		Steps []struct{ Action, Observation string }
	}](t, "agentboard-logs/alfworld.jsonl.gz") {
		for _, s := range e.Steps {
			actions[s.Action], observations[s.Observation] = true, true
		}
		observations[e.Goal] = true
	}
	for _, e := range sharedtest.Lines[struct {
		Init  string `json:"init_obs"`
		Goal  string
		Steps []struct {
			Action, Obs string
			Valid       []string `json:"valid_before"`
		}
	}](t, "alfworld/agentboard_unseen134_v1.jsonl.gz") {
		observations[e.Init], observations[e.Goal] = true, true
		for _, s := range e.Steps {
			actions[s.Action], observations[s.Obs] = true, true
			for _, a := range s.Valid {
				actions[a] = true
			}
		}
	}
	for _, rules := range shipped(t) {
		p := sharedtest.Must(New(rules, iface))(t)
		for a := range actions {
			if got, want := iface.Normalize(p.ReadAction(p.WriteAction(a))), iface.Normalize(a); got != want {
				t.Errorf("%s: %q is written %q and read %q", rules.Name, a, p.WriteAction(a), got)
			}
		}
		for o := range observations {
			if got := p.readObservation(p.writeObservation(o)); got != o {
				t.Errorf("%s: %q reads %q and came from %q", rules.Name, o, p.writeObservation(o), got)
			}
		}
	}
	t.Logf("%d actions, %d observations", len(actions), len(observations))
}

// The other dialect, with its help text and its verb "move", as well.
func TestModernRecordsOneToOne(t *testing.T) {
	env := sharedtest.Must(alfworld.NewOfficial(sharedtest.AgentBoard(t), alfworld.Options{Dialect: "v2"}))(t)
	iface := env.Interface("")
	var rewritten []*Perturbation
	for _, rules := range shipped(t) {
		rewritten = append(rewritten, sharedtest.Must(New(rules, iface))(t))
	}
	for _, e := range sharedtest.Lines[struct {
		Steps []struct {
			Action, Obs string
			Admissible  []string
		}
	}](t, "alfworld/raw_engine_v2_random.jsonl.gz") {
		for _, p := range rewritten {
			for _, s := range e.Steps {
				sharedtest.Equal(t, p.readObservation(p.writeObservation(s.Obs)), s.Obs, "reads", "and came from")
				for _, a := range append(s.Admissible, s.Action) {
					if got, want := iface.Normalize(p.ReadAction(p.WriteAction(a))), iface.Normalize(a); got != want {
						t.Errorf("%q is written %q and read %q", a, p.WriteAction(a), got)
					}
				}
			}
		}
	}
	help := rewritten[2].writeObservation("  take (object) from (receptacle):  take an object from a receptacle")
	sharedtest.Equal(t, help, "  from (receptacle) take (object):  take an object from a receptacle", "P3's help")
}

// The expert wins every official game under every perturbation, and nothing that
// it types would be understood without it, unless it is written as before. On
// the way no old form is listed or carried out.
func TestOfficialGames(t *testing.T) {
	env := official(t)
	ctx := context.Background()
	every := sharedtest.Every(t, 23, 8)
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
			if _, err := w.Start(ctx); err != nil {
				t.Fatal(err)
			}
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

// The PDDL games, which read actions more freely, are perturbed without loss,
// too.
func TestPDDLRecordsOneToOne(t *testing.T) {
	env := sharedtest.Must(pddl.NewOfficial(sharedtest.AgentBoard(t)))(t)
	types := map[int]string{}
	for _, task := range env.Tasks() {
		types[task.Index] = task.Type
	}
	episodes := sharedtest.Lines[struct {
		ID    int
		Goal  string
		Steps []struct{ Action, Observation string }
	}](t, "agentboard-logs/pddl.jsonl.gz")
	steps := 0
	for _, rules := range strategy() {
		perturbed := sharedtest.Must(Wrap(env, rules))(t)
		for _, e := range episodes {
			p := sharedtest.Must(perturbed.ofType(types[e.ID]))(t)
			iface := p.iface
			for _, s := range e.Steps {
				steps++
				if _, ok := p.write(iface.Normalize(s.Action)); !ok && p.turned {
					continue // what has no form cannot be read where arguments are turned around
				}
				if got, want := iface.Normalize(p.ReadAction(p.WriteAction(s.Action))),
					iface.Normalize(s.Action); !strings.EqualFold(got, want) {
					t.Errorf("%s: %q is written %q and read %q", rules.Name, s.Action, p.WriteAction(s.Action), got)
				}
				// A list from a hashed set comes out sorted, as our own does.
				written := p.writeObservation(s.Observation)
				if got := p.readObservation(written); got != s.Observation &&
					p.readObservation(p.writeObservation(got)) != got {
					t.Errorf("%s: %q reads %q and came from %q", rules.Name, s.Observation, written, got)
				}
			}
		}
	}
	t.Logf("%d steps", steps)
}
