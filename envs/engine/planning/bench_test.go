package planning

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"heldout/envs/sharedtest"
)

// households returns ALFWorld's unseen games whose names match a pattern, or
// skips. The larger have 300 objects, 1,500 facts and 2,500 operators.
func households(t testing.TB, pattern string) (games []household) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(sharedtest.AgentBoard(t), "alfworld/json_2.1.1/valid_unseen", pattern,
		"*/game.tw-pddl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d games, %v", len(files), err)
	}
	for _, file := range files {
		b := sharedtest.Must(os.ReadFile(file))(t)
		game := household{name: filepath.Base(filepath.Dir(filepath.Dir(file)))}
		sharedtest.OK(t, json.Unmarshal(b, &game))
		games = append(games, game)
	}
	return games
}

type household struct {
	name    string
	Domain  string `json:"pddl_domain"`
	Problem string `json:"pddl_problem"`
}

// kitchens are among the largest households.
const kitchens = "pick_heat_then_place_in_recep-*-10"

// BenchmarkLoad parses and grounds a household.
func BenchmarkLoad(b *testing.B) {
	game := households(b, kitchens)[0]
	b.ReportAllocs()
	var task *Task
	for b.Loop() {
		task = mustGround(b, game.Domain, game.Problem)
	}
	b.ReportMetric(float64(len(task.Facts)), "facts")
	b.ReportMetric(float64(len(task.Operators)), "operators")
}

// BenchmarkPlanHousehold plans in a household from the start.
func BenchmarkPlanHousehold(b *testing.B) {
	game := households(b, kitchens)[0]
	task := mustGround(b, game.Domain, game.Problem)
	for b.Loop() {
		if plan, ok := task.Plan(task.Init); !ok || len(plan) > 15 {
			b.Fatal(plan, ok)
		}
	}
}

// BenchmarkPlan plans the way of twelve things.
func BenchmarkPlan(b *testing.B) {
	task := carrying(b, 12, "(robot b)")
	for b.Loop() {
		if plan, ok := task.Plan(task.Init); !ok || len(plan) != 47 {
			b.Fatal(plan, ok)
		}
	}
}

// BenchmarkApply carries out a plan.
func BenchmarkApply(b *testing.B) {
	task := carrying(b, 12, "(robot b)")
	plan, _ := task.Plan(task.Init)
	s, next := task.Init.Clone(), task.Init.Clone()
	for b.Loop() {
		copy(s, task.Init)
		for _, op := range plan {
			task.Apply(&task.Operators[op], s, next)
			s, next = next, s
		}
	}
}

// All of ALFWorld's unseen games can be read as they are and are solved in few steps.
func TestHouseholds(t *testing.T) {
	for _, game := range sharedtest.Sample(t, households(t, "*"), 4, 30) {
		task := mustGround(t, game.Domain, game.Problem)
		plan, ok := task.Plan(task.Init)
		if !ok || len(plan) < 3 || len(plan) > 10 {
			t.Errorf("%s: %d steps, %v", game.name, len(plan), ok)
		}
		run(t, task, plan)
	}
}
