package report

import (
	"math"
	"strings"
	"testing"

	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/scoring"
	"heldout/scoring/record"
)

// TestTrainings: models whose names differ in their last number are trainings of an arm,
// which are compared with how they differ among themselves.
func TestTrainings(t *testing.T) {
	played := func(model, outcomes string) group {
		return group{"pddl", envs.Official, 4, model, 0, nil, outcomes}
	}
	runs := []NamedRun{newRun(t, "run",
		played("vllm:M-0", "SSSS"), played("vllm:M-1", "SSSf"), played("vllm:M-2", "SSff"),
		played("vllm:R-9", "SSff"), played("vllm:R-10", "fSff"),
		played("vllm:B", "SSff"), played("random", "ffff"),
		group{"pddl", envs.Official, 4, "vllm:B", 0, func(c *record.Condition) { c.Perturbation = "caps" }, "ffff"},
	)}
	tables := everything(runs, nil, weights)
	rates := find(t, tables, "trainings")
	same(t, "arms", below(t, rates, "model"), "M", "R", "random")
	same(t, "number", below(t, rates, "trainings"), "3", "2", "0")
	same(t, "rates", below(t, rates, "success"), "75.0", "37.5", "0.0")
	same(t, "spread", below(t, rates, "success_sample_std"), "25.0", "17.7", "–")
	hasNote(t, rates, "Trained once, so nothing says how another training would do: B.")
	pairs := find(t, tables, "trainings-paired")
	same(t, "arms", below(t, pairs, "model"), "R", "random", "random")
	same(t, "against", below(t, pairs, "against"), "M", "M", "R")
	same(t, "differences", below(t, pairs, "success_difference"), "-37.5", "-75.0", "-37.5")

	// The variances of the means of 3 and of 2 trainings are added to the variance of the tasks.
	arms, _ := trainedArms(New(runs, nil, weights).plain)
	tasks := sharedtest.Must(scoring.Compare(arms[1].arm.Score, arms[0].arm.Score))(t)
	all := sharedtest.Must(scoring.CompareTrainings(*arms[1].arm, *arms[0].arm))(t)
	const ofM, ofR = 0.25 * 0.25 / 3, 0.125 * 0.125 * 2 / 2
	if got, want := all.Success.Variance, tasks.Success.Variance+ofM+ofR; math.Abs(got-want) > 1e-12 ||
		all.Success.Low >= tasks.Success.Low || all.Success.High <= tasks.Success.High {
		t.Errorf("%+v, without trainings %+v; want the variance %v", all.Success, tasks.Success, want)
	}

	alone := everything([]NamedRun{newRun(t, "run", played("vllm:M-0", "SSSS"), played("vllm:R-0", "SSff"))}, nil,
		weights)
	for _, of := range alone {
		if of.ID == "trainings" && len(of.Rows) > 0 {
			t.Errorf("arms of one training have rows: %v", of.Rows)
		}
	}
}

// A reader who asks for trainings is told why there are none.
func TestNoTrainings(t *testing.T) {
	caps := func(c *record.Condition) { c.Perturbation = "caps" }
	tables, err := New([]NamedRun{newRun(t, "run",
		group{"pddl", envs.Official, 4, "vllm:M-0", 0, nil, "SSSS"},
		group{"pddl", envs.Official, 4, "vllm:M-1", 0, nil, "SS--"},
		group{"pddl", envs.Official, 4, "vllm:M-0", 0, caps, "S---"},
		group{"pddl", envs.Official, 4, "vllm:M-1", 0, caps, "ffff"},
	)}, nil, weights).Select([]string{"trainings"})
	if err != nil || len(tables) != 1 {
		t.Fatalf("incomplete trainings: %v, %v", tables, err)
	}
	hasNote(t, tables[0], "M on PDDL; M on PDDL under caps: trainings cannot be joined, because not every planned "+
		"episode has a result.")

	_, err = New([]NamedRun{newRun(t, "run", group{"pddl", envs.Official, 4, "vllm:M", 0, nil, "SSSS"})}, nil,
		weights).Select([]string{"trainings"})
	if want := `no table "trainings": no two models have names`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("a model alone: %v, want %s", err, want)
	}
}
