package report

import (
	"testing"

	"heldout/envs"
)

// TestWithheld: of a model whose hard tasks do not fit its context, the others are no
// sample. Episodes that are not run yet are missing by chance.
func TestWithheld(t *testing.T) {
	tables := everything([]Run{newRun(t, "run",
		group{"pddl", envs.Official, 4, "vllm:M", 0, nil, "Sfxx"},
		group{"pddl", envs.Official, 4, "vllm:N", 0, nil, "Sf--"},
		group{"pddl", envs.Official, 4, "vllm:O", 0, nil, "Sfce"},
		group{"pddl", envs.Official, 4, "vllm:P", 0, nil, "SSSm"},
	)}, nil, weights)
	h := find(t, tables, "headline")
	same(t, "models", below(t, h, "model"), "M", "N", "O", "P")
	same(t, "success", below(t, h, "pddl"), "–*", "50.0*", "50.0*", "–*")
	hasNote(t, h,
		"M on pddl: no rate, because 2 of 4 episodes have no result for a reason that depends on the model (2 "+
			"context_exceeded), and the others are no fair sample; "+
			"over all episodes SR is between 25.0 and 75.0 and PR between 37.5 and 87.5.")
	same(t, "results", below(t, find(t, tables, "results"), "success"), "50.0*", "50.0*", "50.0*", "100.0*")
}

// The limit is a tenth of the planned episodes.
func TestWithheldLimit(t *testing.T) {
	var groups []group
	for seed, outcomes := range []string{"SSff", "SSff", "SSff", "SSff", "SSxx"} {
		groups = append(groups, group{"pddl", envs.Official, 4, "vllm:M", int64(seed), nil, outcomes})
	}
	same(t, "2 of 20", below(t, find(t, everything([]Run{newRun(t, "run", groups...)}, nil, weights), "headline"),
		"pddl"), "60.0*")
	groups[3].outcomes = "SSfm"
	same(t, "3 of 20", below(t, find(t, everything([]Run{newRun(t, "run", groups...)}, nil, weights), "headline"),
		"pddl"), "–*")
}

// Without results there is no usage, but there is its table, which says so.
func TestNoResults(t *testing.T) {
	from := New([]Run{newRun(t, "run", group{"pddl", envs.Official, 4, "vllm:M", 0, nil, "xx--"})}, nil, weights)
	for _, id := range []string{"usage", "tasks", "kinds", "steps"} {
		tables, err := from.Select([]string{id})
		if err != nil {
			t.Fatal(err)
		}
		if len(from.Tables(id)) > 0 {
			t.Errorf("nobody asked for %s, and it is there", id)
		}
		hasNote(t, find(t, tables, id), "No episode has a result.")
	}
}
