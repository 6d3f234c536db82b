package pddl

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"heldout/envs"
	"heldout/envs/engine/planning"
	"heldout/envs/sharedtest"
	"heldout/envs/stream"
)

// generated returns the default set of tasks.
func generated(t testing.TB) *Env {
	t.Helper()
	return sharedtest.Must(NewGenerated(0))(t)
}

func TestGenerated(t *testing.T) {
	e := generated(t)
	want := envs.Info{Name: "pddl", Source: envs.Generated, StepLimit: 30, Settings: map[string]string{
		"generator-seed": "0"}}
	sharedtest.Same(t, e.Info(), want)
	// As many of each game as the benchmark has, easy and hard in the same places.
	types, difficulties := "", ""
	ids, digests := map[string]bool{}, map[string]bool{}
	for i, task := range e.Tasks() {
		types += task.Type[:1]
		difficulties += string(task.Difficulty)[:1]
		ids[task.ID], digests[task.Digest] = true, true
		sharedtest.Equal(t, task.Index, i, task.ID, "index")
	}
	sharedtest.Equal(t, types, strings.Repeat("g", 20)+strings.Repeat("b", 30)+strings.Repeat("t", 10), "games")
	sharedtest.Equal(t, difficulties, "eeeeeeeeeeeeeeeeeeee"+"eeehhehhhe"+"hhhhhhhhhhhhheeheeeh"+"eeeehehhhe",
		"difficulties")
	if e, h := strings.Count(difficulties, "e"), strings.Count(difficulties, "h"); e != 36 || h != 24 {
		t.Errorf("%d easy and %d hard tasks", e, h)
	}
	if len(ids) != 60 || len(digests) != 60 {
		t.Errorf("%d ids and %d digests, want 60", len(ids), len(digests))
	}
	sharedtest.Equal(t, [...]string{e.Tasks()[0].ID, e.Tasks()[19].ID, e.Tasks()[20].ID, e.Tasks()[59].ID},
		[...]string{"gripper/gen0-01", "gripper/gen0-20", "blockworld/gen0-01", "tyreworld/gen0-10"}, "ids")
}

// digestOfAll stands for everything that the generated tasks are.
func digestOfAll(e *Env) string {
	var all []string
	for _, task := range e.Tasks() {
		all = append(all, fmt.Sprintf("{%s %d %s %s %s}", task.ID, task.Index, task.Type, task.Difficulty, task.Digest))
	}
	return envs.Digest(all...)
}

// The tasks of a seed must never change: results on them would no longer be
// comparable. Whoever changes the generator on purpose says so in its tasks' ids.
func TestGeneratedTasksStay(t *testing.T) {
	for seed, want := range map[int64]string{
		0:  "9101f446197833a3b73d9cd20520ae9ab9706ef6c6cde32b1340091d6c8a157a",
		7:  "2078b8255b51edbdec4bc62c894d8a9381af70cb4f478a614ad1934cdcc1d27a",
		-1: "81ea68c6dc7476b75823e2fd70aeaf742877ac07b0333fb3d65285bbab0f5d96",
	} {
		sharedtest.Equal(t, digestOfAll(sharedtest.Must(NewGenerated(seed))(t)), want, "seed", seed, "digest")
	}
}

// Whatever the seed, a problem can be read, is not solved from the start, and
// names everything that its goal is about.
func TestGenerators(t *testing.T) {
	parsed := map[string]*planning.Domain{}
	for _, g := range games {
		parsed[g.Name] = embeddedDomain(t, g.Name)
	}
	rapid.Check(t, func(rt *rapid.T) {
		g := &games[rapid.IntRange(0, len(games)-1).Draw(rt, "game")]
		n := rapid.IntRange(0, 30).Draw(rt, "n")
		hard := rapid.Bool().Draw(rt, "hard")
		seed := rapid.Int64().Draw(rt, "seed")
		generate := func() string { return generators[g.Name](n, hard, stream.New(seed, "test")) }
		text := generate()
		if again := generate(); again != text {
			rt.Fatalf("first %s, then %s", text, again)
		}
		p, err := newProblem(g, parsed[g.Name], "generated", text)
		if err != nil {
			rt.Fatalf("%v\n%s", err, text)
		}
		in, err := p.ready()
		if err != nil {
			rt.Fatalf("%v\n%s", err, text)
		}
		if _, all := in.reached(in.task.Init); all {
			rt.Fatalf("solved from the start:\n%s", text)
		}
		for i, target := range in.targets {
			if target == planning.Never {
				rt.Fatalf("part %d of the goal can never hold:\n%s", i, text)
			}
		}
	})
}

// The expert solves generated tasks within the step limit, and none is solved by one step.
func TestExpertOnGenerators(t *testing.T) {
	for seed := range int64(sharedtest.Times(t, 2, 1, 4)) {
		e := generated(t)
		if seed > 0 {
			e = sharedtest.Must(NewGenerated(rand.New(rand.NewPCG(uint64(seed), 1)).Int64()))(t)
		}
		for _, task := range sharedtest.Sample(t, e.Tasks(), 10) {
			if n, success := solve(t, e, task, stepLimit); !success || n < 2 {
				t.Errorf("%s: %d steps, success %v", task.ID, n, success)
			}
		}
	}
}

func TestNewWorldRefusesForeignTasks(t *testing.T) {
	e := generated(t)
	other := sharedtest.Must(NewGenerated(1))(t)
	mine := e.Tasks()[3]
	for name, change := range map[string]func(*envs.Task){
		"none":       func(*envs.Task) {},
		"id":         func(t *envs.Task) { t.ID = "gripper/gen0-99" },
		"index":      func(t *envs.Task) { t.Index = 4 },
		"negative":   func(t *envs.Task) { t.Index = -1 },
		"too large":  func(t *envs.Task) { t.Index = 60 },
		"digest":     func(t *envs.Task) { t.Digest = "" },
		"difficulty": func(t *envs.Task) { t.Difficulty = envs.Hard },
		"other seed": func(t *envs.Task) { *t = other.Tasks()[3] },
	} {
		task := mine
		change(&task)
		w, err := e.NewWorld(task)
		if name == "none" {
			if err != nil {
				t.Error(err)
			}
			continue
		}
		if err == nil || w != nil {
			t.Errorf("%s: a world was made for %+v", name, task)
		} else if want := "pddl: unknown task " + task.ID; err.Error() != want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}
