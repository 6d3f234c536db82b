package report

import (
	"fmt"
	"testing"

	"heldout/envs"
	"heldout/scoring/record"
	"heldout/scoring/refinement"
)

// The table of rates has the intervals of the results, the held-out score, and published rates beside them.
func TestRates(t *testing.T) {
	run := newRun(t, "runs/a",
		group{"babyai", envs.Official, 4, "expert", 0, nil, "SSSS"},
		group{"pddl", envs.Official, 4, "expert", 0, nil, "SSSf"},
		group{"pddl", envs.Official, 4, "random", 0, nil, "ff-f"},
	)
	got := find(t, everything([]NamedRun{run}, []Baseline{baseline("paper")}, weights), "rates")
	same(t, "environments", below(t, got, "environment"), "held-out score", "held-out score", "babyai", "babyai",
		"pddl", "pddl", "pddl", "pddl")
	same(t, "models", below(t, got, "model"), "expert", "GPT-9 [paper]", "expert", "GPT-9 [paper]", "expert", "random",
		"GPT-9 [paper]", "Tuned, Llama [paper]")
	same(t, "from", below(t, got, "from"), "run", "published", "run", "published", "run", "run", "published",
		"published")
	same(t, "success", below(t, got, "success"), "93.8", "25.0", "100.0", "30.0", "75.0", "0.0*", "10.0", "12.5")
	hasNote(t, got, "A paper")
	hasNote(t, got, "random: the held-out score is incomplete; missing: babyai, pddl (3 of 4 episodes).")
}

// Every planned episode has one ending.
func TestEndings(t *testing.T) {
	run := newRun(t, "runs/a", group{"pddl", envs.Generated, 4, "a", 0, nil, "Sfme"},
		group{"pddl", envs.Generated, 4, "a", 1, nil, "xcaS"})
	got := find(t, everything([]NamedRun{run}, nil, weights), "endings")
	var row []string
	for _, c := range got.Rows[0] {
		row = append(row, c.Text+c.Mark)
	}
	// Planned, solved, early, limit, context, model, agent, environment, not run.
	same(t, "row", row, "pddl", "a", "8*", "2", "1", "0", "1", "1", "1", "1", "1")
}

// stepRun is a run of one environment whose episodes have these trajectories, one task each.
func stepRun(t *testing.T, limit int, episodes ...[]record.Step) NamedRun {
	t.Helper()
	run, _ := stepRuns(t, limit, episodes...)
	return run
}

// stepRuns are that run, read with its steps and without.
func stepRuns(t *testing.T, limit int, episodes ...[]record.Step) (with, without NamedRun) {
	t.Helper()
	env := record.Environment{Info: envs.Info{Name: "pddl", Source: envs.Generated, StepLimit: limit},
		Total: len(episodes)}
	g := record.Group{Condition: record.Condition{Env: "pddl", Source: envs.Generated, Model: "m", Agent: "react",
		Perturbation: "none", StepLimit: limit}}
	var results []record.Result
	var counts []refinement.Counts
	counter := refinement.NewCounter(nil)
	for i, steps := range episodes {
		id := fmt.Sprint(i)
		env.Tasks = append(env.Tasks, envs.Task{ID: id, Index: i, Type: "gripper"})
		g.Episodes = append(g.Episodes, id)
		e := record.Episode{Result: record.Result{ID: id, Attempt: 1, Outcome: record.Failure, Steps: len(steps)},
			Trajectory: steps}
		if last := steps[len(steps)-1]; last.Progress == 1 {
			e.Outcome, e.Success, e.Progress = record.Success, true, 1
		}
		results = append(results, e.Result)
		counts = append(counts, counter.Count(&e, nil))
	}
	m := &record.Manifest{Schema: record.Schema, Environments: []record.Environment{env}, Groups: []record.Group{g}}
	return NamedRun{Name: "runs/a", Scores: scoresFrom(t, m, results, counts)},
		NamedRun{Name: "runs/a", Scores: scoresFrom(t, m, results, nil)}
}

// The curves keep what an episode had reached when it ended.
func TestBySteps(t *testing.T) {
	at := func(progress float64) record.Step {
		return record.Step{Action: fmt.Sprint(progress), Valid: true, Progress: progress}
	}
	run := stepRun(t, 3, []record.Step{at(0.5), at(1)}, []record.Step{at(0), at(0.5), at(0.25)})
	got := find(t, everything([]NamedRun{run}, nil, weights), "steps")
	same(t, "steps", below(t, got, "step"), "1", "2", "3")
	same(t, "success", below(t, got, "success"), "0.0", "50.0", "50.0")
	same(t, "progress", below(t, got, "progress"), "25.0", "75.0", "62.5")
}

// A long episode has no more points than a figure needs, and its last step is one.
func TestManySteps(t *testing.T) {
	run := stepRun(t, 1000, make([]record.Step, 601))
	steps := below(t, find(t, everything([]NamedRun{run}, nil, weights), "steps"), "step")
	if n := len(steps); n > 60 || steps[n-1] != "601" {
		t.Errorf("%d points, the last at step %s", n, steps[n-1])
	}
}

// A step of an unsolved episode counts once.
func TestLostSteps(t *testing.T) {
	look := record.Step{Action: "look", Observation: "a room", Valid: true}
	steps := []record.Step{
		look, look, look, look,
		{FormatError: true, FinishReason: "length"}, {FormatError: true, FinishReason: "stop"},
		{Action: "dance"}, {Action: "sing", Valid: true},
	}
	got := find(t, everything([]NamedRun{stepRun(t, 8, steps)}, nil, weights), "lost-steps")
	var row []string
	for _, c := range got.Rows[0][2:] {
		row = append(row, c.Text+c.Mark)
	}
	same(t, "row", row, "1", "8", "12.5", "12.5", "12.5", "50.0", "12.5")
}
