package perturb

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/alfworld"
	"heldout/envs/pddl"
	"heldout/envs/sharedtest"
)

// Each task has a draw of its own, which is the same each time, and the expert solves it under its draw.
func TestDrawn(t *testing.T) {
	env := sharedtest.Must(pddl.NewGenerated(3))(t)
	d := sharedtest.Must(Draw(env, "random:5:3-nouns"))(t)
	name, ok := DrawnFrom(d.Name())
	if d.Name() != "random:5:3-nouns/task" || !ok || name != "random:5:3-nouns" {
		t.Error(d.Name(), name)
	}
	seen := map[string]bool{}
	for _, task := range env.Tasks()[:12] {
		goals := make([]string, 2)
		for i := range goals {
			w := sharedtest.Must(d.NewWorld(task))(t)
			start := sharedtest.Must(w.Start(t.Context()))(t)
			goals[i] = start.Goal + start.Observation
			expert, ok := envs.As[envs.Expert](w)
			if !ok {
				t.Fatal("there is no expert")
			}
			for solved := false; !solved; {
				action, err := expert.ExpertAction(t.Context())
				if err != nil || action == "" {
					t.Fatal(task.ID, action, err)
				}
				step, err := w.Step(t.Context(), action)
				if err != nil || !step.Valid {
					t.Fatal(task.ID, action, step, err)
				}
				solved = step.Success
				seen[action] = true
			}
		}
		sharedtest.Equal(t, goals[0], goals[1], task.ID, "then")
	}
	if len(seen) < 20 {
		t.Errorf("%d actions", len(seen))
	}
	for _, name := range []string{"verbs:1", "random:x:2", "random:1:99", "random:1"} {
		sharedtest.Fails(t, sharedtest.Err(Draw(env, name)), "", name)
	}
}

// A draw that leaves out arguments and the first grade of names, as arm R of examples/tune, holds no form
// of AgentRefine's P1 to P5 in any game that R learns from: neither in its prompt nor in what it shows first.
func TestDrawnWithoutPublishedForms(t *testing.T) {
	sharedtest.Heavy(t)
	const file = "../examples/tune/alfworld.yaml"
	b := sharedtest.Must(os.ReadFile(file))(t)
	prompt := sharedtest.Must(configs.ParsePrompt(file, b))(t)
	held := map[string]*regexp.Regexp{
		"from first": regexp.MustCompile("(?m)^from "), "P4": regexp.MustCompile("[a-z][0-9]"),
	}
	for _, name := range []string{"P1", "P2", "P3"} { // P5 has no form
		forms := slices.Collect(maps.Values(sharedtest.Must(configs.LoadPerturbation(name))(t).Actions))
		for i := range forms {
			forms[i] = regexp.QuoteMeta(forms[i])
		}
		held[name] = regexp.MustCompile("(?m)^(" + strings.Join(forms, "|") + ")$")
	}
	found := func(draw string) map[string]int {
		n := map[string]int{}
		for seed := int64(101); seed <= 108; seed++ {
			env := sharedtest.Must(alfworld.NewGenerated(seed, alfworld.Options{}))(t)
			drawn := sharedtest.Must(Draw(env, draw))(t)
			for _, task := range sharedtest.Sample(t, env.Tasks(), 3) {
				text := opening(t, drawn, task, prompt)
				for name, form := range held {
					if form.MatchString(text) {
						n[name]++
					}
				}
			}
		}
		t.Log(draw, n)
		return n
	}
	if n := found("random:1:3-nouns-arguments-names:1"); len(n) > 0 {
		t.Errorf("forms in prompts: %v", n)
	}
	if n := found("random:1:3-nouns"); n["from first"] == 0 {
		t.Errorf("forms in prompts of draws from all families: %v, so they would not have been found", n)
	}
}

// opening is what a game tells at first under its draw.
func opening(t *testing.T, drawn *Drawn, task envs.Task, prompt configs.Prompt) string {
	t.Helper()
	own := sharedtest.Must(drawn.ForTask(task))(t)
	written := sharedtest.Must(own.WritePrompt(prompt, []envs.Task{task}))(t)
	section := sharedtest.Must(written.For(task.Type))(t)
	world := sharedtest.Must(own.NewWorld(task))(t)
	start := sharedtest.Must(world.Start(t.Context()))(t)
	return section.Instruction + "\n" + start.Goal + "\n" + start.Observation
}

// member is a family with so many grades.
func member(id string, grades int) configs.Family {
	return configs.Family{ID: id, Grades: make([]configs.Perturbation, grades)}
}

func TestSuiteNames(t *testing.T) {
	families := []configs.Family{member("verbs", 3), member("names", 2), member("order", 1), member("goal", 3),
		member("lines", 1)}
	want := []string{
		"verbs:2", "names:2", "order:1", "goal:2", "lines:1",
		"verbs:2+goal:2", "names:2+lines:1", "verbs:2+order:1",
		"verbs:2+names:2+goal:2+lines:1", "verbs:2+names:2+order:1+goal:2",
		"all:2",
	}
	sharedtest.Same(t, SuiteNames(families, []int{2}), want)
	sharedtest.Same(t, SuiteNames(families[:1], []int{1, 2}), []string{"verbs:1", "verbs:2"}, "one family")
	sharedtest.Same(t, SuiteNames(families[:2], []int{3}), []string{"verbs:3", "names:2", "all:3"}, "two families")
}

// TestSuiteIsBalanced: every family is in one or two groups of each size, no name is
// there twice, and no part of a name is.
func TestSuiteIsBalanced(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "families")
		var families []configs.Family
		for i := range n {
			families = append(families, member(string(rune('a'+i)), rapid.IntRange(1, 3).Draw(t, "grades")))
		}
		grades := rapid.SliceOfNDistinct(rapid.IntRange(1, 4), 1, 4, rapid.ID[int]).Draw(t, "grades")
		names := SuiteNames(families, grades)
		count := map[int]map[string]int{}
		for i, name := range names {
			if slices.Contains(names[:i], name) {
				t.Fatalf("%q is there twice", name)
			}
			parts := strings.Split(name, "+")
			if sorted := slices.Sorted(slices.Values(parts)); len(slices.Compact(sorted)) < len(parts) {
				t.Fatalf("%q has a family twice", name)
			}
			if count[len(parts)] == nil {
				count[len(parts)] = map[string]int{}
			}
			for _, part := range parts {
				count[len(parts)][part[:1]]++
			}
		}
		if len(grades) > 1 {
			return
		}
		for _, size := range []int{1, 2, 4} {
			for _, f := range families {
				if k := count[size][f.ID]; size < n && (k < 1 || k > 2) {
					t.Fatalf("%s is in %d groups of %d of %q", f.ID, k, size, names)
				}
			}
		}
	})
}
