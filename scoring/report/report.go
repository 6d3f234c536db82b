// Package report decides which tables a reader gets: from the scores of one or
// several runs, and published results beside them.
package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"heldout/configs"
	"heldout/envs"
	"heldout/eval/record"
	"heldout/scoring"
	"heldout/scoring/stats"
	"heldout/scoring/table"
)

// Run is a run directory's scores under the name that tells it from others.
type Run struct {
	Name   string
	Scores []*scoring.Score
}

// Baseline is a published table to stand beside the runs.
type Baseline struct {
	Name  string // of the file
	From  configs.Published
	Table configs.PublishedTable
}

// Tables returns the tables of runs, and of baselines if there are any:
//
//   - "results": rates with intervals
//   - "difficulty": easy and hard tasks
//   - "spread": the spread over seeds, where there are several
//   - "paired": every model against the first, task by task
//   - "held-out": the environments side by side and the held-out score, where
//     there are official tasks or baselines
func Tables(runs []Run, baselines []Baseline, w configs.Weights) []table.Table {
	rows := label(runs)
	tables := []table.Table{results(rows)}
	for _, t := range []table.Table{difficulty(rows), spread(rows), paired(rows), heldOut(rows, baselines, w)} {
		if len(t.Rows) > 0 {
			tables = append(tables, t)
		}
	}
	return tables
}

// row is a score with the name it goes by.
type row struct {
	*scoring.Score
	name string
}

// where names a row's environment for a table.
func (r row) where() table.Cell { return table.String(r.Condition.Env) }

// tasks says which tasks a row was made on.
func (r row) tasks() string {
	e := r.Environment
	if len(e.Tasks) < e.Total {
		return fmt.Sprintf("%d of %d %s", len(e.Tasks), e.Total, e.Source)
	}
	return fmt.Sprintf("%d %s", e.Total, e.Source)
}

// mark marks rates of a row that is not complete.
func (r row) mark(c table.Cell) table.Cell {
	if r.Complete() {
		return c
	}
	return c.Marked(incompleteMark)
}

const incompleteMark = "*"

// incomplete says what is missing of the rows that are not complete.
func incomplete(rows []row) (notes []string) {
	for _, r := range rows {
		if r.Complete() {
			continue
		}
		var missing []string
		for _, o := range []record.Outcome{record.ModelError, record.EnvError, record.ContextExceeded, record.Cancelled} {
			if n := r.Unfinished[o]; n > 0 {
				missing = append(missing, fmt.Sprintf("%d %s", n, o))
			}
		}
		if n := r.Unfinished[""]; n > 0 {
			missing = append(missing, fmt.Sprintf("%d not run", n))
		}
		notes = append(notes, fmt.Sprintf("%s Incomplete: %s on %s has results for %d of %d episodes (%s). Its rates are of those alone; run it again to fill in the rest.",
			incompleteMark, r.name, r.Condition.Env, r.Finished, r.Planned, strings.Join(missing, ", ")))
	}
	return notes
}

// results is the table of rates.
func results(rows []row) table.Table {
	t := table.Table{
		ID: "results", Title: "Results",
		Columns: []table.Column{
			{Key: "environment", Header: "Environment", Left: true},
			{Key: "tasks", Header: "Tasks", Left: true},
			{Key: "model", Header: "Model", Left: true},
			{Key: "agent", Header: "Agent", Left: true},
			{Key: "finished", Header: "Done"},
			{Key: "planned", Header: "Planned"},
			{Key: "success", Header: "SR"},
			{Key: "success_low", Header: "95% low"},
			{Key: "success_high", Header: "high"},
			{Key: "progress", Header: "PR"},
			{Key: "progress_low", Header: "95% low"},
			{Key: "progress_high", Header: "high"},
			{Key: "grounding", Header: "GA"},
		},
		Notes: []string{
			"SR success rate, PR progress rate, GA grounding accuracy, in percent of episodes; mean over seeds.",
			"Intervals: 95 % over tasks, seeds averaged within each task (Wilson).",
		},
	}
	generated := false
	for _, r := range rows {
		generated = generated || r.Environment.Source == envs.Generated
		sLow, sHigh := interval(r.Success)
		pLow, pHigh := interval(r.Progress)
		t.Rows = append(t.Rows, []table.Cell{
			r.where(), table.String(r.tasks()), table.String(r.name), table.String(r.Condition.Agent),
			table.Int(r.Finished), table.Int(r.Planned),
			r.mark(table.Percent(r.Success.Mean)), sLow, sHigh,
			r.mark(table.Percent(r.Progress.Mean)), pLow, pHigh,
			r.mark(table.Percent(r.Grounding.Mean)),
		})
	}
	if generated {
		t.Notes = append(t.Notes, "Generated tasks are heldout's own: their rates do not compare with published ones and do not count for the held-out score.")
	}
	t.Notes = append(t.Notes, incomplete(rows)...)
	return t
}

func interval(r scoring.Rate) (low, high table.Cell) {
	if r.Interval == nil {
		return table.None(), table.None()
	}
	return table.Percent(r.Interval.Low), table.Percent(r.Interval.High)
}

// difficulty is the table of easy and hard tasks, for rows that have such.
func difficulty(rows []row) table.Table {
	t := table.Table{
		ID: "difficulty", Title: "Easy and hard tasks",
		Columns: []table.Column{
			{Key: "environment", Header: "Environment", Left: true},
			{Key: "model", Header: "Model", Left: true},
			{Key: "easy_tasks", Header: "Easy"},
			{Key: "easy_success", Header: "SR"},
			{Key: "easy_progress", Header: "PR"},
			{Key: "hard_tasks", Header: "Hard"},
			{Key: "hard_success", Header: "SR"},
			{Key: "hard_progress", Header: "PR"},
		},
	}
	for _, r := range rows {
		if r.Easy.Tasks+r.Hard.Tasks == 0 {
			continue
		}
		cells := []table.Cell{r.where(), table.String(r.name)}
		for _, s := range []scoring.Split{r.Easy, r.Hard} {
			cells = append(cells, table.Int(s.Tasks), r.mark(table.Percent(s.Success.Mean)), r.mark(table.Percent(s.Progress.Mean)))
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// spread is the table of deviations over seeds, for rows with several.
func spread(rows []row) table.Table {
	t := table.Table{
		ID: "spread", Title: "Spread over seeds",
		Columns: []table.Column{
			{Key: "environment", Header: "Environment", Left: true},
			{Key: "model", Header: "Model", Left: true},
			{Key: "seeds", Header: "Seeds"},
			{Key: "success", Header: "SR"},
			{Key: "success_population_std", Header: "std pop."},
			{Key: "success_sample_std", Header: "sample"},
			{Key: "progress", Header: "PR"},
			{Key: "progress_population_std", Header: "std pop."},
			{Key: "progress_sample_std", Header: "sample"},
			{Key: "grounding", Header: "GA"},
			{Key: "grounding_population_std", Header: "std pop."},
			{Key: "grounding_sample_std", Header: "sample"},
		},
		Notes: []string{"Standard deviations of the means of the seeds' runs, with divisor n (pop.) and n-1 (sample), in percentage points."},
	}
	for _, r := range rows {
		if len(r.Seeds) < 2 {
			continue
		}
		cells := []table.Cell{r.where(), table.String(r.name), table.Int(len(r.Seeds))}
		for _, rate := range []scoring.Rate{r.Success, r.Progress, r.Grounding} {
			cells = append(cells, r.mark(table.Percent(rate.Mean)), table.Percent(rate.PopulationStd), table.Percent(rate.SampleStd))
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// paired is the table of differences from the first row of each environment.
func paired(rows []row) table.Table {
	t := table.Table{
		ID: "paired", Title: "Differences, paired by task",
		Columns: []table.Column{
			{Key: "environment", Header: "Environment", Left: true},
			{Key: "model", Header: "Model", Left: true},
			{Key: "against", Header: "against", Left: true},
			{Key: "tasks", Header: "Tasks"},
			{Key: "success_difference", Header: "Δ SR"},
			{Key: "success_low", Header: "95% low"},
			{Key: "success_high", Header: "high"},
			{Key: "success_p", Header: "p"},
			{Key: "progress_difference", Header: "Δ PR"},
			{Key: "progress_low", Header: "95% low"},
			{Key: "progress_high", Header: "high"},
			{Key: "progress_p", Header: "p"},
		},
		Notes: []string{"Percentage points; seeds averaged within each task; intervals by Student's t, p by sign-flip permutation of tasks, corrected for the number of rows (Holm)."},
	}
	first := map[string]row{}
	var compared []scoring.Comparison
	for _, r := range rows {
		base, ok := first[r.Condition.Env]
		if !ok {
			first[r.Condition.Env] = r
			continue
		}
		c, err := scoring.Compare(r.Score, base.Score)
		if err != nil {
			t.Notes = append(t.Notes, fmt.Sprintf("%s cannot be compared with %s on %s: %v.", r.name, base.name, r.Condition.Env, err))
			continue
		}
		compared = append(compared, c)
		t.Rows = append(t.Rows, []table.Cell{
			r.where(), table.String(r.name), table.String(base.name), table.Int(c.Success.N),
			table.Points(c.Success.Mean), table.Points(c.Success.Low), table.Points(c.Success.High), table.None(),
			table.Points(c.Progress.Mean), table.Points(c.Progress.Low), table.Points(c.Progress.High), table.None(),
		})
	}
	correct(t.Rows, 7, compared, func(c scoring.Comparison) float64 { return c.Success.P })
	correct(t.Rows, 11, compared, func(c scoring.Comparison) float64 { return c.Progress.P })
	return t
}

// correct fills a column with corrected probabilities.
func correct(rows [][]table.Cell, column int, compared []scoring.Comparison, p func(scoring.Comparison) float64) {
	ps := make([]float64, len(compared))
	for i, c := range compared {
		ps[i] = p(c)
	}
	for i, corrected := range stats.Holm(ps) {
		rows[i][column] = table.Probability(corrected)
	}
}

// label names the rows. Where one model stands on one environment more than
// once, what tells its rows apart is added.
func label(runs []Run) []row {
	var rows []row
	var names []string // of the runs
	for _, run := range runs {
		for _, s := range run.Scores {
			rows = append(rows, row{s, s.Condition.Model})
			names = append(names, run.Name)
		}
	}
	groups := map[[2]string][]int{}
	for i, r := range rows {
		key := [2]string{r.Condition.Env, r.Condition.Model}
		groups[key] = append(groups[key], i)
	}
	for _, group := range groups {
		if len(group) < 2 {
			continue
		}
		details := make([][]string, len(group))
		for j, i := range group {
			details[j] = describe(rows[i].Condition)
		}
		for j, i := range group {
			if own := distinguishing(details, j); len(own) > 0 {
				rows[i].name += " (" + strings.Join(own, ", ") + ")"
			} else {
				rows[i].name += " (" + names[i] + ")"
			}
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(a.Condition.Env, b.Condition.Env) })
	return rows
}

// describe lists what a condition says beside environment and model.
func describe(c record.Condition) []string {
	out := []string{"agent " + c.Agent, fmt.Sprintf("%s tasks", c.Source), fmt.Sprintf("%d steps", c.StepLimit), "perturbation " + c.Perturbation}
	for _, k := range slices.Sorted(func(yield func(string) bool) {
		for k, v := range c.Settings {
			if !yield(k + " " + v) {
				return
			}
		}
	}) {
		out = append(out, k)
	}
	if d := c.Decoding; d != nil {
		out = append(out, fmt.Sprintf("temperature %g", d.Temperature), fmt.Sprintf("top-p %g", d.TopP), fmt.Sprintf("max-tokens %d", d.MaxTokens),
			fmt.Sprintf("stop %q", d.Stop), fmt.Sprintf("extra-body %v", d.Extra), fmt.Sprintf("context %d", c.Context), fmt.Sprintf("prompt %.8s", c.PromptHash))
	}
	return out
}

// distinguishing returns the details of one row that not all the others share.
func distinguishing(details [][]string, of int) []string {
	var out []string
	for _, d := range details[of] {
		for j, other := range details {
			if j != of && !slices.Contains(other, d) {
				out = append(out, d)
				break
			}
		}
	}
	return out
}
