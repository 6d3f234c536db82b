package report

import (
	"cmp"

	"heldout/scoring/table"
)

// taskTable has the rates of every task, one line per task and model.
func taskTable(from *Report) table.Table {
	rows := from.plain
	t := table.Table{ID: "tasks", Title: "Rates by task", Columns: []table.Column{
		{Key: "environment", Header: "Environment", Left: true}, {Key: "index", Header: "No."}, {Key: "task", Header: "Task", Left: true},
		{Key: "type", Header: "Type", Left: true}, {Key: "model", Header: "Model", Left: true}, {Key: "episodes", Header: "Episodes"},
		{Key: "success", Header: "SR"}, {Key: "progress", Header: "PR"},
	}}
	for _, r := range rows {
		for _, task := range r.TaskRates() {
			index := table.Int(task.Task.Index)
			if task.Task.Index < 0 {
				index = table.None()
			}
			t.Rows = append(t.Rows, []table.Cell{
				r.where(), index, table.String(task.Task.ID), table.String(cmp.Or(task.Task.Type, "–")), table.String(r.name), table.Int(task.Episodes),
				r.mark(table.Percent(task.Success)), r.mark(table.Percent(task.Progress)),
			})
		}
	}
	if len(t.Rows) > 0 {
		t.Notes = append(t.Notes, "SR success rate, PR progress rate of the task over its seeds, in percent. Episodes: those with a result; tasks without any are left out.")
		t.Notes = append(t.Notes, otherNames(rows)...)
	}
	t.Notes = append(t.Notes, markNotes(t.Rows)...)
	return t
}

// seedTable has the rates of every seed, for rows with several.
func seedTable(from *Report) table.Table {
	rows := from.plain
	t := table.Table{ID: "seeds", Title: "Rates by seed", Columns: []table.Column{
		{Key: "environment", Header: "Environment", Left: true}, {Key: "model", Header: "Model", Left: true}, {Key: "seed", Header: "Seed"},
		{Key: "episodes", Header: "Episodes"}, {Key: "success", Header: "SR"}, {Key: "progress", Header: "PR"},
	}}
	for _, r := range rows {
		if len(r.Seeds) < 2 {
			continue
		}
		for _, seed := range r.SeedRates() {
			t.Rows = append(t.Rows, []table.Cell{
				r.where(), table.String(r.name), table.Int(int(seed.Seed)), table.Int(seed.Episodes),
				r.mark(table.Percent(seed.Success)), r.mark(table.Percent(seed.Progress)),
			})
		}
	}
	if len(t.Rows) > 0 {
		t.Notes = append(t.Notes, "SR success rate, PR progress rate of the episodes with one seed, in percent: how much a run on these same tasks depends on its seed.")
		t.Notes = append(t.Notes, otherNames(rows)...)
	}
	t.Notes = append(t.Notes, markNotes(t.Rows)...)
	return t
}
