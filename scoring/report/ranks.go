package report

import (
	"fmt"

	"heldout/scoring"
	"heldout/scoring/table"
)

// ranks is the table of the ranks that each row may have, for environments with
// three or more rows.
func ranks(rows []row) table.Table {
	t := table.Table{ID: "ranks", Title: "Ranks", Columns: []table.Column{
		{Key: "environment", Header: "Environment", Left: true}, {Key: "model", Header: "Model", Left: true},
		{Key: "success", Header: "SR"}, {Key: "success_rank", Header: "rank"}, {Key: "progress", Header: "PR"}, {Key: "progress_rank", Header: "rank"},
	}}
	var failed []string
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && rows[n].Condition.Env == rows[0].Condition.Env {
			n++
		}
		of := rows[:n]
		rows = rows[n:]
		if n < 3 {
			continue
		}
		var scores []*scoring.Score
		for _, r := range of {
			scores = append(scores, r.Score)
		}
		success, err := scoring.RankSuccess(scores)
		if err != nil {
			failed = append(failed, fmt.Sprintf("%s: no ranks, because %v.", of[0].Condition.Env, err))
			continue
		}
		progress, err := scoring.RankProgress(scores)
		if err != nil {
			failed = append(failed, fmt.Sprintf("%s: no ranks, because %v.", of[0].Condition.Env, err))
			continue
		}
		for i, r := range of {
			t.Rows = append(t.Rows, []table.Cell{
				r.where(), table.String(r.name),
				r.mark(table.Percent(r.Success.Mean)), rankCell(success[i]), r.mark(table.Percent(r.Progress.Mean)), rankCell(progress[i]),
			})
		}
	}
	if len(t.Rows) > 0 {
		t.Notes = append(t.Notes, "rank: the ranks that the paired differences from all others allow, from intervals that hold at once at 95 % (Mogstad et al. 2023).")
	}
	t.Notes = append(t.Notes, failed...)
	t.Notes = append(t.Notes, markNotes(t.Rows)...)
	return t
}

func rankCell(r scoring.Ranks) table.Cell {
	if r.Best == r.Worst {
		return table.String(fmt.Sprint(r.Best))
	}
	return table.String(fmt.Sprintf("%d-%d", r.Best, r.Worst))
}
