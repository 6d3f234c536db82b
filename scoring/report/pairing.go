package report

import (
	"fmt"
	"math"
	"strings"

	"heldout/scoring"
	"heldout/scoring/stats"
	"heldout/scoring/table"
)

// pairing collects comparisons of which one table is made.
type pairing struct {
	comparisons []scoring.Comparison
	labels      [][]table.Cell
	failed      []string // what could not be compared, and why
}

// pairedNote says how differences are estimated.
const pairedNote = "seeds averaged within each task first. " +
	"95% low, high: Student's t interval over tasks, each row by itself; none where all tasks differ by the same."

func (p *pairing) add(c scoring.Comparison, label ...table.Cell) {
	p.comparisons, p.labels = append(p.comparisons, c), append(p.labels, label)
}

// table makes the table; columns are those of the labels.
func (p *pairing) table(columns ...table.Column) table.Table {
	t := table.Table{Columns: append(columns,
		table.Column{Key: "tasks", Header: "Tasks", Detail: true},
		table.Column{Key: "success_difference", Header: "Δ SR"},
		table.Column{Key: "success_low", Header: "95% low"},
		table.Column{Key: "success_high", Header: "high", Upper: true},
		table.Column{Key: "success_p", Header: "p"},
		table.Column{Key: "progress_difference", Header: "Δ PR"},
		table.Column{Key: "progress_low", Header: "95% low"},
		table.Column{Key: "progress_high", Header: "high", Upper: true},
		table.Column{Key: "progress_p", Header: "p"},
	)}
	var successP, progressP []float64
	for _, c := range p.comparisons {
		successP, progressP = append(successP, c.Success.P), append(progressP, c.Progress.P)
	}
	successP, progressP = stats.Holm(successP), stats.Holm(progressP)
	for i, c := range p.comparisons {
		t.Rows = append(t.Rows, append(p.labels[i],
			table.Int(c.Success.N),
			table.Points(c.Success.Mean), table.Points(c.Success.Low), table.Points(c.Success.High), table.Probability(successP[i]),
			table.Points(c.Progress.Mean), table.Points(c.Progress.Low), table.Points(c.Progress.High), table.Probability(progressP[i]),
		))
	}
	if n := len(p.comparisons); n > 0 {
		note := "p: two-sided sign-flip permutation test over tasks"
		if n > 1 {
			note += fmt.Sprintf(", corrected for %d comparisons (Holm), SR and PR separately", n)
		}
		t.Notes = append(t.Notes, note+".")
	}
	t.Notes = append(t.Notes, p.disagreements()...)
	t.Notes = append(t.Notes, p.failed...)
	return t
}

// disagreements names the rows whose interval and test say different things before
// any correction, and why they can.
func (p *pairing) disagreements() []string {
	var rows []string
	for i, c := range p.comparisons {
		var label []string
		for _, cell := range p.labels[i] {
			label = append(label, cell.Text)
		}
		for _, d := range []struct {
			rate string
			stats.Difference
		}{{"SR", c.Success}, {"PR", c.Progress}} {
			excludes := d.Low > 0 || d.High < 0
			if !math.IsNaN(d.Low) && excludes != (d.P < 1-scoring.Level) {
				rows = append(rows, fmt.Sprintf("%s, %s (p %.3f before any correction)", strings.Join(label, " "), d.rate, d.P))
			}
		}
	}
	if rows == nil {
		return nil
	}
	return []string{"Interval and test disagree about a difference: " + strings.Join(rows, "; ") +
		". The interval supposes that the differences of tasks are normally distributed, the test does not, and with n tasks that differ its p is at least 2/2ⁿ: with few tasks go by p."}
}
