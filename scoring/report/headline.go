package report

import (
	"fmt"
	"math"
	"strings"

	"heldout/scoring"
	"heldout/scoring/column"
	"heldout/scoring/table"
)

// headline has the rates of every model, and its held-out score if that is
// complete, with the half width of each interval. It is what a reader needs
// first.
func headline(from *Report, t *table.Table) {
	rows, w := from.plain, from.weights
	if len(rows) == 0 {
		return
	}
	t.Notes = append(t.Notes, "SR success rate, PR progress rate, in percent. ±: half the width of the 95% interval; the other tables have its limits.")
	t.Notes = append(t.Notes, aboutNotes(rows)...)
	for _, l := range gather(rows, row.place) {
		if h := l.heldOut(w); len(h.Missing) == 0 {
			addHeadline(t, l.name, column.HeldOutScore, h.Success, h.Progress, "")
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
			addHeadline(t, l.name, env, success, progress, mark)
		}
	}
	t.Notes = append(t.Notes, grouped(rows, row.named, row.withheld)...)
	t.Notes = append(t.Notes, directories(rows)...)
	t.Notes = append(append(t.Notes, otherNames(rows)...), markNotes(t.Rows)...)
}

func addHeadline(t *table.Table, model, where string, success, progress scoring.Estimate, mark string) {
	t.Add(column.Model.Is(model), column.Environment.Is(where),
		column.Success.Of.Is(success.Mean).Marked(mark), column.SuccessHalf.Is(halfWidth(success)),
		column.Progress.Of.Is(progress.Mean).Marked(mark), column.ProgressHalf.Is(halfWidth(progress)))
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

// halfWidth is half the width of an estimate's interval; NaN without one.
func halfWidth(e scoring.Estimate) float64 {
	if e.Interval == nil {
		return math.NaN()
	}
	return (e.Interval.High - e.Interval.Low) / 2
}
