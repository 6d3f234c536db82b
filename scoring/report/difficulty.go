package report

import (
	"heldout/scoring/column"
	"heldout/scoring/table"
)

// difficulty has the rates of easy and hard tasks, for rows that have both.
func difficulty(report *Report, t *table.Table) {
	for _, r := range report.plain {
		if r.Easy.Tasks+r.Hard.Tasks > 0 {
			t.Add(r.envCol(), r.modelCol(),
				column.EasyTasks.Val(r.Easy.Tasks), r.share(column.EasySuccess, r.Easy.Success.Mean),
				r.share(column.EasyProgress, r.Easy.Progress.Mean),
				column.HardTasks.Val(r.Hard.Tasks), r.share(column.HardSuccess, r.Hard.Success.Mean),
				r.share(column.HardProgress, r.Hard.Progress.Mean))
		}
	}
	explain(t, "Easy, Hard: tasks with a result, in the benchmark's own classes. SR success rate, PR progress rate, in "+
		"percent.")
}
