package perturb

import (
	"fmt"
	"io"
	"slices"
	"testing"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/alfworld"
	"heldout/envs/babyai"
	"heldout/envs/hotpotqa"
	"heldout/envs/jericho"
	"heldout/envs/pddl"
	"heldout/envs/sciworld"
)

// generated opens an environment on tasks that need no data.
func generated(t testing.TB, name string) envs.Env {
	t.Helper()
	var env envs.Env
	var err error
	switch name {
	case "alfworld":
		env, err = alfworld.NewGenerated(0, alfworld.Options{})
	case "babyai":
		env, err = babyai.New(babyai.Options{})
	case "hotpotqa":
		env, err = hotpotqa.NewEmbedded(hotpotqa.Options{}, envs.Outside{})
	case "jericho":
		env, err = jericho.New(jericho.Options{})
	case "pddl":
		env, err = pddl.NewGenerated(0)
	case "sciworld":
		env, err = sciworld.New(sciworld.Options{})
	default:
		t.Fatalf("there is no environment %s", name)
	}
	if err != nil {
		t.Fatal(err)
	}
	if c, ok := env.(io.Closer); ok {
		t.Cleanup(func() { c.Close() })
	}
	return env
}

// withFamilies are the environments that have families: all.
func withFamilies(t testing.TB) []string {
	t.Helper()
	names, err := configs.FamilyEnvs()
	if err != nil || len(names) != 6 {
		t.Fatalf("families are of %q, %v; want six environments", names, err)
	}
	return names
}

// graded lists every family of an environment in every grade.
func graded(t testing.TB, env string) (names []string) {
	t.Helper()
	families, err := configs.LoadFamilies(env)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families.All {
		for grade := range f.Grades {
			names = append(names, fmt.Sprintf("%s:%d", f.ID, grade+1))
		}
	}
	return names
}

// mustName returns the rules of a name.
func mustName(t testing.TB, env, name string) configs.Perturbation {
	t.Helper()
	rules, err := Named(env, name)
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

// Every family goes with every other in all grades, and all go together.
func TestFamiliesCombine(t *testing.T) {
	for _, name := range withFamilies(t) {
		env := generated(t, name)
		single := graded(t, name)
		names := append([]string{"all:1", "all:2", "all:3"}, single...)
		for i, a := range single {
			for _, b := range single[:i] {
				if f, g := a[:len(a)-2], b[:len(b)-2]; f != g {
					names = append(names, b+"+"+a)
				}
			}
		}
		for _, n := range names {
			rules, err := Named(name, n)
			if err == nil {
				_, err = Wrap(env, rules)
			}
			if err != nil {
				t.Errorf("%s: %v", name, err)
			} else if rules.Name != n {
				t.Errorf("%s: %s is named %s", name, n, rules.Name)
			}
		}
		t.Logf("%s: %d rules in %d grades, %d combinations", name, countRules(t, name), len(single), len(names)-len(single))
	}
}

// countRules counts the single rules of an environment.
func countRules(t testing.TB, env string) (n int) {
	t.Helper()
	families, err := configs.LoadFamilies(env)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families.All {
		for _, g := range f.Grades {
			n += len(g.Actions) + len(g.Verbs) + len(g.Words) + len(g.Replies) + len(g.Texts) + len(g.Instructions) + len(g.Without)
			for _, rule := range []string{g.Names, g.Numbers, g.Order, g.Layout} {
				if rule != "" {
					n++
				}
			}
			if g.Lines != nil {
				n++
			}
		}
	}
	return n
}

var _ = slices.Contains[[]string]

func BenchmarkWrap(b *testing.B) {
	for _, name := range withFamilies(b) {
		env := generated(b, name)
		rules := mustName(b, name, "all:3")
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := Wrap(env, rules); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
