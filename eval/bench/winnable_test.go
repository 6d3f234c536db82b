package bench

import (
	"cmp"
	"flag"
	"fmt"
	"strings"
	"testing"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/jericho"
	"heldout/envs/sharedtest"
	"heldout/perturb"
)

// spokenWith is a perturbation of Jericho's stories with the environment under it.
type spokenWith struct {
	name  string
	rules *perturb.Perturbation
	env   *perturb.Env
}

// jerichoPerturbations are all families in all grades, and all at once.
func jerichoPerturbations(t *testing.T, env envs.Env) (out []spokenWith) {
	t.Helper()
	families := sharedtest.Must(configs.LoadFamilies("jericho"))(t)
	var names []string
	highest := 0
	for _, f := range families.All {
		for grade := range f.Grades {
			names = append(names, fmt.Sprintf("%s:%d", f.ID, grade+1))
			highest = max(highest, grade+1)
		}
	}
	for grade := range highest {
		names = append(names, fmt.Sprintf("all:%d", grade+1))
	}
	spoken, ok := envs.As[envs.Describer](env)
	if !ok {
		t.Fatal("the environment does not describe its interface")
	}
	for _, name := range names {
		rules := sharedtest.Must(perturb.Named("jericho", name))(t)
		s := spokenWith{name: name}
		s.rules = sharedtest.Must(perturb.New(rules, spoken.Interface("")))(t)
		s.env = sharedtest.Must(perturb.Wrap(env, rules))(t)
		out = append(out, s)
	}
	return out
}

// momentsFlag is how many moments of a story are tried, 1 if it is 0, or 2 in the whole form. A list of
// valid actions takes up to seconds.
var momentsFlag = flag.Int("moments", 0, "moments of each story at which every valid action is said in other words")

// TestStoriesStayWinnable shows for Jericho's stories that a family changes only how they are spoken to: the
// walkthrough, said in the form told, leads to the same worlds up to the victory, and at moments along it every
// valid action has one form, which no other action has and which leads to the same world.
func TestStoriesStayWinnable(t *testing.T) {
	data := sharedtest.AgentBoard(t)
	bindings := sharedtest.Golden(t, "jericho/thirdparty_jericho_bindings_20.json")
	env := sharedtest.Must(jericho.New(jericho.Options{Data: data, Bindings: bindings}))(t)
	spoken := jerichoPerturbations(t, env)
	moments, steps := cmp.Or(*momentsFlag, sharedtest.Times(t, 1, 1, 2)), sharedtest.Times(t, 60, 12, 1000)
	listed, said := 0, 0
	for _, task := range sharedtest.Sample(t, env.Tasks(), 1) {
		t.Run(task.ID, func(t *testing.T) {
			way := walk(t, env, task, steps)
			for _, s := range spoken {
				follow(t, s, task, way)
			}
			n := len(way) - 1
			for i := range min(moments, n) {
				at := way[(i+1)*n/(min(moments, n)+1)]
				listed++
				said += checkList(t, spoken, task, at.world)
			}
			for _, at := range way {
				at.world.Close()
			}
		})
	}
	t.Logf("%d perturbations, %d moments, %d actions said in other words", len(spoken), listed, said)
}

// moment is a world on the way of a walkthrough.
type moment struct {
	world    envs.World
	key      string
	action   string // that led here
	progress float64
	done     bool
}

// walk follows the walkthrough of a story.
func walk(t *testing.T, env envs.Env, task envs.Task, steps int) (way []moment) {
	t.Helper()
	w := started(t, env, task)
	defer w.Close()
	expert, _ := envs.As[envs.Expert](w)
	forks, _ := envs.As[envs.Forker](w)
	var at moment
	for n := 0; ; n++ {
		fork := sharedtest.Must(forks.Fork())(t)
		at.world, at.key = fork, keyOf(t, task, fork)
		if way = append(way, at); at.done || n == steps {
			return way
		}
		action, err := expert.ExpertAction(t.Context())
		if err != nil || action == "" {
			t.Fatalf("the walkthrough ends after %d commands: %v", n, err)
		}
		step := sharedtest.Must(w.Step(t.Context(), action))(t)
		at = moment{action: action, progress: step.Progress, done: step.Done}
	}
}

func started(t *testing.T, env envs.Env, task envs.Task) envs.World {
	t.Helper()
	w := sharedtest.Must(env.NewWorld(task))(t)
	sharedtest.OK(t, sharedtest.Err(w.Start(t.Context())))
	return w
}

// unknown is a long word that no story knows.
var unknown = strings.Repeat("x", 60)

// keyOf identifies a world by its state after the unknown word: stories keep what was typed
// until something else is.
func keyOf(t *testing.T, task envs.Task, w envs.World) string {
	t.Helper()
	w = forked(t, w, unknown)
	defer w.Close()
	key, err := envs.StateKey(task, w)
	if err != nil || key == "" {
		t.Fatalf("the state cannot be written: %v", err)
	}
	return key
}

// unsaid are commands of walkthroughs, by story and perturbation, that have no form: the
// new word of another verb is a verb of the story itself there, which means something else.
var unsaid = map[string]string{"zork3 verbs:1": "GRAB ROPE", "weapon verbs:1": "shut panel"}

// follow says the walkthrough in the form told.
func follow(t *testing.T, s spokenWith, task envs.Task, way []moment) {
	t.Helper()
	w := started(t, s.env, task)
	defer w.Close()
	for n, at := range way[1:] {
		written := s.rules.WriteAction(at.action)
		if unsaid[task.ID+" "+s.name] == at.action {
			t.Logf("%s: %q cannot be said", s.name, at.action)
			return
		}
		step := sharedtest.Must(w.Step(t.Context(), written))(t)
		if key := keyOf(t, task, w); key != at.key || step.Progress != at.progress || step.Done != at.done {
			t.Errorf("%s: %q, said as %q, leads to another world as command %d (read as %q)", s.name, at.action, written,
				n+1, s.rules.ReadAction(written))
			return
		}
	}
}

// checkList compares the valid actions of a moment with what is said in their place.
func checkList(t *testing.T, spoken []spokenWith, task envs.Task, w envs.World) (said int) {
	t.Helper()
	lister, _ := envs.As[envs.Lister](w)
	actions := sharedtest.Must(lister.Actions(t.Context()))(t)
	known := map[string]string{}
	after := func(action string) string {
		if known[action] == "" {
			known[action] = after(t, task, w, action)
		}
		return known[action]
	}
	for _, s := range spoken {
		by := map[string]string{}
		for _, action := range actions {
			written := s.rules.WriteAction(action)
			if other, taken := by[written]; taken {
				t.Errorf("%s: %q and %q are both %q", s.name, other, action, written)
			}
			by[written] = action
			if read := s.rules.ReadAction(written); read != action && after(read) != after(action) {
				t.Errorf("%s: %q is said as %q, which reads as %q", s.name, action, written, read)
			}
			if written != action {
				said++
			}
		}
		for written, action := range by {
			if written == action || by[action] != "" || after(action) == after(unknown) { // as whatever is said
				continue
			}
			if read := s.rules.ReadAction(action); after(read) == after(action) {
				t.Errorf("%s: %q is said as %q, and the old form is still read, as %q", s.name, action, written, read)
			}
		}
	}
	return said
}

// forked is a fork of a world after an action.
func forked(t *testing.T, w envs.World, action string) envs.World {
	t.Helper()
	forks, _ := envs.As[envs.Forker](w)
	fork := sharedtest.Must(forks.Fork())(t)
	sharedtest.OK(t, sharedtest.Err(fork.Step(t.Context(), action)))
	return fork
}

// after is the world after an action.
func after(t *testing.T, task envs.Task, w envs.World, action string) string {
	t.Helper()
	fork := forked(t, w, action)
	defer fork.Close()
	return keyOf(t, task, fork)
}
