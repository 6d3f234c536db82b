package agentboard

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"heldout/scoring/record"
)

// The rates of all_results.txt and dimension.txt are those of the episodes, worked out by hand.
func TestResults(t *testing.T) {
	b := board{}
	for i, env := range []string{"alfworld", "sciworld", "babyai", "jericho", "pddl"} {
		solved := i < 2 // alfworld and sciworld
		b[env] = []episode{{ID: 0, Difficulty: "easy", Done: flag(solved), Progress: 0.5, Grounding: 0.25},
			{ID: 1, Difficulty: "hard", Progress: 0.25, Grounding: 0.75}}
	}
	rates, abilities, err := b.results()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`{"task_name":"scienceworld","success_rate":0.5,"progress_rate":0.375,"grounding_acc":0.5,"success_rate_hard":0,` +
			`"success_rate_easy":1,"progress_rate_hard":0.25,"progress_rate_easy":0.5}`,
		`{"task_name":"game_summary","success_rate":0,"progress_rate":0.375,"grounding_acc":0.5,"success_rate_hard":0,` +
			`"success_rate_easy":0,"progress_rate_hard":0.25,"progress_rate_easy":0.5}`,
		`{"task_name":"embodied_summary","success_rate":0.333`,
	} {
		if !strings.Contains(string(rates), want) {
			t.Errorf("%s\nlacks %s", rates, want)
		}
	}
	if strings.Contains(string(rates), "web_summary") || strings.Contains(string(rates), "all_summary") {
		t.Errorf("%s\nhas means over environments that were not played", rates)
	}
	// Half of the tasks of two environments: 50 times their share of the weights.
	for _, want := range []string{`"Memory": 21.42857`, `"Planning": 13.63636`, `"World Modeling": 25.0,`,
		`"Self-reflection": 22.72727`, `"Grounding": 22.72727`, `"Spatial Navigation": 22.22222`} {
		if !strings.Contains(string(abilities), want) {
			t.Errorf("%s\nlacks %s", abilities, want)
		}
	}
}

// Folders stay below the one that was asked for, whatever a model is called.
func TestFolders(t *testing.T) {
	w := boardWriter{players: map[subject]board{}}
	for _, model := range []string{"..", ".", "", "/etc", "a\x1b[31m", "vllm:org/m"} {
		w.players[subject{model, 0}] = nil
	}
	owners, err := w.owners("out")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"out/-etc", "out/a-x1b[31m", "out/model", "out/model.", "out/model..", "out/vllm-org-m"}
	if got := slices.Sorted(maps.Keys(owners)); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	w.players[subject{"vllm:org:m", 0}] = nil
	const shared = "would share the folder out/vllm-org-m"
	if _, err := w.owners("out"); err == nil || !strings.Contains(err.Error(), shared) {
		t.Errorf("two models with one folder: %v", err)
	}
}

// A folder that cannot be made is told as that, and nothing is left beside it.
func TestFolderThatIsAFile(t *testing.T) {
	dir := t.TempDir()
	write(t, "", dir, "file")
	err := board{"pddl": {{}}}.write(filepath.Join(dir, "file"))
	if err == nil || !strings.Contains(err.Error(), "the folder cannot be made") {
		t.Error(err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}

// AgentBoard has no place for episodes of other environments or under perturbations. They are
// counted, and so are planned episodes without a result. One model plays an environment in one way.
func TestAddGroup(t *testing.T) {
	w := boardWriter{players: map[subject]board{}, Written: Written{LeftOut: map[string]int{}}}
	add := func(env, perturbation string) error {
		c := record.Condition{Env: env, Model: "m", Perturbation: perturbation}
		g := record.Group{Condition: c, Episodes: []string{"a", "b", "c"}}
		return w.addGroup("run", g, []episode{{ID: 1}, {ID: 0}})
	}
	if err := errors.Join(add("pddl", "none"), add("pddl", "P1"), add("hotpotqa", "none")); err != nil {
		t.Fatal(err)
	}
	want := map[string]int{"under perturbations": 2, "of HotpotQA": 2}
	if w.Episodes != 2 || w.Missing != 1 || !maps.Equal(w.LeftOut, want) ||
		w.players[subject{"m", 0}]["pddl"][0].ID != 0 {
		t.Errorf("%+v", w)
	}
	const several = "m played pddl in several ways with seed 0"
	if err := add("pddl", "none"); err == nil || !strings.Contains(err.Error(), several) {
		t.Errorf("a second condition: %v", err)
	}
}

// A lost game of Jericho is over and not solved, steps count from one, and more than the usual
// number of steps raises the limit.
func TestSteps(t *testing.T) {
	dir := t.TempDir()
	var steps []string
	for i := range 40 {
		steps = append(steps, fmt.Sprintf(`"Interaction Turn %d":{}`, i))
	}
	var log strings.Builder
	for i, progress := range []string{"1", "0.5"} {
		fmt.Fprintf(&log, `{"id":%d,"is_done":true,"progress_rate":%s,"grounding_acc":1,"score_change_record":[[4,%[2]s]],`+
			`"trajectory":{%[3]s}}`, i, progress, strings.Join(steps, ","))
	}
	write(t, "", dir, resultsFile)
	write(t, log.String(), dir, "logs", "jericho.jsonl")
	got, _ := scores(t, dir)
	s := got["jericho"]
	if s.Success.Mean != 0.5 || s.Condition.StepLimit != 40 {
		t.Errorf("SR %v with limit %d", s.Success.Mean, s.Condition.StepLimit)
	}
	curve := s.BySteps()
	if curve[3].Progress.Mean != 0 || curve[4].Progress.Mean != 0.75 {
		t.Errorf("progress %v after 4 steps, %v after 5", curve[3].Progress.Mean, curve[4].Progress.Mean)
	}
}
