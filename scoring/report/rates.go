package report

import (
	"slices"

	"heldout/scoring"
	"heldout/scoring/column"
	"heldout/scoring/table"
)

// rateLines has the held-out score and the rates of each environment with their
// intervals, published results beside them, one line per environment and model.
// Environments that only publications have are left out.
func rateLines(report *Report, t *table.Table) {
	rows, w := report.plain, report.weights
	lines := gather(fair(rows), row.place)
	runs := len(lines)
	var listed []Baseline
	for _, b := range report.baselines {
		if b.Table.Env == "" {
			listed = append(listed, b)
			lines = append(lines, publishedLines(b)...)
		}
	}
	marks := ""
	add := func(env string, i int, success, progress scoring.Estimate, mark string) {
		origin := column.FromRun
		if i >= runs {
			origin = column.FromPublished
		}
		marks += mark
		line := []table.Field{column.Environment.Val(env), column.Model.Val(lines[i].name), column.Origin.Val(origin),
			rated(column.Success, success).Marked(mark), rated(column.Progress, progress).Marked(mark)}
		if score := lines[i].scores[env]; score != nil {
			line = append(line, column.TaskSet.Val(tasksOf(score)))
		}
		t.Add(line...)
	}
	for i, l := range lines {
		if h := l.heldOut(w); len(h.Missing) == 0 {
			add(column.HeldOutScore, i, h.Success, h.Progress, "")
		}
	}
	for _, env := range environmentsOf(rows) {
		for i, l := range lines {
			if r, ok := l.rates[env]; ok && r.success != nil && r.progress != nil {
				add(env, i, *r.success, *r.progress, r.marks)
			}
		}
	}
	annotate(t, weightNote(w), notesOn(rows, row.withheld), aboutNotes(rows),
		noScore(gather(rows, row.place), w), otherNames(rows), directories(rows), rateMarks(marks),
		sources(listed, marks))
	programs := *t
	*t = t.Without(column.TaskSet)
	t.Programs = []table.Table{programs}
}

// fair are the rows with a rate that does not mislead.
func fair(rows []row) []row {
	return slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return r.Misleads() })
}

// environmentsOf lists the environments of rows, each once.
func environmentsOf(rows []row) (out []string) {
	for _, r := range rows {
		out = appendNew(out, r.place())
	}
	return out
}
