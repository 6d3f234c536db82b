package report

import (
	"cmp"

	"heldout/scoring/column"
	"heldout/scoring/table"
)

// byTask has the rates of every task, one line per task and model.
func byTask(report *Report, t *table.Table) {
	for _, r := range report.plain {
		for _, of := range r.TaskRates() {
			line := []table.Field{
				r.envCol(), column.Task.Val(of.Task.ID), column.Type.Val(cmp.Or(of.Task.Type, "–")), r.modelCol(),
				column.Episodes.Val(of.Episodes),
				r.share(column.Success.Col, of.Success), r.share(column.Progress.Col, of.Progress),
			}
			if of.Task.Index >= 0 { // else it is not of the benchmark
				line = append(line, column.TaskNo.Val(of.Task.Index))
			}
			t.Add(line...)
		}
	}
	explain(t, "SR success rate, PR progress rate of the task over its seeds, in percent. Episodes: those with a result; "+
		"tasks without any are left out.", otherNames(report.plain))
}

// bySeed has the rates of every seed, for rows with several.
func bySeed(report *Report, t *table.Table) {
	for _, r := range report.plain {
		if len(r.Seeds) < 2 {
			continue
		}
		for _, seed := range r.SeedRates() {
			t.Add(r.envCol(), r.modelCol(), column.Seed.Val(int(seed.Seed)), column.Episodes.Val(seed.Episodes),
				r.share(column.Success.Col, seed.Success), r.share(column.Progress.Col, seed.Progress))
		}
	}
	explain(t, "SR success rate, PR progress rate of the episodes with one seed, in percent: how much a run on the "+
		"same tasks varies between seeds.", otherNames(report.plain))
}
