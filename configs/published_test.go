package configs

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"heldout/envs/sharedtest"
	"heldout/scoring/stats"
)

// tasks are the numbers of tasks of the environments, by which published means are weighted. Those of the held-out
// ones are also the weights of the held-out score.
var tasks = map[string]float64{
	"alfworld": 134, "babyai": 112, "sciworld": 90, "pddl": 60, "jericho": 20,
	"hotpotqa": 300, // AgentRefine's sample
}

// easyTasks of an environment are AgentBoard's easy ones, the others hard.
var easyTasks = map[string]float64{"alfworld": 24, "babyai": 86, "sciworld": 34, "pddl": 36, "jericho": 10}

// rounding is how far a figure may be from its print with one decimal. The slack is for binary fractions.
const rounding = 0.05 + 1e-9

func load(t *testing.T, name string) Published {
	t.Helper()
	return sharedtest.Must(LoadPublished(name))(t)
}

func table(t *testing.T, p Published, id string) PublishedTable {
	t.Helper()
	at := slices.IndexFunc(p.Tables, func(tab PublishedTable) bool { return tab.ID == id })
	if at < 0 {
		t.Fatalf("there is no table %s", id)
	}
	return p.Tables[at]
}

func row(t *testing.T, tab PublishedTable, model, base string) PublishedRow {
	t.Helper()
	for _, r := range tab.Rows {
		if r.Model == model && r.Base == base {
			return r
		}
	}
	t.Fatalf("table %s has no row of %s on %q", tab.ID, model, base)
	return PublishedRow{}
}

// cell returns the value of a column; ok is false where none was published.
func cell(t *testing.T, tab PublishedTable, values []*float64, column string) (v float64, ok bool) {
	t.Helper()
	i := slices.Index(tab.Columns, column)
	if i < 0 || i >= len(values) {
		t.Fatalf("table %s has no column %s in %d values", tab.ID, column, len(values))
	}
	if values[i] == nil {
		return 0, false
	}
	return *values[i], true
}

// overTasks returns the mean over all tasks of some environments; ok is false where a value is missing.
func overTasks(t *testing.T, tab PublishedTable, values []*float64, envs []string) (mean float64, ok bool) {
	t.Helper()
	var xs, weights []float64
	for _, env := range envs {
		x, ok := cell(t, tab, values, env)
		if !ok {
			return 0, false
		}
		xs, weights = append(xs, x), append(weights, tasks[env])
	}
	return stats.WeightedMean(xs, weights), true
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s = %.4f, want %g", what, got, want)
	}
}

// mentions reports notes that say nothing of a number that a reader would stumble over.
func mentions(t *testing.T, tab PublishedTable, words ...string) {
	t.Helper()
	notes := strings.Join(tab.Notes, "\n")
	for _, w := range words {
		sharedtest.Contains(t, notes, w, "the notes of table", tab.ID)
	}
}

// TestPublishedFiles reads every embedded file. That ids, columns and rows are unique is checked on reading.
func TestPublishedFiles(t *testing.T) {
	names := PublishedNames()
	ids := map[string][]string{}
	for _, name := range names {
		p := load(t, name)
		if p.Title == "" || p.Source == "" {
			t.Errorf("%s: title %q, source %q; both are needed", name, p.Title, p.Source)
		}
		for _, tab := range p.Tables {
			ids[name] = append(ids[name], tab.ID)
			t.Run(name+"/"+tab.ID, func(t *testing.T) { checkTable(t, tab) })
		}
	}
	want := map[string][]string{
		"agentboard":            {"leaderboard", "easy", "hard"},
		"agentboard-thirdparty": {"runs"},
		"agentrefine": {
			"table1", "table2", "table3", "table4", "table5",
			"reflexion", "ind-filtering", "seeds", "robustness", "figure8", "figure5",
		},
	}
	sharedtest.Same(t, ids, want, "tables")
}

func checkTable(t *testing.T, tab PublishedTable) {
	known := []string{"mean", "webshop", "webarena", "tool-query", "tool-operation"}
	for env := range tasks {
		known = append(known, env)
	}
	if tab.Env != "" {
		if tasks[tab.Env] == 0 {
			t.Errorf("env is %q, which is no environment", tab.Env)
		}
		known = []string{"base", "P1", "P2", "P3", "P4", "P5"}
	}
	for _, c := range tab.Columns {
		if !slices.Contains(known, c) {
			t.Errorf("column %q is not known", c)
		}
	}
	if tab.Title == "" || len(tab.Rows) == 0 {
		t.Errorf("title %q, %d rows; both are needed", tab.Title, len(tab.Rows))
	}
	for _, r := range tab.Rows {
		if len(r.Success) == 0 || len(r.Progress) == 0 {
			t.Errorf("%s: success and progress are both needed", r.Model)
			continue
		}
		for i, c := range tab.Columns {
			s, p := r.Success[i], r.Progress[i]
			switch {
			case (s == nil) != (p == nil):
				t.Errorf("%s: %s has one of success and progress, not both", r.Model, c)
			case s != nil && *s > *p:
				// A solved task has full progress.
				t.Errorf("%s: success %g on %s is above progress %g", r.Model, *s, c, *p)
			}
		}
	}
}

// TestRepeatedRows compares figures that AgentRefine prints in two places.
func TestRepeatedRows(t *testing.T) {
	p := load(t, "agentrefine")
	type place struct{ table, model, column string }
	for _, pair := range [][2]place{
		{{"table4", "AgentGym, greedy", ""}, {"table1", "AgentGym", ""}},
		{{"table4", "Agent-FLAN, greedy", ""}, {"table1", "Agent-FLAN", ""}},
		{{"table4", "AgentRefine, greedy", ""}, {"table1", "AgentRefine", ""}},
		{{"table5", "Agent-FLAN", ""}, {"table1", "Agent-FLAN", ""}},
		{{"table3", "Instruct", "base"}, {"table1", "Instruct", "alfworld"}},
		{{"table3", "AgentGym", "base"}, {"table1", "AgentGym", "alfworld"}},
		{{"table3", "Agent-FLAN", "base"}, {"table1", "Agent-FLAN", "alfworld"}},
		{{"table3", "AgentRefine", "base"}, {"table1", "AgentRefine", "alfworld"}},
		{{"table3", "AgentGym", "P5"}, {"ind-filtering", "AgentGym w/o IND data", "alfworld"}},
		{{"table3", "Agent-FLAN", "P5"}, {"ind-filtering", "Agent-FLAN w/o IND data", "alfworld"}},
		{{"robustness", "AgentRefine", "base"}, {"table2", "AgentRefine", "alfworld"}},
		{{"robustness", "AgentRefine w/o refinement data", "base"},
			{"table2", "AgentRefine w/o refinement data", "alfworld"}},
		{{"robustness", "AgentRefine, 4,000 trajectories", "base"}, {"table5", "AgentRefine-GPT-4o", "alfworld"}},
	} {
		var rates [2][]float64
		for i, at := range pair {
			tab := table(t, p, at.table)
			r := row(t, tab, at.model, "LLaMA-3-8B")
			columns := tab.Columns
			if at.column != "" {
				columns = []string{at.column}
			}
			for _, c := range columns {
				success, _ := cell(t, tab, r.Success, c)
				progress, _ := cell(t, tab, r.Progress, c)
				rates[i] = append(rates[i], success, progress)
			}
		}
		sharedtest.Same(t, rates[1], rates[0], pair[0], "and", pair[1], "differ")
	}
}

// TestHeldIn compares the marks with the underlined cells of Table 1.
func TestHeldIn(t *testing.T) {
	want := map[string][]string{"AgentGym": {"alfworld", "babyai", "sciworld"}, "Agent-FLAN": {"alfworld"}}
	for _, r := range table(t, load(t, "agentrefine"), "table1").Rows {
		sharedtest.Same(t, r.HeldIn, want[r.Model], r.Model, r.Base)
	}
}

// TestHeldOutScores computes the held-out scores of Table 1, which the paper does not print.
func TestHeldOutScores(t *testing.T) {
	w := sharedtest.Must(LoadWeights())(t)
	var envs []string
	for _, h := range w.HeldOut {
		sharedtest.Equal(t, h.Weight, tasks[h.Env], "the weight of", h.Env)
		envs = append(envs, h.Env)
	}
	tab := table(t, load(t, "agentrefine"), "table1")
	scored := 0
	for _, c := range sharedtest.Cases[struct {
		Model, Base       string
		Success, Progress float64
	}](t, "held-out-scores.yaml") {
		r := row(t, tab, c.Model, c.Base)
		success, ok := overTasks(t, tab, r.Success, envs)
		progress, ok2 := overTasks(t, tab, r.Progress, envs)
		if !ok || !ok2 {
			t.Errorf("%s on %s has no held-out score", c.Model, c.Base)
		}
		near(t, c.Model+" on "+c.Base+": held-out success", success, c.Success, rounding)
		near(t, c.Model+" on "+c.Base+": held-out progress", progress, c.Progress, rounding)
		scored++
	}
	if _, ok := overTasks(t, tab, row(t, tab, "AgentGen", "LLaMA-3-8B").Success, envs); ok {
		t.Error("AgentGen has a held-out score, and nothing on two of its environments")
	}
	sharedtest.Equal(t, scored+1, len(tab.Rows), "rows looked at")
}

// TestAveragesAndStds computes the summaries of the tables of perturbations. The averages follow from the cells.
// Most standard deviations do not, and the test holds the files to saying so, number by number.
func TestAveragesAndStds(t *testing.T) {
	p := load(t, "agentrefine")
	// The population standard deviations that are not the printed ones, success
	// and progress. Zero where the print is right.
	disagree := map[string]map[string][2]float64{
		"table3": {
			"Instruct":    {2.57, 0},
			"AgentGym":    {17.40, 14.95},
			"Agent-FLAN":  {22.12, 19.29},
			"AgentRefine": {0, 2.95},
		},
		"robustness": {
			"AgentRefine":                     {5.55, 2.56},
			"AgentRefine, 4,000 trajectories": {10.21, 13.27},
			"AgentRefine w/o refinement data": {5.31, 3.18},
			"AgentRefine w/o verification":    {7.73, 7.14},
		},
	}
	for _, c := range []struct {
		table   string
		average float64 // half a unit of the averages' last decimal
	}{{"table3", 0.05}, {"robustness", 0.005}} {
		tab := table(t, p, c.table)
		for _, r := range tab.Rows {
			if len(r.Average) != 2 || len(r.Std) != 2 {
				t.Errorf("%s, %s: no average or std", tab.ID, r.Model)
				continue
			}
			for i, values := range [][]*float64{r.Success, r.Progress} {
				what := fmt.Sprintf("%s, %s, %s", tab.ID, r.Model, []string{"success", "progress"}[i])
				var xs []float64
				for _, column := range tab.Columns {
					x, _ := cell(t, tab, values, column)
					xs = append(xs, x)
				}
				near(t, what+": average", stats.Mean(xs), r.Average[i], c.average+1e-9)
				std, known := stats.PopulationStd(xs), disagree[c.table][r.Model][i]
				if known == 0 {
					near(t, what+": std", std, r.Std[i], 0.005)
					continue
				}
				near(t, what+": std", std, known, 0.005)
				if math.Abs(known-r.Std[i]) <= 0.005 {
					t.Errorf("%s: the print %g agrees now; drop the note", what, r.Std[i])
				}
				mentions(t, tab, fmt.Sprintf("%.2f", known), fmt.Sprintf("%.2f", r.Std[i]))
			}
		}
	}
}

// TestFigure5 shows what the bars of Figure 5 are means of.
func TestFigure5(t *testing.T) {
	p := load(t, "agentrefine")
	five := []string{"alfworld", "babyai", "sciworld", "pddl", "jericho"}
	all := 0.0
	for _, env := range five {
		all += tasks[env]
	}
	fig := table(t, p, "figure5")
	mentions(t, fig, fmt.Sprintf("all %g tasks", all))
	for _, c := range []struct{ bar, table, model string }{
		{"4,000", "table5", "AgentRefine-GPT-4o"},
		{"8,000", "table2", "AgentRefine"},
		{"32,000", "table1", "AgentRefine"},
	} {
		tab := table(t, p, c.table)
		r := row(t, tab, c.model, "LLaMA-3-8B")
		bar := row(t, fig, "AgentRefine, "+c.bar+" trajectories", "LLaMA-3-8B")
		success, _ := overTasks(t, tab, r.Success, five)
		progress, _ := overTasks(t, tab, r.Progress, five)
		near(t, c.bar+": success", success, *bar.Success[0], rounding)
		near(t, c.bar+": progress", progress, *bar.Progress[0], rounding)
	}
}

// TestClaimsOfTheText computes the differences that AgentRefine's text names.
func TestClaimsOfTheText(t *testing.T) {
	p := load(t, "agentrefine")
	table1, table3 := table(t, p, "table1"), table(t, p, "table3")
	change := func(model string) float64 { // from the unperturbed interface to the average
		r := row(t, table3, model, "LLaMA-3-8B")
		base, _ := cell(t, table3, r.Success, "base")
		return r.Average[0] - base
	}
	sciworld := func(model string) float64 {
		v, _ := cell(t, table1, row(t, table1, model, "LLaMA-3-8B").Success, "sciworld")
		return v
	}
	near(t, "AgentGym's change", change("AgentGym"), -25.6, 1e-9)
	near(t, "AgentRefine's change", change("AgentRefine"), 3.7, 1e-9)
	near(t, "AgentRefine's lead over Agent-FLAN on sciworld", sciworld("AgentRefine")-sciworld("Agent-FLAN"),
		13.3, 1e-9)
	// The text says 30.4.
	near(t, "Agent-FLAN's change", change("Agent-FLAN"), -30.3, 1e-9)
	mentions(t, table3, "30.4", "30.3")
}

// TestSuccessRatesAreCounts checks that every success rate is a share, k of N
// tasks. Rates are rounded or cut to one decimal, hence the tolerance.
func TestSuccessRatesAreCounts(t *testing.T) {
	type place struct{ table, model, base, column string }
	// No k gives these, and the notes say so.
	exceptions := map[place]bool{
		{"table1", "Instruct-v0.3", "Mistral-7B", "alfworld"}:             true,
		{"table2", "AgentRefine", "LLaMA-3-8B", "babyai"}:                 true,
		{"table4", "Agent-FLAN, best of 10", "LLaMA-3-8B", "alfworld"}:    true,
		{"reflexion", "Instruct + Reflexion", "LLaMA-3-8B", "alfworld"}:   true,
		{"reflexion", "Agent-FLAN + Reflexion", "LLaMA-3-8B", "alfworld"}: true,
		{"ind-filtering", "AgentGym w/o IND data", "LLaMA-3-8B", "pddl"}:  true,
		{"hard", "DeepSeek-67b", "", "jericho"}:                           true,
	}
	const tolerance = 0.1
	checked := 0
	for _, name := range []string{"agentrefine", "agentboard", "agentboard-thirdparty"} {
		for _, tab := range load(t, name).Tables {
			for i, column := range tab.Columns {
				env := column
				if tab.Env != "" {
					env = tab.Env
				}
				n := tasks[env]
				switch tab.ID {
				case "seeds":
					n *= 10
				case "easy":
					n = easyTasks[env]
				case "hard":
					n -= easyTasks[env]
				}
				if n == 0 {
					continue // a mean, or an environment that heldout does not have
				}
				for _, r := range tab.Rows {
					if r.Success[i] == nil {
						continue
					}
					checked++
					rate := *r.Success[i]
					k := math.Round(rate / 100 * n)
					counts := math.Abs(rate-100*k/n) <= tolerance
					at := place{tab.ID, r.Model, r.Base, column}
					switch {
					case exceptions[at] && counts:
						t.Errorf("%v: %g is %g of %g; it is no exception any more", at, rate, k, n)
					case exceptions[at]:
						mentions(t, tab, fmt.Sprintf("No k of %g", n), fmt.Sprintf("%.1f", rate))
						delete(exceptions, at)
					case !counts:
						t.Errorf("%v: no k of %g gives %g; the nearest is %g", at, n, rate, k)
					}
				}
			}
		}
	}
	for at := range exceptions {
		t.Errorf("%v is an exception, and not there", at)
	}
	sharedtest.Equal(t, checked, 441, "rates")
}

// TestEasyAndHardMakeTheLeaderboard puts AgentBoard's split together again.
func TestEasyAndHardMakeTheLeaderboard(t *testing.T) {
	p := load(t, "agentboard")
	board, easy, hard := table(t, p, "leaderboard"), table(t, p, "easy"), table(t, p, "hard")
	const tolerance = 0.1 + 1e-9 // both sides are rounded
	for _, r := range board.Rows {
		e, h := row(t, easy, r.Model, ""), row(t, hard, r.Model, "")
		for env, n := range easyTasks {
			for rate, values := range map[string][3][]*float64{
				"success":  {r.Success, e.Success, h.Success},
				"progress": {r.Progress, e.Progress, h.Progress},
			} {
				want, _ := cell(t, board, values[0], env)
				inEasy, _ := cell(t, easy, values[1], env)
				inHard, _ := cell(t, hard, values[2], env)
				got := stats.WeightedMean([]float64{inEasy, inHard}, []float64{n, tasks[env] - n})
				if r.Model == "DeepSeek-67b" && env == "jericho" && rate == "success" {
					near(t, "DeepSeek-67b's success on easy and hard jericho", got, 2.05, 1e-9)
					sharedtest.Equal(t, want, 0, "DeepSeek-67b's success on jericho")
					mentions(t, hard, "DeepSeek-67b", "4.1", "contradicts", "0.0")
					continue
				}
				near(t, fmt.Sprintf("%s, %s, %s", r.Model, env, rate), got, want, tolerance)
			}
		}
	}
}

func TestLoadPublishedUnknown(t *testing.T) {
	_, err := LoadPublished("agentbored")
	if err == nil || !strings.Contains(err.Error(), `"agentbored"`) ||
		!strings.Contains(err.Error(), "agentboard, agentboard-thirdparty, agentrefine") {
		t.Errorf("error %v, want one that names the files there are", err)
	}
}

// good is a small file that is read; the tests of errors spoil it.
const good = `title: Mine
source: my notebook
tables:
  - id: main
    title: Main
    columns: [pddl, jericho]
    rows:
      - model: A
        base: B
        held-in: [pddl]
        success: [10.5, null]
        progress: [100, 0]
        average: [1, 2]
        std: [0.5, 0.25]
`

func TestParsePublished(t *testing.T) {
	got := sharedtest.Must(ParsePublished("mine.yaml", []byte(good)))(t)
	f := func(v float64) *float64 { return &v }
	want := Published{
		Title: "Mine", Source: "my notebook",
		Tables: []PublishedTable{{
			ID: "main", Title: "Main", Columns: []string{"pddl", "jericho"},
			Rows: []PublishedRow{{
				Model: "A", Base: "B", HeldIn: []string{"pddl"},
				Success: []*float64{f(10.5), nil}, Progress: []*float64{f(100), f(0)},
				Average: []float64{1, 2}, Std: []float64{0.5, 0.25},
			}},
		}},
	}
	sharedtest.Same(t, got, want)
}

func TestParsePublishedErrors(t *testing.T) {
	again := good[strings.Index(good, "  - id: main"):]
	rowAgain := good[strings.Index(good, "      - model: A"):]
	for _, c := range []struct {
		name        string
		old, spoilt string
		want        []string
	}{
		{"unknown key", "progress:", "progres:", []string{
			`mine.yaml:12: unknown key "progres" (did you mean progress or progress-std?)`,
		}},
		{"unknown key of the file", "title: Mine", "titel: Mine", []string{`mine.yaml:1: unknown key "titel" (did you mean title?)`}},
		{"key twice", "source: my notebook", "title: Yours",
			[]string{"mine.yaml:2: title: the key stands there twice, first on line 1"}},
		{"no number", "[100, 0]", "[100, 0%]", []string{"mine.yaml:12: ", `progress, entry 2: want a number, not "0%"`}},
		{"no list", "[100, 0]", "100", []string{"mine.yaml:12: ", `progress: want a list, not "100"`}},
		{"no end", "[100, 0]", "[100, 0", []string{"mine.yaml:13: the bracket of line 12 is not closed before this"}},
		{"too short", "[100, 0]", "[100]", []string{
			`table main: model "A" on base "B": progress has 1 values for 2 columns`}},
		{"above 100", "[100, 0]", "[100.1, 0]", []string{
			`table main: model "A" on base "B": progress has the value 100.1`}},
		{"not a number", "[100, 0]", "[100, .nan]", []string{"progress, entry 2: want a number, not .nan"}},
		{"average too short", "average: [1, 2]", "average: [1]", []string{"table main", "average has 1 values"}},
		{"held-in no column", "held-in: [pddl]", "held-in: [pdll]", []string{"table main", `held-in names "pdll"`}},
		{"column twice", "[pddl, jericho]", "[pddl, pddl]", []string{"table main", `column "pddl"`}},
		{"no model", "model: A", "model: ''", []string{"table main", "row number 1 names no model"}},
		{"row twice", rowAgain, rowAgain + rowAgain,
			[]string{"table main", `model "A" on base "B"`, "same model and base"}},
		{"table twice", again, again + again, []string{`two tables have the id "main"`}},
		{"no id", "id: main", "id: ''", []string{"table number 1 has no id"}},
		{"no tables", good, "title: Mine\n", []string{"tables are missing"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if strings.Count(good, c.old) != 1 {
				t.Fatalf("%q is not in the good file once", c.old)
			}
			_, err := ParsePublished("mine.yaml", []byte(strings.Replace(good, c.old, c.spoilt, 1)))
			if err == nil {
				t.Fatal("no error")
			}
			for _, w := range append(c.want, "mine.yaml:") {
				sharedtest.Contains(t, err.Error(), w, "the error")
			}
		})
	}
}

// FuzzParsePublished reads any bytes. What is read fits its columns. It starts
// from small files, for fuzzing shortens what it finds.
func FuzzParsePublished(f *testing.F) {
	f.Add([]byte(good))
	f.Add(
		[]byte(
			"tables:\n- id: x\n  columns: [c]\n  rows:\n  - {model: m, success: [null], grounding: [1e2], " +
				"success-std: [.5]}\n"))
	f.Add([]byte("tables:\n  !x ")) // which the decoder does not survive
	f.Add([]byte("tables: [&a {id: x, columns: [c], rows: [{model: m, success: [.nan]}]}, *a]"))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := ParsePublished("fuzz.yaml", b)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "fuzz.yaml:") {
				t.Errorf("the error does not name the file: %v", err)
			}
			return
		}
		if len(p.Tables) == 0 {
			t.Error("no tables")
		}
		for _, tab := range p.Tables {
			for _, r := range tab.Rows {
				for _, values := range [][]*float64{r.Success, r.Progress, r.Grounding, r.SuccessStd, r.ProgressStd} {
					if len(values) != 0 && len(values) != len(tab.Columns) {
						t.Errorf("%d values for %d columns", len(values), len(tab.Columns))
					}
					for _, v := range values {
						if v != nil && !(*v >= 0 && *v <= 100) {
							t.Errorf("%g is no percentage", *v)
						}
					}
				}
				for _, pair := range [][]float64{r.Average, r.Std} {
					if len(pair) != 0 && len(pair) != 2 {
						t.Errorf("%d values for success and progress", len(pair))
					}
				}
				for _, c := range r.HeldIn {
					if !slices.Contains(tab.Columns, c) {
						t.Errorf("%q is held in and no column", c)
					}
				}
			}
		}
	})
}
