package report

import (
	"cmp"
	"slices"

	"heldout/scoring/column"
	"heldout/scoring/table"
)

// byKind has the rates of every kind of task, one line per kind and model, and
// the metric of rows with presets.
func byKind(report *Report, t *table.Table) {
	rows := report.plain
	metric := slices.ContainsFunc(rows, func(r row) bool { return r.Condition.Preset != nil })
	if !metric {
		t.Drop(column.MetricValue)
	}
	for _, r := range rows {
		for _, of := range r.ByKind() {
			line := []table.Field{
				r.envCol(), r.modelCol(), column.Kind.Val(cmp.Or(of.Type, "–")), column.Tasks.Val(of.Tasks),
				r.rated(column.Success, of.Success.Estimate), r.rated(column.Progress, of.Progress.Estimate),
			}
			if r.Condition.Preset != nil {
				line = append(line, r.rated(column.MetricValue, of.Metric.Estimate))
			}
			t.Add(line...)
		}
	}
	var value []string
	if metric {
		value = []string{"Value: the preset's metric on the tasks of the kind."}
	}
	annotate(t, "SR success rate, PR progress rate, in percent: the mean over the tasks of the kind. Tasks: those with a "+
		"result.", value, aboutNotes(rows), otherNames(rows), incomplete(rows))
}
