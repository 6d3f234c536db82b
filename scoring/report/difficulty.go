package report

import (
	"heldout/scoring"
	"heldout/scoring/table"
)

// difficulty is the table of easy and hard tasks, for rows that have both.
func difficulty(from *Report) table.Table {
	rows := from.plain
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
	if len(t.Rows) > 0 {
		t.Notes = append(t.Notes, "Easy, Hard: tasks with a result, in the benchmark's own classes. SR success rate, PR progress rate, in percent.")
	}
	t.Notes = append(t.Notes, markNotes(t.Rows)...)
	return t
}
