// Package report decides which tables a reader gets: from the scores of one or
// several runs, and published results beside them.
package report

import (
	"fmt"
	"slices"
	"strings"

	"heldout/configs"
	"heldout/scoring"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// Run holds a run directory's scores, with a name that distinguishes it from
// other runs.
type Run struct {
	Name   string
	Scores []*scoring.Score
	// Sweep is there for a run of several perturbations.
	Sweep *record.Sweep
	// Protocols are the presets of the run.
	Protocols []record.Protocol
	// PresetResults asks for published results of presets that the run changed, too.
	PresetResults bool
}

// Baseline is a published table to show next to the runs. Its columns are
// environments, or conditions of one environment.
type Baseline struct {
	Name  string // of the file
	From  configs.Published
	Table configs.PublishedTable
}

// Tables returns the tables of runs, and of baselines if there are any:
//
//   - "headline": the rates of every model in short, and its held-out score
//   - "presets": the metric of every preset; "presets-published", published results
//     of presets that the run did not change; "protocols", how far presets of one
//     environment differ
//   - "results": rates with intervals; environments with other names for their
//     rates have tables of their own, such as "results-EM-F1"
//   - "difficulty": easy and hard tasks, where the benchmark has them
//   - "spread": the spread over seeds, where there are several
//   - "paired": every model against the first, task by task
//   - "ranks": the ranks that differences allow, where there are three models;
//     "pairs", on request, has all differences that they follow from
//   - "robustness" and "change": the conditions of every swept environment side
//     by side, and what each changes
//   - "best-of": the best of all seeds, where there are several, and published
//     rates of that sort; "pass-at-k" has every number of tries, "best-of-paired"
//     differences, both on request
//   - "trials", "trials-cost" and "trials-paired": success and progress after each
//     trial, what each took, and the difference from retries without memory, where
//     tasks are played again after a failure; all other tables have first trials
//   - "held-out": the environments side by side and the held-out score, where
//     there are official tasks or baselines
//   - "refinement": what the models do with their errors, in short;
//     "refinement-measures", "refinement-paired" and "progress-profile" have all
//     of it, and are for readers who ask for them (OnRequest)
//
// On request there are also "against-published", differences from the baselines,
// "kinds", the rates by kind of task, and the tables behind figures: "rates", "tasks", "seeds", "steps", "usage", "endings"
// and "lost-steps".
//
// Runs under perturbations that combine families of rules have the tables of those,
// "memorisation", "dose", "families" and "old-forms", and no rows for them in the
// others.
//
// The "headline" table and the tables of sweeps include perturbed tasks. All
// other tables leave them out.
func Tables(runs []Run, baselines []Baseline, w configs.Weights) []table.Table {
	rows := newRows(runs)
	plain := plainRows(rows)
	bests, baselines := splitBaselines(baselines)
	var tables []table.Table
	if len(plain) > 0 {
		tables = append(tables, headline(plain, w))
	}
	tables = append(tables, presetTables(plain, runs)...)
	families := familyTables(rows, w)
	all := rows
	rows = withoutFamilies(rows)
	tables = append(tables, families...)
	tables = append(tables, resultTables(rows)...)
	nothing := len(plain) > 0 && !slices.ContainsFunc(plain, func(r row) bool { return r.Finished > 0 })
	rest := append([]table.Table{difficulty(plain), spread(plain), paired(plain, w)}, ranks(plain, w)...)
	rest = append(rest, robustness(rows, baselines)...)
	rest = append(rest, bestOfTables(rows, plain, bests, w)...)
	rest = append(rest, trialTables(rows, baselines)...)
	for _, t := range append(rest, heldOut(plain, baselines, w), refinementShort(rows), refinementMeasures(all), refinementPaired(plain), progressProfile(all), againstPublished(plain, baselines), kindTable(plain),
		rateTable(plain, baselines, w), taskTable(plain), seedTable(plain), stepTable(plain), usageTable(plain), endingTable(plain), lostTable(plain)) {
		if nothing && len(t.Rows) == 0 && OnRequest(t.ID) {
			t.Notes = append(t.Notes, "No episode has a result.")
		}
		if len(t.Rows) > 0 || len(t.Notes) > 0 {
			tables = append(tables, t)
		}
	}
	for i, t := range tables {
		if !OfTrials(t.ID) && len(t.Rows) > 0 {
			tables[i].Notes = append(t.Notes, firstTrial(rows)...)
		}
	}
	return tables
}

// splitBaselines separates the tables with the best of several tries, which do not
// compare with the rates of one try.
func splitBaselines(baselines []Baseline) (bests, others []Baseline) {
	for _, b := range baselines {
		if b.Table.HasBestOf() {
			bests = append(bests, b)
		} else {
			others = append(others, b)
		}
	}
	return bests, others
}

// figureTables are the tables that figures are drawn from and no other table has.
var figureTables = []string{"rates", "tasks", "seeds", "steps", "usage", "endings", "lost-steps"}

// IDs lists the possible tables. The tables of environments with other names for
// their rates have an ID that begins with "results-"; "results" stands for them too.
func IDs() []string {
	return append([]string{"headline", "memorisation", "dose", "families", "old-forms", "presets", "presets-published", "protocols", "results", "difficulty", "spread", "paired", "ranks", "pairs", "robustness", "change",
		"best-of", "pass-at-k", "best-of-paired", "trials", "trials-cost", "trials-paired", "held-out",
		"refinement", "refinement-measures", "refinement-paired", "progress-profile", "against-published", "kinds"}, figureTables...)
}

// OnRequest reports whether a table is only for readers who ask for it.
func OnRequest(id string) bool {
	return slices.Contains([]string{"pairs", "pass-at-k", "best-of-paired", "refinement-measures", "refinement-paired", "progress-profile", "against-published", "kinds"}, id) || slices.Contains(figureTables, id)
}

// OfTrials reports whether only runs with several trials have a table.
func OfTrials(id string) bool { return strings.HasPrefix(id, "trials") }

// OfSweeps reports whether only sweeps have a table.
func OfSweeps(id string) bool { return id == "robustness" || id == "change" || OfFamilies(id) }

// OfFamilies reports whether only sweeps of families of perturbations have a table.
func OfFamilies(id string) bool {
	return slices.Contains([]string{"memorisation", "dose", "families", "old-forms"}, id)
}

// noPerturbation is the name of the perturbation of unperturbed episodes.
const noPerturbation = "none"

// title names a row in a note that holds for all perturbations.
func (r row) title() string { return r.line }

// where names a row's environment for a table.
func (r row) where() table.Cell { return table.String(r.place()) }

// tasks says which tasks a row was made on.
func (r row) tasks() string {
	e := r.Environment
	switch n := len(e.Tasks); {
	case r.Outside > 0 && r.Outside < n:
		return fmt.Sprintf("%d outside the benchmark, %d of %d %s", r.Outside, n-r.Outside, e.Total, e.Source)
	case r.Outside > 0:
		return fmt.Sprintf("%d outside the benchmark", r.Outside)
	case n < e.Total:
		return fmt.Sprintf("%d of %d %s", len(e.Tasks), e.Total, e.Source)
	}
	return fmt.Sprintf("%d %s", e.Total, e.Source)
}

// mark marks rates of a row that is not complete or has reservations.
func (r row) mark(c table.Cell) table.Cell {
	if !r.Complete() {
		c = c.Marked(incompleteMark)
	}
	if r.reservations() != nil {
		c = c.Marked(repliesMark)
	}
	return c
}

func interval(r scoring.Estimate) (low, high table.Cell) {
	if r.Interval == nil {
		return table.None(), table.None()
	}
	return table.Percent(r.Interval.Low), table.Percent(r.Interval.High)
}
