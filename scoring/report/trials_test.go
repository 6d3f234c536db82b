package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/scoring/record"
)

// triedRun computes the scores of a run of one environment with several trials.
// Each task has a word with a letter for each trial.
func triedRun(t *testing.T, name, env string, trials record.Trials, tasks ...string) NamedRun {
	t.Helper()
	c := record.Condition{Env: env, Source: envs.Official, Model: "vllm:m", Agent: "react", Decoding: &record.Decoding{
		TopP: 1, MaxTokens: 512}, Perturbation: "none", StepLimit: 30, Trials: &trials}
	e := record.Environment{Info: envs.Info{Name: env, Source: envs.Official, StepLimit: 30}, Total: len(tasks)}
	g := record.Group{Condition: c}
	var results []record.Result
	for i, word := range tasks {
		e.Tasks = append(e.Tasks, envs.Task{ID: fmt.Sprint("t", i), Index: i, Type: "a", Digest: fmt.Sprint(i)})
		first := fmt.Sprint("id", i)
		g.Episodes = append(g.Episodes, first)
		for n, letter := range word {
			r := record.Result{Schema: record.Schema, ID: record.TrialID(first, n+1), Attempt: 1, Trial: n + 1,
				Outcome: outcomes[letter], Success: letter == 'S', Progress: 0.5, Calls: 10, Steps: 10}
			if r.Success {
				r.Progress = 1
			}
			if letter == 'f' && trials.Memory > 0 {
				r.Reflection = &record.Reflection{Calls: 1}
				if i == 0 {
					r.Reflection.Fault = record.Empty
				}
			}
			results = append(results, r)
		}
	}
	m := &record.Manifest{Schema: record.Schema, Environments: []record.Environment{e}, Groups: []record.Group{g}}
	return NamedRun{Name: name, Scores: scoresFrom(t, m, results, nil)}
}

var withMemory = record.Trials{Limit: 3, Memory: 2, PromptHash: "0123456789abcdef", Decoding: &record.Decoding{
	TopP: 1, MaxTokens: 256}, SameAction: 3}

func TestTrialTables(t *testing.T) {
	ours := triedRun(t, "memory", "pddl", withMemory, "S", "fS", "ffS", "fff")
	control := triedRun(t, "control", "pddl", record.Trials{Limit: 3}, "S", "fff", "fff", "fff")
	b := baseline("paper:reflexion")
	b.Table.ID = reflexion
	tables := everything([]NamedRun{ours, control}, []Baseline{b}, weights)
	rates := find(t, tables, "trials")
	sharedtest.Same(t, below(t, rates, "success"),
		[]string{"25.0", "50.0", "75.0", "25.0", "25.0", "25.0", "10.0", "12.5"})
	sharedtest.Same(t, below(t, rates, "trial"), []string{"1", "2", "3", "1", "2", "3", "–", "–"})
	names := below(t, rates, "model")
	if names[0] != "m (memory 2, same action 3)" || names[3] != "m (memory 0, same action 0)" ||
		names[7] != "Tuned, Llama [paper:reflexion]" {
		t.Errorf("names %q", names)
	}
	if want := "SR after 3 trials on PDDL (4 tasks, 1 seed): m (memory 2, same action 3) 75.0, m (memory 0, same action 0) " +
		"25.0: +50.0 points"; !strings.HasPrefix(rates.Title, want) {
		t.Errorf("title %q", rates.Title)
	}
	notes := strings.Join(append(find(t, tables, "notes").Notes, rates.Notes...), "\n")
	for _, want := range []string{
		"up to 3 trials with the last 2 reflections, each of at most 256 tokens at temperature 0 (prompt 01234567); " +
			"a trial ends after the same action 3 times in a row",
		"up to 3 trials without memory", "an oracle", "The number of trials is not published",
	} {
		sharedtest.Contains(t, notes, want)
	}
	if strings.Contains(notes, "no retries without memory") {
		t.Errorf("the control is there:\n%s", notes)
	}
	sharedtest.Same(t, below(t, find(t, tables, "trials-paired"), "trial"), []string{"2", "3"})
	sharedtest.Same(t, below(t, find(t, tables, "trials-paired"), "success_difference"), []string{"+25.0", "+50.0"})
	cost := find(t, tables, "trials-cost")
	sharedtest.Same(t, below(t, cost, "calls"), []string{"43", "32", "21", "40", "30", "30"})
	if title := find(t, tables, "headline").Title; !strings.Contains(title, "first trials") {
		t.Errorf("headline does not say which trial it has: %q", title)
	}
	for _, id := range []string{"results", "rates"} {
		if tb := find(t, tables, id); !slices.ContainsFunc(tb.Notes,
			func(n string) bool { return strings.Contains(n, "the first of up to 3 trials") }) {
			t.Errorf("%s does not say which trial it has: %q", id, tb.Notes)
		}
	}
	if got := below(t, find(t, tables, "headline"), "pddl"); !slices.Equal(got[:2], []string{"25.0", "25.0"}) {
		t.Errorf("headline %q", got)
	}
}

// What is missing or doubtful is said; without the control, so is that.
func TestTrialTablesDoubts(t *testing.T) {
	ours := triedRun(t, "memory", "pddl", withMemory, "fS", "fm", "S", "-")
	tables := everything([]NamedRun{ours}, nil, configs.Weights{})
	rates := find(t, tables, "trials")
	sharedtest.Same(t, below(t, rates, "success"), []string{"33.3*", "–", "–"})
	notes := strings.Join(find(t, tables, "notes").Notes, "\n")
	for _, want := range []string{
		"* Incomplete: m on PDDL lacks results that are due: 1 of 2 in trial 2.",
		"m on PDDL, all trials: 1 of 2 reflections empty",
		"no retries without memory beside it",
	} {
		sharedtest.Contains(t, notes, want)
	}
	sharedtest.Same(t, below(t, find(t, tables, "trials-cost"), "episodes"), []string{"3*", "1*", "0"}, "episodes")
}

// Runs of one trial have none of the tables, and published results after several
// trials stand beside official tasks only.
func TestNoTrialTables(t *testing.T) {
	run := newRun(t, "a", group{env: "pddl", source: envs.Generated, tasks: 2, model: "vllm:m", outcomes: "Sf"})
	for _, tb := range everything([]NamedRun{run}, nil, weights) {
		if strings.HasPrefix(tb.ID, "trials") {
			t.Errorf("there is a table %s", tb.ID)
		}
	}
}
