package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/scoring/record"
)

// Readers who ask for nothing get the tables that need not be asked for, and others
// those that they name, in their order. A kind of several tables has all of them.
func TestSelect(t *testing.T) {
	run := newRun(t, "run",
		group{"pddl", envs.Generated, 4, "expert", 0, nil, "SSSS"},
		group{"pddl", envs.Generated, 4, "random", 0, nil, "SSff"},
		group{"hotpotqa", envs.Generated, 4, "expert", 0, nil, "SSSS"},
	)
	for _, s := range run.Scores {
		if s.Condition.Env == "hotpotqa" {
			s.Environment.SuccessName, s.Environment.ProgressName = "EM", "F1"
		}
	}
	from := New([]NamedRun{run}, nil, weights)
	for _, c := range []struct{ ids, want string }{
		{"", "headline"},
		{"all", "headline verdict results results-EM-F1 difficulty notes"},
		{"paired results headline", "verdict results results-EM-F1 headline"},
		{"results-EM-F1", "results-EM-F1"},
		{"rates", "rates"},
	} {
		tables, err := from.Select(strings.Fields(c.ids))
		var got []string
		for _, tb := range tables {
			got = append(got, tb.ID)
		}
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%q: %s, %v; want %s", c.ids, got, err, c.want)
		}
	}
	_, err := from.Select([]string{"headline", "robustness"})
	if err == nil || !strings.Contains(err.Error(),
		`no table "robustness": no run is a sweep of perturbations other than families; they have headline, `+
			`verdict, paper, results, results-EM-F1, `) {
		t.Errorf("error %v", err)
	}
	if _, err := from.Select([]string{"results-a-b"}); err == nil {
		t.Error("there are results of names that no environment has")
	}
}

// A kind is made once, and only when it is asked for.
func TestMadeWhenAsked(t *testing.T) {
	from := New([]NamedRun{newRun(t, "run", group{"pddl", envs.Generated, 4, "expert", 0, nil, "SSSS"})}, nil, weights)
	sharedtest.OK(t, sharedtest.Err(from.Select([]string{"headline"})))
	sharedtest.Equal(t, len(from.cache), 1, "kinds were made for the headline")
}

// Names are unique, and nobody can ask for a table that is only drawn.
func TestNames(t *testing.T) {
	if ids := IDs(); len(slices.Compact(slices.Sorted(slices.Values(ids)))) != len(ids) ||
		slices.Contains(ids, "checkpoints") {
		t.Errorf("kinds %s", ids)
	}
	if k, ok := Find("results-EM-F1"); !ok || k.ID != "results" {
		t.Errorf("results of other names are of kind %q", k.ID)
	}
	if _, ok := Find("pie"); ok {
		t.Error("there are pies")
	}
}

// Tables that are not made from steps are the same for a run that was read without them, and the others are not.
func TestSteps(t *testing.T) {
	steps := []record.Step{{Action: "go", Valid: true, Progress: 0.5}, {Action: "dance"},
		{Action: "go", Valid: true, Progress: 0.5}}
	with, without := stepRuns(t, 3, steps, steps[:1])
	a, b := New([]NamedRun{with}, nil, weights), New([]NamedRun{without}, nil, weights)
	for _, k := range Kinds() {
		if same := cmp.Equal(a.Tables(k.ID), b.Tables(k.ID)); !same && !k.Steps {
			t.Errorf("%s is made from steps, and its kind does not say so", k.ID)
		}
	}
	for _, id := range []string{"refinement", "refinement-measures", "steps", "lost-steps"} {
		if cmp.Equal(a.Tables(id), b.Tables(id)) || !NeedSteps([]string{"headline", id}) {
			t.Errorf("%s is not made from steps", id)
		}
	}
	if NeedSteps([]string{"headline", "results-EM-F1"}) || NeedSteps(nil) || !NeedSteps([]string{AllTables}) {
		t.Error("what everybody gets is made from steps, or all tables are not")
	}
}
