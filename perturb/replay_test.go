package perturb

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/alfworld"
	"heldout/envs/babyai"
	"heldout/envs/jericho"
	"heldout/envs/pddl"
	"heldout/envs/sciworld"
	"heldout/envs/sharedtest"
	"heldout/envs/stream"
)

// playing is an episode as the environment itself plays it.
type playing struct {
	task    envs.Task
	start   envs.Start
	actions []string
	listed  [][]string // before each action
	steps   []envs.Step
}

// won reports whether the episode solved its task.
func (p playing) won() bool { return len(p.steps) > 0 && p.steps[len(p.steps)-1].Success }

// playBy plays a task with a player, who returns "" to end. Its list of actions is
// made only if the player wants it: that takes a story long.
func playBy(t *testing.T, env envs.Env, task envs.Task, steps int, lists bool,
	player func(w envs.World, listed []string) string) playing {
	t.Helper()
	ctx := context.Background()
	w := sharedtest.Must(env.NewWorld(task))(t)
	defer w.Close()
	out := playing{task: task}
	out.start = sharedtest.Must(w.Start(ctx))(t)
	for range steps {
		var listed []string
		if lists {
			listed = actionsOf(t, w)
		}
		action := player(w, listed)
		if action == "" {
			break
		}
		step := sharedtest.Must(w.Step(ctx, action))(t)
		out.actions, out.listed, out.steps = append(out.actions, action), append(out.listed, listed),
			append(out.steps, step)
		if step.Done {
			break
		}
	}
	return out
}

func actionsOf(t *testing.T, w envs.World) []string {
	t.Helper()
	return sharedtest.Must(abilityOf[envs.Lister](t, w).Actions(context.Background()))(t)
}

// expertPlay and randomPlay are episodes of the baselines.
func expertPlay(t *testing.T, env envs.Env, task envs.Task, steps int) playing {
	return playBy(t, env, task, steps, false, func(w envs.World, _ []string) string {
		return sharedtest.Must(abilityOf[envs.Expert](t, w).ExpertAction(context.Background()))(t)
	})
}

func randomPlay(t *testing.T, env envs.Env, task envs.Task, steps int) playing {
	draws := stream.New(0, "random play", task.ID)
	return playBy(t, env, task, steps, true, func(_ envs.World, listed []string) string {
		if len(listed) == 0 {
			return ""
		}
		return listed[draws.IntN(len(listed))]
	})
}

// same plays an episode again through a perturbation: everything but the words is the same. Before each action it
// tries the old form, which the environment refuses and which changes nothing.
func same(t *testing.T, rule string, perturbed *Env, of playing) {
	t.Helper()
	ctx := context.Background()
	p := sharedtest.Must(perturbed.ofType(of.task.Type))(t)
	w := sharedtest.Must(perturbed.NewWorld(of.task))(t)
	defer w.Close()
	counts := perturbed.Info().Name == "sciworld"  // each action draws random numbers, also a refused one
	anyValid := perturbed.Info().Name == "jericho" // AgentBoard counts most refusals as valid
	name := fmt.Sprintf("%s, %s, %s", perturbed.Info().Name, of.task.ID, rule)
	start, err := w.Start(ctx)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if p.readGoal(start.Goal) != of.start.Goal || p.readObservation(start.Observation) != of.start.Observation {
		t.Fatalf("%s: it starts with %+v, which does not come from %+v", name, start, of.start)
	}
	for i, action := range of.actions {
		written := p.WriteAction(action)
		if of.listed[i] != nil {
			want := make([]string, len(of.listed[i]))
			for j, a := range of.listed[i] {
				want[j] = p.WriteAction(a)
			}
			if diff := cmp.Diff(want, actionsOf(t, w)); diff != "" {
				t.Fatalf("%s: the list of actions (-want +got)\n%s", name, diff)
			}
		}
		if !counts && p.normalize(written) != p.normalize(action) {
			if step, err := w.Step(ctx, action); err != nil || step.Valid && !anyValid {
				t.Fatalf("%s: the old form %q of %q is answered %+v, %v", name, action, written, step, err)
			}
		}
		step, err := w.Step(ctx, written)
		if err != nil {
			t.Fatalf("%s: %q: %v", name, written, err)
		}
		want := of.steps[i]
		if got := p.readObservation(step.Observation); got != want.Observation {
			t.Fatalf("%s: %q is answered %q, which comes from %q and not from %q", name, written, step.Observation, got,
				want.Observation)
		}
		if step.Progress != want.Progress || step.Done != want.Done || step.Success != want.Success ||
			step.Valid != want.Valid || step.Understood != want.Understood {
			t.Fatalf("%s: %q is judged %+v, want %+v", name, written, step, want)
		}
	}
}

// benchmark opens an environment on its official tasks if they are there, else on generated ones.
func benchmark(t *testing.T, name string) envs.Env {
	t.Helper()
	if !*whole || name == "hotpotqa" {
		return generated(t, name)
	}
	var env envs.Env
	var err error
	data := sharedtest.AgentBoard(t)
	switch name {
	case "alfworld":
		env, err = alfworld.NewOfficial(data, alfworld.Options{})
	case "babyai":
		env, err = babyai.New(babyai.Options{})
	case "jericho":
		env, err = jericho.New(jericho.Options{Data: data})
	case "pddl":
		env, err = pddl.NewOfficial(data)
	case "sciworld":
		env, err = sciworld.New(sciworld.Options{})
	}
	if err != nil {
		t.Fatal(err)
	}
	return env
}

// refused types the old forms of an episode into a world of its own.
func refused(t *testing.T, rule string, perturbed *Env, of playing) {
	t.Helper()
	p := sharedtest.Must(perturbed.ofType(of.task.Type))(t)
	w := sharedtest.Must(perturbed.NewWorld(of.task))(t)
	defer w.Close()
	sharedtest.OK(t, sharedtest.Err(w.Start(context.Background())))
	for _, action := range of.actions {
		if p.WriteAction(action) == action {
			continue
		}
		if step, err := w.Step(context.Background(), action); err != nil || step.Valid || step.Understood {
			t.Fatalf("%s, %s: the old form %q is answered %+v, %v", of.task.ID, rule, action, step, err)
		}
	}
}

// The expert and the random player play the same episodes under every family in
// every grade, under all of them at once and under draws: the same success, the
// same validity, the same progress, and the same texts once they are read back.
func TestBaselinesPlayTheSame(t *testing.T) {
	sharedtest.Heavy(t)
	for _, name := range withFamilies(t) {
		t.Run(name, func(t *testing.T) {
			env := benchmark(t, name)
			var played []playing
			won := 0
			tasks := env.Tasks()
			for i, task := range tasks {
				if !*whole && i%max(1, len(tasks)/2) != 0 {
					continue
				}
				expert := expertPlay(t, env, task, env.Info().StepLimit)
				if expert.won() {
					won++
				}
				played = append(played, expert)
				if name != "jericho" || i == 0 { // lists of actions take stories long
					played = append(played, randomPlay(t, env, task, 4))
				}
			}
			rules := append(graded(t, name), "all:1", "all:2", "all:3", "random:1:2", "random:2:4", "random:3:all")
			for _, rule := range rules {
				perturbed := sharedtest.Must(Wrap(env, mustName(t, name, rule)))(t)
				for _, of := range played {
					same(t, rule, perturbed, of)
					if name == "sciworld" {
						refused(t, rule, perturbed, of)
					}
				}
			}
			t.Logf("%d episodes, of which the expert wins %d, under %d perturbations: %s", len(played), won, len(rules),
				strings.Join(rules, " "))
		})
	}
}

func official(t testing.TB) *alfworld.Env {
	t.Helper()
	return sharedtest.Must(alfworld.NewOfficial(sharedtest.AgentBoard(t), alfworld.Options{}))(t)
}

// shipped loads the perturbations that change the interface.
func shipped(t testing.TB) []configs.Perturbation {
	t.Helper()
	names := configs.PerturbationNames()
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
