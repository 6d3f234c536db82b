package report

import (
	"strings"
	"testing"
	"unicode/utf8"

	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/scoring/table"
)

// TestWithheld: of a model whose hard tasks do not fit its context, the others are no
// sample. Episodes that are not run yet are missing by chance.
func TestWithheld(t *testing.T) {
	tables := everything([]NamedRun{newRun(t, "run",
		group{"pddl", envs.Official, 4, "vllm:M", 0, nil, "Sfxx"},
		group{"pddl", envs.Official, 4, "vllm:N", 0, nil, "Sf--"},
		group{"pddl", envs.Official, 4, "vllm:O", 0, nil, "Sfce"},
		group{"pddl", envs.Official, 4, "vllm:P", 0, nil, "SSSm"},
		group{"pddl", envs.Official, 4, "vllm:Q", 0, nil, "mmmm"},
	)}, nil, weights)
	h := find(t, tables, "headline")
	same(t, "models", below(t, h, "model"), "M", "N", "O", "P", "Q")
	same(t, "success", below(t, h, "pddl"), "–*", "50.0*", "50.0*", "–*", "–*")
	hasNote(t, find(t, tables, "notes"), "for a reason that depends on the model (4 model_error).")
	hasNote(t, find(t, tables, "notes"),
		"M on PDDL: no rate, because 2 of 4 episodes have no result for a reason that depends on the model (2 "+
			"context_exceeded), and the others are not a fair sample; "+
			"over all episodes SR is between 25.0 and 75.0 and PR between 37.5 and 87.5.")
	hasNote(t, h, "M on PDDL: no rate")
	same(t, "results", below(t, find(t, tables, "results"), "success"), "50.0*", "50.0*", "50.0*", "100.0*", "–*")
}

// The limit is a tenth of the planned episodes.
func TestWithheldLimit(t *testing.T) {
	var groups []group
	for seed, outcomes := range []string{"SSff", "SSff", "SSff", "SSff", "SSxx"} {
		groups = append(groups, group{"pddl", envs.Official, 4, "vllm:M", int64(seed), nil, outcomes})
	}
	same(t, "2 of 20", below(t, find(t, everything([]NamedRun{newRun(t, "run", groups...)}, nil, weights), "headline"),
		"pddl"), "50.0*")
	groups[3].outcomes = "SSfm"
	same(t, "3 of 20", below(t, find(t, everything([]NamedRun{newRun(t, "run", groups...)}, nil, weights), "headline"),
		"pddl"), "–*")
}

// Without results there is no usage, but there is its table, which says so.
func TestNoResults(t *testing.T) {
	from := New([]NamedRun{newRun(t, "run", group{"pddl", envs.Official, 4, "vllm:M", 0, nil, "xx--"})}, nil, weights)
	for _, id := range []string{"usage", "tasks", "kinds", "steps"} {
		tables := sharedtest.Must(from.Select([]string{id}))(t)
		if len(from.Tables(id)) > 0 {
			t.Errorf("nobody asked for %s, and it is there", id)
		}
		hasNote(t, find(t, tables, id), "No episode has a result.")
	}
}

// In each column the best model has the letter a, and LaTeX sets it in bold only there.
func TestLettersOfColumns(t *testing.T) {
	all, none := strings.Repeat("S", 16), strings.Repeat("f", 16)
	from := New([]NamedRun{newRun(t, "run",
		group{"babyai", envs.Official, 16, "vllm:M", 0, nil, all},
		group{"pddl", envs.Official, 16, "vllm:M", 0, nil, none},
		group{"jericho", envs.Official, 16, "vllm:M", 0, nil, all},
		group{"babyai", envs.Official, 16, "vllm:N", 0, nil, all},
		group{"pddl", envs.Official, 16, "vllm:N", 0, nil, all},
		group{"jericho", envs.Official, 16, "vllm:N", 0, nil, none},
	)}, nil, weights)
	h := from.Tables("headline")[0]
	for i, model := range below(t, h, "model") {
		for _, place := range []string{"babyai", "pddl", "jericho"} {
			want, best := "100.0 a", place != "babyai"
			if model == "M" && place == "pddl" || model == "N" && place == "jericho" {
				want, best = "0.0 b", false
			}
			if c := h.Rows[i][h.Pos(place)]; c.Text != want || c.Best != best {
				t.Errorf("%s on %s: %q, best %v", model, place, c.Text, c.Best)
			}
		}
	}
}

// However narrow the screen is and however many environments there are, no line of the
// first table is wider, and no column of a table in several parts stands alone.
func TestHeadlineFits(t *testing.T) {
	places := []string{"alfworld", "babyai", "hotpotqa", "jericho", "pddl", "sciworld"}
	models := []string{"vllm:base", "vllm:meta-llama/Llama-3.1-8B-Instruct-tuned-1000", "expert"}
	for n := range places {
		var groups []group
		for i, model := range models {
			for j, env := range places[:n+1] {
				if i == 1 && j == 2 { // not played
					continue
				}
				groups = append(groups, group{env, envs.Official, 4, model, 0, nil,
					[]string{"SSff", "Sfff", "SSSm"}[i]})
			}
		}
		for _, runs := range [][]NamedRun{
			{newRun(t, "run", groups...)},
			{newRun(t, "old", groups[:n+1]...), newRun(t, "new", groups[len(groups)-n-1:]...)},
		} {
			from := New(runs, nil, weights)
			from.First.OldNew = true
			tables := sharedtest.Must(from.Select(nil))(t)
			for _, width := range []int{40, 60, 80, 120, 200} {
				fitted := table.Fit(tables, width)
				var b strings.Builder
				sharedtest.OK(t, table.Render(&b, table.Text, fitted...))
				for line := range strings.Lines(b.String()) {
					if got := utf8.RuneCountInString(strings.TrimRight(line, " \n")); got > width {
						t.Errorf("%d environments in %d characters: a line of %d: %s", n+1, width, got, line)
					}
				}
				for _, part := range fitted[1:] {
					if strings.HasSuffix(part.Title, "continued") && len(part.Columns) < 3 {
						t.Errorf("%d environments in %d characters: a column alone\n%s", n+1, width, b.String())
					}
				}
			}
		}
	}
}
