package perturb

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/babyai"
	"heldout/envs/hotpotqa"
	"heldout/envs/sharedtest"
)

// ofEnv and ofWorld ask for every optional ability by its name.
var (
	ofEnv = map[string]func(any) bool{
		"Finder": has[envs.Finder], "Comparer": has[envs.Comparer], "Describer": has[envs.Describer],
	}
	ofWorld = map[string]func(any) bool{
		"Lister": has[envs.Lister], "Hinter": has[envs.Hinter], "Expert": has[envs.Expert],
		"Speller": has[envs.Speller],
		"Forker":  has[envs.Forker], "StateAppender": has[envs.StateAppender],
		"Viewer": has[envs.Viewer], "Inspector": has[envs.Inspector],
		"Scorer": has[envs.Scorer], "ExactScorer": has[envs.ExactScorer],
		"Seeder": has[envs.Seeder],
	}
)

func has[A any](v any) bool { _, ok := envs.As[A](v); return ok }

// abilityOf returns an ability that must be there.
func abilityOf[A any](t testing.TB, v any) A {
	t.Helper()
	a, ok := envs.As[A](v)
	if !ok {
		t.Fatalf("%T has no %T", v, a)
	}
	return a
}

// The tables above have every ability that package envs declares.
func TestAllAbilitiesAreKnown(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "envs", "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files of package envs: %v", err)
	}
	declared := 0
	visit := func(n ast.Node) bool {
		d, ok := n.(*ast.GenDecl)
		if !ok || !strings.Contains(d.Doc.Text(), " is the optional ability of ") {
			return true
		}
		name := d.Specs[0].(*ast.TypeSpec).Name.Name
		declared++
		if ofEnv[name] == nil && ofWorld[name] == nil {
			t.Errorf("envs.%s is not among the abilities that are tested with wrappers", name)
		}
		return true
	}
	for _, file := range files {
		f := sharedtest.Must(parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments))(t)
		ast.Inspect(f, visit)
	}
	if want := len(ofEnv) + len(ofWorld); declared != want {
		t.Errorf("package envs declares %d abilities, want %d", declared, want)
	}
}

// environments are all that can be played on this machine, with one rule each that renames an action.
func environments(t *testing.T) map[envs.Env]configs.Perturbation {
	t.Helper()
	out := map[envs.Env]configs.Perturbation{}
	for name, rule := range map[string][2]string{
		"alfworld": {"go to {recep}", "walk to {recep}"}, "babyai": {"go to {thing}", "walk to {thing}"},
		"hotpotqa": {"lookup[{text}]", "seek[{text}]"}, "jericho": {"take {thing}", "grab {thing}"},
		"pddl": {"Open {a}", "Unlock {a}"}, "sciworld": {"look around", "gaze around"},
	} {
		out[generated(t, name)] = configs.Perturbation{Name: "renamed", Env: name,
			Actions: map[string]string{rule[0]: rule[1]}}
	}
	return out
}

// A wrapped environment and its worlds have exactly the abilities that they have by themselves. Spoken alone is
// hidden: a perturbed environment is not perturbed again.
func TestWrappersLoseNoAbility(t *testing.T) {
	for env, rules := range environments(t) {
		perturbed := sharedtest.Must(Wrap(env, rules))(t)
		for name, has := range ofEnv {
			if want := has(env) && name != "Describer"; has(perturbed) != want {
				t.Errorf("%s: perturbed it has %s: %v, want %v", rules.Env, name, !want, want)
			}
		}
		task := env.Tasks()[0]
		inner := sharedtest.Must(env.NewWorld(task))(t)
		defer inner.Close()
		outer := sharedtest.Must(perturbed.NewWorld(task))(t)
		defer outer.Close()
		for name, has := range ofWorld {
			if has(outer) != has(inner) {
				t.Errorf("%s: a perturbed world has %s: %v, its own %v", rules.Env, name, has(outer), has(inner))
			}
		}
	}
}

// A perturbation that renames one action leaves the spelling of the others to the
// environment, and takes the new form as it is.
func TestSpelling(t *testing.T) {
	env := sharedtest.Must(hotpotqa.NewEmbedded(hotpotqa.Options{}, envs.Outside{}))(t)
	perturbed := sharedtest.Must(Wrap(env, configs.Perturbation{Name: "renamed", Env: "hotpotqa",
		Actions: map[string]string{"lookup[{text}]": "Seek[{text}]"}}))(t)
	w := sharedtest.Must(perturbed.NewWorld(env.Tasks()[0]))(t)
	sharedtest.OK(t, sharedtest.Err(w.Start(context.Background())))
	speller := abilityOf[envs.Speller](t, w)
	for action, want := range map[string]string{
		"Search[Saturn]": "search[Saturn]", "Seek[moon]": "Seek[moon]", "Lookup[moon]": "lookup[moon]",
		"Finish[yes]": "finish[yes]",
	} {
		sharedtest.Equal(t, speller.Spell(action), want, action, "is spelled")
	}
	s, err := w.Step(context.Background(), speller.Spell("Finish[yes]"))
	if err != nil || !s.Valid || !s.Done {
		t.Errorf("Finish[yes] is answered %+v, %v", s, err)
	}
	if s, err := w.Step(context.Background(), "lookup[moon]"); err != nil || s.Valid {
		t.Errorf("the old form is answered %+v, %v", s, err)
	}
}

// A task outside the benchmark can be played perturbed, whatever its type.
func TestTaskOutsideTheBenchmark(t *testing.T) {
	env := sharedtest.Must(babyai.New(babyai.Options{}))(t)
	perturbed := sharedtest.Must(Wrap(env, configs.Perturbation{
		Name: "renamed", Env: "babyai", Actions: map[string]string{"turn left": "rotate left"}}))(t)
	types := map[string]bool{}
	for _, task := range env.Tasks() {
		types[task.Type] = true
	}
	task, err := abilityOf[envs.Finder](t, perturbed).Task("BabyAI-BossLevel-v0/5")
	if err != nil || types[task.Type] {
		t.Fatalf("want a task of a type that the benchmark does not have, got %+v, %v", task, err)
	}
	w := sharedtest.Must(perturbed.NewWorld(task))(t)
	sharedtest.OK(t, sharedtest.Err(w.Start(context.Background())))
	if s, err := w.Step(context.Background(), "rotate left"); err != nil || !s.Valid {
		t.Errorf("rotate left is answered %+v, %v", s, err)
	}
}
