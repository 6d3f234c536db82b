package report

import (
	"cmp"

	"heldout/scoring/column"
	"heldout/scoring/table"
)

// byTask has the rates of every task, one line per task and model.
func byTask(from *Report, t *table.Table) {
	for _, r := range from.plain {
		for _, of := range r.TaskRates() {
			line := []table.Field{
				r.where(), column.Task.Is(of.Task.ID), column.Type.Is(cmp.Or(of.Task.Type, "–")), r.who(),
				column.Episodes.Is(of.Episodes),
				r.share(column.Success.Of, of.Success), r.share(column.Progress.Of, of.Progress),
			}
			if of.Task.Index >= 0 { // else it is not of the benchmark
				line = append(line, column.TaskNo.Is(of.Task.Index))
			}
			t.Add(line...)
		}
	}
	explain(t, "SR success rate, PR progress rate of the task over its seeds, in percent. Episodes: those with a result; "+
		"tasks without any are left out.", otherNames(from.plain))
}

// bySeed has the rates of every seed, for rows with several.
func bySeed(from *Report, t *table.Table) {
	for _, r := range from.plain {
		if len(r.Seeds) < 2 {
			continue
		}
		for _, seed := range r.SeedRates() {
			t.Add(r.where(), r.who(), column.Seed.Is(int(seed.Seed)), column.Episodes.Is(seed.Episodes),
				r.share(column.Success.Of, seed.Success), r.share(column.Progress.Of, seed.Progress))
		}
	}
	explain(t, "SR success rate, PR progress rate of the episodes with one seed, in percent: how much a run on these "+
		"same tasks depends on its seed.", otherNames(from.plain))
}
