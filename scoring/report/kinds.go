package report

import (
	"cmp"
	"slices"

	"heldout/scoring/table"
)

// kindTable has the rates of every kind of task, one line per kind and model, and
// the metric of rows with presets.
func kindTable(from *Report) table.Table {
	rows := from.plain
	t := table.Table{ID: "kinds", Title: "Rates by kind", Columns: []table.Column{
		{Key: "environment", Header: "Environment", Left: true}, {Key: "model", Header: "Model", Left: true},
		{Key: "kind", Header: "Kind", Left: true}, {Key: "tasks", Header: "Tasks"},
		{Key: "success", Header: "SR"}, {Key: "success_low", Header: "95% low"}, {Key: "success_high", Header: "high", Upper: true},
		{Key: "progress", Header: "PR"}, {Key: "progress_low", Header: "95% low"}, {Key: "progress_high", Header: "high", Upper: true},
	}}
	metric := slices.ContainsFunc(rows, func(r row) bool { return r.Condition.Preset != nil })
	if metric {
		t.Columns = append(t.Columns, table.Column{Key: "value", Header: "Value"},
			table.Column{Key: "value_low", Header: "95% low"}, table.Column{Key: "value_high", Header: "high", Upper: true})
	}
	for _, r := range rows {
		for _, of := range r.ByKind() {
			sLow, sHigh := interval(of.Success.Estimate)
			pLow, pHigh := interval(of.Progress.Estimate)
			cells := []table.Cell{
				r.where(), table.String(r.name), table.String(cmp.Or(of.Type, "–")), table.Int(of.Tasks),
				r.mark(table.Percent(of.Success.Mean)), sLow, sHigh, r.mark(table.Percent(of.Progress.Mean)), pLow, pHigh,
			}
			switch {
			case r.Condition.Preset != nil:
				low, high := interval(of.Metric.Estimate)
				cells = append(cells, r.mark(table.Percent(of.Metric.Mean)), low, high)
			case metric:
				cells = append(cells, table.None(), table.None(), table.None())
			}
			t.Rows = append(t.Rows, cells)
		}
	}
	if len(t.Rows) == 0 {
		return t
	}
	t.Notes = append(t.Notes, "SR success rate, PR progress rate, in percent: the mean over the tasks of the kind. Tasks: those with a result.")
	if metric {
		t.Notes = append(t.Notes, "Value: the preset's metric on the tasks of the kind.")
	}
	t.Notes = append(t.Notes, aboutNotes(rows)...)
	t.Notes = append(t.Notes, otherNames(rows)...)
	t.Notes = append(t.Notes, incomplete(rows)...)
	return t
}
