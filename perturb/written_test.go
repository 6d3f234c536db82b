package perturb

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/alfworld"
	"heldout/envs/sharedtest"
	"heldout/scoring/record"
	"heldout/scoring/refinement"
)

func TestWritten(t *testing.T) {
	both := configs.Perturbation{Name: "both", Names: "{class}{number}", Actions: map[string]string{
		"go to {recep}": "walk to {recep}", "look": "look about"}}
	const goTo, take = "go to {recep}", "take {obj} from {recep}"
	for _, c := range []struct {
		rules  configs.Perturbation
		action string
		want   envs.Wording
	}{
		{order, "take pen 1 from desk 2", envs.Wording{Form: take, Old: true}},
		{order, "dance", envs.Wording{}},
		{glue, "take pen1 from desk2 .", envs.Wording{Form: take}},
		{glue, "take pen1 from desk 2", envs.Wording{Form: take, Old: true}},
		{both, "walk to desk1", envs.Wording{Form: goTo}},
		{both, "walk to desk 1", envs.Wording{Form: goTo, Old: true}}, // new words, old names
		{both, "go to desk1", envs.Wording{Form: goTo, Old: true}},    // old words, new names
		{both, "look about", envs.Wording{Form: "look"}},
		{swap, "take pen 1 from desk 2", envs.Wording{Form: "clean {obj} with {recep}"}}, // what it means now
	} {
		sharedtest.Equal(t, mustNew(t, c.rules).wording(c.action), c.want, c.rules.Name, c.action)
	}
	for rules, want := range map[*configs.Perturbation]int{&order: 1, &glue: 4, &both: 5, &answer: 0, &swap: 3} {
		if got := mustNew(t, *rules).Forms(); len(got) != want {
			t.Errorf("%s writes %q differently, want %d forms", rules.Name, got, want)
		}
	}
}

// TestWrittenOfAnyAction: what the environment understands is new, or unchanged, and
// its own spelling is old where that differs.
func TestWrittenOfAnyAction(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rules := rapid.SampledFrom([]configs.Perturbation{using, order, brackets, glue, answer, verbs}).Draw(t, "rules")
		p := sharedtest.Must(New(rules, household()))(t)
		name := rapid.StringMatching(`[a-z]{3,8} [0-9]{1,2}`)
		form := rapid.SampledFrom(household().Actions).Draw(t, "form")
		action := strings.NewReplacer("{recep}", name.Draw(t, "recep"), "{obj}", name.Draw(t, "obj")).Replace(form)
		written := p.WriteAction(action)
		if written == action {
			form = ""
		}
		if got := p.wording(written); got != (envs.Wording{Form: form}) {
			t.Fatalf("%q, written %q, is %+v", action, written, got)
		}
		if got := p.wording(action); got != (envs.Wording{Form: form, Old: form != ""}) {
			t.Fatalf("%q, not %q, is %+v", action, written, got)
		}
	})
}

// TestWrittenAgreesWithRecords: steps say of refused actions what the rules in older records say.
func TestWrittenAgreesWithRecords(t *testing.T) {
	iface := sharedtest.Must(alfworld.NewGenerated(0, alfworld.Options{}))(t).Interface("")
	for _, name := range []string{"P1", "P2", "P3", "P4"} {
		rules := sharedtest.Must(configs.LoadPerturbation(name))(t)
		p := sharedtest.Must(New(rules, iface))(t)
		about := &record.Rules{Actions: rules.Actions, Names: rules.Names}
		if rules.Names != "" {
			about.OwnNames, about.NameParts = iface.Name, iface.Parts
		}
		old := sharedtest.Must(refinement.OldForm(about))(t)
		for _, form := range iface.Actions {
			action := strings.NewReplacer("{recep}", "desk 2", "{tool}", "knife 1", "{obj}", "pen 1").Replace(form)
			for _, action := range []string{action, p.WriteAction(action)} {
				if got := p.wording(action); got.Old != old(action) {
					t.Errorf("%s: %q is %+v, and the rules say old: %v", name, action, got, old(action))
				}
			}
		}
	}
}

// TestWrittenOfFamilies: in every environment and under every family, alone and all together, the expert's actions
// are old as the environment has them and new as they are written now, or neither if both are the same.
func TestWrittenOfFamilies(t *testing.T) {
	for env := range environments(t) {
		name := env.Info().Name
		actions := map[string][]string{} // of task types
		for _, task := range env.Tasks()[:min(3, len(env.Tasks()))] {
			actions[task.Type] = append(actions[task.Type], expertActions(t, env, task)...)
		}
		for _, perturbation := range sharedtest.Sample(t, append(graded(t, name), "all:1", "all:2", "all:3"), 5) {
			rules := sharedtest.Must(Named(name, perturbation))(t)
			e := sharedtest.Must(Wrap(env, rules))(t)
			for taskType, actions := range actions {
				p := sharedtest.Must(e.ofType(taskType))(t)
				for _, action := range actions {
					written := p.WriteAction(action)
					now, before := p.wording(written), p.wording(action)
					if differs := !strings.EqualFold(p.normalize(written), p.normalize(action)); now.Old ||
						(now.Form != "") != differs || before.Old != differs || differs && before.Form != now.Form {
						t.Errorf("%s %s: %q is %+v, and %q is %+v", name, perturbation, action, before, written, now)
					}
				}
			}
		}
	}
}

// expertActions are the expert's actions on a task.
func expertActions(t *testing.T, env envs.Env, task envs.Task) (actions []string) {
	t.Helper()
	world := sharedtest.Must(env.NewWorld(task))(t)
	defer world.Close()
	sharedtest.OK(t, sharedtest.Err(world.Start(t.Context())))
	expert := abilityOf[envs.Expert](t, world)
	for len(actions) < 60 {
		action := sharedtest.Must(expert.ExpertAction(t.Context()))(t)
		if action == "" {
			break
		}
		step := sharedtest.Must(world.Step(t.Context(), action))(t)
		actions = append(actions, action)
		if step.Done {
			break
		}
	}
	return actions
}
