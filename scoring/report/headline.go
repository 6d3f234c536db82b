package report

import (
	"fmt"
	"math"
	"strings"

	"heldout/scoring"
	"heldout/scoring/table"
)

// headline has the rates of every model, and its held-out score if that is
// complete, with the half width of each interval. It is what a reader needs
// first.
func headline(from *Report) table.Table {
	rows, w := from.plain, from.weights
	if len(rows) == 0 {
		return table.Table{}
	}
	t := table.Table{
		ID: "headline", Title: "Headline",
		Columns: []table.Column{
			{Key: "model", Header: "Model", Left: true},
			{Key: "environment", Header: "Environment", Left: true},
			{Key: "success", Header: "SR"},
			{Key: "success_half_width", Header: "±"},
			{Key: "progress", Header: "PR"},
			{Key: "progress_half_width", Header: "±"},
		},
		Notes: []string{
			"SR success rate, PR progress rate, in percent. ±: half the width of the 95% interval; the other tables have its limits.",
		},
	}
	t.Notes = append(t.Notes, aboutNotes(rows)...)
	for _, l := range gather(rows, row.place) {
		if h := l.heldOut(w); len(h.Missing) == 0 {
			t.Rows = append(t.Rows, headlineRow(l.name, heldOutName, h.Success, h.Progress, ""))
		}
		for _, env := range l.order {
			r := l.rates[env]
			mark := ""
			for _, m := range []string{incompleteMark, repliesMark} {
				if strings.Contains(r.marks, m) {
					mark += m
				}
			}
			success, progress := *r.success, *r.progress
			if l.scores[env].Misleads() {
				success, progress = scoring.Estimate{Mean: math.NaN()}, scoring.Estimate{Mean: math.NaN()}
			}
			t.Rows = append(t.Rows, headlineRow(l.name, env, success, progress, mark))
		}
	}
	t.Notes = append(t.Notes, grouped(rows, row.named, row.withheld)...)
	t.Notes = append(t.Notes, directories(rows)...)
	t.Notes = append(append(t.Notes, otherNames(rows)...), markNotes(t.Rows)...)
	return t
}

func headlineRow(model, where string, success, progress scoring.Estimate, mark string) []table.Cell {
	return []table.Cell{
		table.String(model), table.String(where),
		table.Percent(success.Mean).Marked(mark), halfWidth(success),
		table.Percent(progress.Mean).Marked(mark), halfWidth(progress),
	}
}

// withheld says why the headline has no rates of a row, and what they can be; empty
// if it has them.
func (r row) withheld() string {
	if !r.Misleads() {
		return ""
	}
	outcomes, n := r.Lacking()
	success, progress := r.Bounds()
	return fmt.Sprintf("no rate, because %d of %d episodes have no result for a reason that depends on the model (%s), and the others are no fair sample; over all episodes SR is between %.1f and %.1f and PR between %.1f and %.1f",
		n, r.Planned, counted(outcomes), 100*success.Low, 100*success.High, 100*progress.Low, 100*progress.High)
}

// halfWidth is half the width of an estimate's interval.
func halfWidth(e scoring.Estimate) table.Cell {
	if e.Interval == nil {
		return table.None()
	}
	half := (e.Interval.High - e.Interval.Low) / 2
	return table.Cell{Text: fmt.Sprintf("±%.1f", 100*half), Value: half}
}
