package table

import (
	"slices"
	"strings"
	"testing"

	"github.com/olekukonko/tablewriter/pkg/twwidth"
	"pgregory.net/rapid"

	"heldout/envs/sharedtest"
)

// wide is a table of results, wider than most screens.
func wide() Table {
	t := Table{
		ID: "results", Title: "Results",
		Columns: []Column{
			{Key: "environment", Header: "Environment", Words: true}, {Key: "model", Header: "Model", Words: true},
			{Key: "agent", Header: "Agent", Words: true, Detail: true}, {Key: "success", Header: "SR"},
			{Key: "success_low", Header: "95% low"}, {Key: "success_high", Header: "high", Upper: true},
			{Key: "planned", Header: "Planned", Detail: true},
		},
		Notes: []string{"A note that is longer than a narrow screen, so that it has to be broken into several lines."},
	}
	for _, model := range []string{"vllm:agentrefine-llama3-8b/checkpoint-1200", "random"} {
		t.Rows = append(t.Rows, []Cell{
			String("alfworld"), String(model), String("react"), Percent(0.448), Percent(0.36), Percent(0.53), Int(134),
		})
	}
	return t
}

func TestFit(t *testing.T) {
	for _, c := range []struct {
		width      int
		have, lack []string
	}{
		{120, []string{"Agent", "36.0 to 53.0", "checkpoint-1200", "Planned"}, []string{"All rows", "95% low", "high"}},
		{80, []string{"All rows: Environment alfworld, Agent react, Planned 134.", "checkpoint-1200"},
			[]string{"Not shown"}},
		{40, []string{"All rows", "36.0 to 53.0", "vllm:", "agentrefine"},
			[]string{"agentrefine-llama3-8b/checkpoint"}},
	} {
		got := render(t, Text, Fit([]Table{wide()}, c.width)...)
		for _, line := range strings.Split(got, "\n") {
			if twwidth.Width(line) > c.width {
				t.Errorf("at width %d a line has %d characters: %s", c.width, twwidth.Width(line), line)
			}
		}
		for _, want := range c.have {
			sharedtest.Contains(t, got, want, "at width", c.width)
		}
		for _, not := range c.lack {
			if strings.Contains(got, not) {
				t.Errorf("at width %d there is %q in\n%s", c.width, not, got)
			}
		}
	}
}

// A column of details that nothing stands in is left out, and nothing is said of it.
func TestFitEmptyColumn(t *testing.T) {
	empty := wide()
	for _, row := range empty.Rows {
		row[2] = String("")
	}
	got := render(t, Text, Fit([]Table{empty}, 80)...)
	if !strings.Contains(got, "All rows: Environment alfworld, Planned 134.") || strings.Contains(got, "Agent") {
		t.Error(got)
	}
}

// The words that heldout puts into a name stay whole on the narrowest screens.
func TestFitWords(t *testing.T) {
	perturbed := Table{ID: "t", Columns: []Column{{Header: "Model", Words: true}},
		Rows: [][]Cell{{String("expert (perturbation random:1:2/task)")}}}
	if got := render(t, Text, Fit([]Table{perturbed}, 10)...); !strings.Contains(got, "(perturbation ") {
		t.Errorf("a word is broken:\n%s", got)
	}
	perturbed = Table{ID: "t", Columns: []Column{{Header: "meta-llama/Llama-3.1-8B"}}, Rows: [][]Cell{{Percent(1)}}}
	sharedtest.Same(t, len(Fit([]Table{perturbed}, 20)[0].Columns[0].Lines), 2)
}

// Columns that are not constant and do not fit are named as left out.
func TestFitSaysWhatIsNotShown(t *testing.T) {
	one := wide()
	one.Rows[0][2], one.Rows[0][6] = String("act"), Int(12)
	got := render(t, Text, Fit([]Table{one}, 60)...)
	if !strings.Contains(got, "Not shown: Agent, Planned (--wide shows all columns).") {
		t.Errorf("it does not say what is left out:\n%s", got)
	}
}

// Whatever a table says, it fits or cannot be made narrower, no number is lost, and the original stays as it was.
func TestFitProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := Table{ID: "t", Title: "T"}
		n := rapid.IntRange(1, 8).Draw(t, "columns")
		for range n {
			table.Columns = append(table.Columns, Column{Key: "k", Header: rapid.StringN(0, 15, 30).Draw(t, "header"),
				Words: rapid.Bool().Draw(t, "left")})
		}
		for range rapid.IntRange(0, 4).Draw(t, "rows") {
			var row []Cell
			for i := range n {
				if table.Columns[i].Words {
					row = append(row, String(rapid.StringN(0, 40, 80).Draw(t, "text")))
				} else {
					row = append(row, Percent(rapid.Float64Range(0, 1).Draw(t, "rate")))
				}
			}
			table.Rows = append(table.Rows, row)
		}
		before := render(t, Text, table)
		fitted := Fit([]Table{table}, rapid.IntRange(20, 120).Draw(t, "width"))
		got := render(t, Text, fitted...)
		if after := render(t, Text, table); after != before {
			t.Fatalf("the table itself has changed:\n%s\n%s", before, after)
		}
		for _, row := range table.Rows {
			for i, c := range row {
				if !table.Columns[i].Words && !strings.Contains(got, c.Text) {
					t.Fatalf("%s is lost:\n%s", c.Text, got)
				}
			}
		}
	})
}

func FuzzFoldText(f *testing.F) {
	f.Add("vllm:agentrefine-llama3-8b/checkpoint-1200", 12)
	f.Add("木漢字", 1)
	f.Fuzz(func(t *testing.T, s string, width int) {
		s = Printable(s)
		lines := foldText(s, min(max(width, 1), 200))
		if strings.ReplaceAll(strings.Join(lines, ""), " ", "") != strings.ReplaceAll(s, " ", "") {
			t.Errorf("%q is folded to %q", s, lines)
		}
		if slices.Contains(lines[:len(lines)-1], "") {
			t.Errorf("%q has an empty line in %q", s, lines)
		}
	})
}
