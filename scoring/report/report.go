// Package report decides which tables a reader gets: from the scores of one or
// several runs, and published results beside them.
package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"heldout/configs"
	"heldout/envs"
	"heldout/eval/record"
	"heldout/scoring"
	"heldout/scoring/table"
)

// Run is a run directory's scores under the name that tells it from others.
type Run struct {
	Name   string
	Scores []*scoring.Score
	// Sweep is there for a run of several perturbations.
	Sweep *record.Sweep
}

// Baseline is a published table to stand beside the runs: its columns are
// environments, or conditions of one.
type Baseline struct {
	Name  string // of the file
	From  configs.Published
	Table configs.PublishedTable
}

// Tables returns the tables of runs, and of baselines if there are any:
//
//   - "results": rates with intervals; environments with other names for their
//     rates have tables of their own, such as "results-EM-F1"
//   - "difficulty": easy and hard tasks, where the benchmark has them
//   - "spread": the spread over seeds, where there are several
//   - "paired": every model against the first, task by task
//   - "robustness" and "change": the conditions of every swept environment side
//     by side, and what each changes
//   - "held-out": the environments side by side and the held-out score, where
//     there are official tasks or baselines
//
// All but the first and those of sweeps leave perturbed tasks out.
func Tables(runs []Run, baselines []Baseline, w configs.Weights) []table.Table {
	rows, plain := newRows(runs, true), newRows(runs, false)
	tables := resultTables(rows)
	rest := append([]table.Table{difficulty(plain), spread(plain), paired(plain)}, robustness(rows, baselines)...)
	for _, t := range append(rest, heldOut(plain, baselines, w)) {
		if len(t.Rows) > 0 || len(t.Notes) > 0 {
			tables = append(tables, t)
		}
	}
	return tables
}

// noPerturbation is the perturbation of episodes that have none.
const noPerturbation = "none"

// title names a row in a note that holds for all perturbations.
func (r row) title() string { return r.short }

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

const (
	incompleteMark = "*"
	// incompleteNote explains the mark where the details stand elsewhere.
	incompleteNote = incompleteMark + " Incomplete: not every planned episode has a result; the table of results says which are missing."
)

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

// measures are the names of the success rate and the progress rate.
type measures struct{ success, progress string }

// common are those of most environments.
var common = measures{"SR", "PR"}

// measures are what the row's environment calls its rates.
func (r row) measures() measures {
	return measures{cmp.Or(r.Environment.SuccessName, common.success), cmp.Or(r.Environment.ProgressName, common.progress)}
}

// explain says what the names stand for.
func (m measures) explain() string {
	if m == common {
		return "SR success rate, PR progress rate"
	}
	return fmt.Sprintf("%s and %s, which count as success rate and progress rate", m.success, m.progress)
}

// resultTables are the tables of rates, one for each pair of names that rates go
// by.
func resultTables(rows []row) []table.Table {
	var names []measures
	groups := map[measures][]row{}
	for _, r := range rows {
		m := r.measures()
		if groups[m] == nil {
			names = append(names, m)
		}
		groups[m] = append(groups[m], r)
	}
	if len(names) == 0 || groups[common] != nil { // first of all
		names = append([]measures{common}, slices.DeleteFunc(names, func(m measures) bool { return m == common })...)
	}
	var tables []table.Table
	for _, m := range names {
		t := results(groups[m], m)
		if m != common {
			t.ID, t.Title = fmt.Sprintf("results-%s-%s", m.success, m.progress), fmt.Sprintf("Results: %s and %s", m.success, m.progress)
		}
		tables = append(tables, t)
	}
	return tables
}

// otherNames says where the columns of a table stand for rates of other names.
func otherNames(rows []row) []string {
	return grouped(rows, func(r row) string { return r.Condition.Env }, func(r row) string {
		if m := r.measures(); m != common {
			return fmt.Sprintf("SR is %s and PR is %s", m.success, m.progress)
		}
		return ""
	})
}

// caveats say which rows do not compare with published results, and why.
func caveats(rows []row) []string {
	return grouped(rows, row.title, func(r row) string {
		if r.Environment.Caveat == "" {
			return ""
		}
		return "not comparable with published results: " + r.Environment.Caveat
	})
}

// results is the table of rates.
func results(rows []row, m measures) table.Table {
	t := table.Table{
		ID: "results", Title: "Results",
		Columns: []table.Column{
			{Key: "environment", Header: "Environment", Left: true},
			{Key: "tasks", Header: "Tasks", Left: true},
			{Key: "model", Header: "Model", Left: true},
			{Key: "agent", Header: "Agent", Left: true},
			{Key: "finished", Header: "Done"},
			{Key: "planned", Header: "Planned"},
			{Key: "success", Header: m.success},
			{Key: "success_low", Header: "95% low"},
			{Key: "success_high", Header: "high"},
			{Key: "progress", Header: m.progress},
			{Key: "progress_low", Header: "95% low"},
			{Key: "progress_high", Header: "high"},
			{Key: "grounding", Header: "GA"},
			{Key: "seeds", Header: "Seeds"},
		},
		Notes: []string{
			m.explain() + ", GA grounding accuracy (the share of valid actions), in percent: the mean over the episodes of a seed, then over seeds. " +
				"Planned: episodes, one for every task and seed. Done: those with a result.",
			"95% low, high: confidence interval of the rate on tasks like these (Wilson's, with the effective sample size; seeds averaged within each task first).",
		},
	}
	generated := false
	for _, r := range rows {
		generated = generated || r.Environment.Source == envs.Generated
		sLow, sHigh := interval(r.Success.Estimate)
		pLow, pHigh := interval(r.Progress.Estimate)
		t.Rows = append(t.Rows, []table.Cell{
			r.where(), table.String(r.tasks()), table.String(r.name), table.String(r.Condition.Agent),
			table.Int(r.Finished), table.Int(r.Planned),
			r.mark(table.Percent(r.Success.Mean)), sLow, sHigh,
			r.mark(table.Percent(r.Progress.Mean)), pLow, pHigh,
			r.mark(table.Percent(r.Grounding.Mean)), table.Int(len(r.Seeds)),
		})
	}
	t.Notes = append(t.Notes, decodings(rows)...)
	t.Notes = append(t.Notes, settings(rows)...)
	t.Notes = append(t.Notes, stepLimits(rows)...)
	if generated {
		t.Notes = append(t.Notes, "Generated tasks are heldout's own: their rates do not compare with published ones and do not count for the held-out score.")
	}
	t.Notes = append(t.Notes, caveats(rows)...)
	t.Notes = append(t.Notes, incomplete(rows)...)
	return t
}

// decodings says how the replies of served models were sampled.
func decodings(rows []row) []string {
	return grouped(rows, row.title, func(r row) string {
		d := r.Condition.Decoding
		if d == nil {
			return ""
		}
		return fmt.Sprintf("temperature %g, top-p %g, replies of at most %d tokens", d.Temperature, d.TopP, d.MaxTokens)
	})
}

// settings says how the environments were set up.
func settings(rows []row) []string {
	return grouped(rows, row.title, func(r row) string {
		var chosen []string
		for _, k := range slices.Sorted(maps.Keys(r.Condition.Settings)) {
			chosen = append(chosen, k+" "+r.Condition.Settings[k])
		}
		if chosen == nil {
			return ""
		}
		return r.Condition.Env + " with " + strings.Join(chosen, ", ")
	})
}

// stepLimits says which rows had another step limit than the benchmark's.
func stepLimits(rows []row) []string {
	return grouped(rows, row.title, func(r row) string {
		if r.Condition.StepLimit == r.Environment.StepLimit {
			return ""
		}
		return fmt.Sprintf("at most %d steps on %s, where the benchmark has %d", r.Condition.StepLimit, r.Condition.Env, r.Environment.StepLimit)
	})
}

// grouped makes a note of everything that is to be said of things, with the names
// of those it is said of.
func grouped[T any](things []T, name, say func(T) string) (notes []string) {
	var said []string
	names := map[string][]string{}
	for _, t := range things {
		s := say(t)
		if s == "" || slices.Contains(names[s], name(t)) {
			continue
		}
		if names[s] == nil {
			said = append(said, s)
		}
		names[s] = append(names[s], name(t))
	}
	for _, s := range said {
		notes = append(notes, fmt.Sprintf("%s: %s.", strings.Join(names[s], "; "), s))
	}
	return notes
}

func interval(r scoring.Estimate) (low, high table.Cell) {
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
	whole := true
	for _, r := range rows {
		if r.Easy.Tasks+r.Hard.Tasks == 0 {
			continue
		}
		whole = whole && r.Complete()
		cells := []table.Cell{r.where(), table.String(r.name)}
		for _, s := range []scoring.Split{r.Easy, r.Hard} {
			cells = append(cells, table.Int(s.Tasks), r.mark(table.Percent(s.Success.Mean)), r.mark(table.Percent(s.Progress.Mean)))
		}
		t.Rows = append(t.Rows, cells)
	}
	if len(t.Rows) > 0 {
		t.Notes = append(t.Notes, "Easy, Hard: tasks with a result, in the benchmark's own classes. SR success rate, PR progress rate, in percent.")
	}
	if !whole {
		t.Notes = append(t.Notes, incompleteNote)
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
	}
	whole := true
	for _, r := range rows {
		if len(r.Seeds) < 2 {
			continue
		}
		whole = whole && r.Complete()
		cells := []table.Cell{r.where(), table.String(r.name), table.Int(len(r.Seeds))}
		for _, rate := range []scoring.Rate{r.Success, r.Progress, r.Grounding} {
			cells = append(cells, r.mark(table.Percent(rate.Mean)), table.Percent(rate.PopulationStd), table.Percent(rate.SampleStd))
		}
		t.Rows = append(t.Rows, cells)
	}
	if len(t.Rows) > 0 {
		t.Notes = append(t.Notes, "std: standard deviation of the seeds' means, in percentage points, with divisor n (pop.) and n-1 (sample): "+
			"how much a run on these same tasks depends on its seed.")
		t.Notes = append(t.Notes, otherNames(rows)...)
	}
	if !whole {
		t.Notes = append(t.Notes, incompleteNote)
	}
	return t
}

// paired is the table of differences from the first row of each environment.
func paired(rows []row) table.Table {
	var pairs pairing
	first := map[string]row{}
	for _, r := range rows {
		base, ok := first[r.Condition.Env]
		if !ok {
			first[r.Condition.Env] = r
			continue
		}
		c, err := scoring.Compare(r.Score, base.Score)
		if err != nil {
			pairs.failed = append(pairs.failed, fmt.Sprintf("%s cannot be compared with %s on %s: %v.", r.name, base.name, r.Condition.Env, err))
			continue
		}
		pairs.add(c, r.where(), table.String(r.name), table.String(base.name))
	}
	t := pairs.table(
		table.Column{Key: "environment", Header: "Environment", Left: true},
		table.Column{Key: "model", Header: "Model", Left: true},
		table.Column{Key: "against", Header: "against", Left: true},
	)
	t.ID, t.Title = "paired", "Differences, paired by task"
	if len(t.Rows) > 0 {
		t.Notes = slices.Insert(t.Notes, 0, "Δ: model minus the one it is set against, in percentage points, on the same tasks; "+pairedNote)
		t.Notes = append(t.Notes, otherNames(rows)...)
	}
	return t
}
