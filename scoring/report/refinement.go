package report

import (
	"fmt"
	"math"
	"strings"

	"heldout/scoring"
	"heldout/scoring/column"
	"heldout/scoring/refinement"
	"heldout/scoring/stats"
	"heldout/scoring/table"
)

// refinementShort has the most informative measures of what the models do with their errors, one line per row.
func refinementShort(report *Report, t *table.Table) {
	perturbed := false
	for _, r := range report.rows {
		perturbed = perturbed || r.Condition.Perturbation != noPerturbation
		byKey := map[string]scoring.Measured{}
		for _, m := range r.Refinement() {
			byKey[m.Key] = m
		}
		if len(byKey) == 0 {
			continue
		}
		line := []table.Field{r.envCol(), r.modelCol()}
		for _, c := range t.Columns[len(line):] { // their keys are the measures'
			m := byKey[c.Key]
			line = append(line, r.share(table.Amount(c, amountIn(m.Unit)), m.Value))
		}
		t.Add(line...)
	}
	about := legend(t)
	if perturbed {
		about += " Old form: invalid actions in the form that the perturbation replaces, per step."
	} else {
		*t = t.Without(column.OldForm)
	}
	annotate(t, about, []string{"All measures with intervals: --table refinement-measures; differences paired by task: " +
		"refinement-paired; when progress was made: steps."}, markNotes(t.Rows))
}

// refinementMeasures has every measure with its interval.
func refinementMeasures(report *Report, t *table.Table) {
	rows := report.allRows
	for _, r := range rows {
		for _, m := range r.Refinement() {
			if !math.IsNaN(m.Value) {
				t.Add(r.envCol(), r.modelCol(), column.Measure.Val(m.Name),
					measured(column.Measured, m).Marked(r.marks),
					column.Unit.Val(string(m.Unit)))
			}
		}
	}
	explain(t,
		aboutNotes(rows))
}

// refinementPaired has the difference of every measure from the first row of the environment.
func refinementPaired(report *Report, t *table.Table) {
	rows := report.plain
	withSteps := func(r row) bool { return r.Refinement() != nil }
	var failed []string
	var labels [][]table.Field
	var units []refinement.Unit
	var differences []stats.Difference
	for _, p := range againstFirst(rows, withSteps) {
		found, err := scoring.CompareRefinement(p.row.Score, p.base.Score)
		if err != nil {
			failed = append(failed, p.cannot(err))
		}
		for _, c := range found {
			differences, units = append(differences, c.Difference), append(units, c.Unit)
			labels = append(labels, []table.Field{p.row.envCol(), p.row.modelCol(), column.Measure.Val(c.Name),
				column.Against.Val(p.against), column.Unit.Val(string(c.Unit))})
		}
	}
	tests := 0
	for i, d := range family(differences) {
		line := append(labels[i], column.Difference.Format(changeIn(units[i])).Val(d.Mean, d.Low, d.High))
		if !math.IsNaN(d.P) {
			line, tests = append(line, column.P.Val(d.P)), tests+1
		}
		t.Add(line...)
	}
	annotate(t, "Δ: model minus the one it is compared with, on the same tasks; shares in percentage points. "+
		"95% CI: "+
		"Student's t interval. "+decided(tests, "")+" No interval where all tasks have one value; measures that are equal are "+
		"left out.", aboutNotes(rows))
	t.Notes = append(t.Notes, failed...)
}

// amountIn shows values of a unit.
func amountIn(u refinement.Unit) func(float64) table.Cell {
	switch u {
	case refinement.Share:
		return table.Percent
	case "":
		return func(float64) table.Cell { return table.None() }
	}
	return func(value float64) table.Cell {
		if math.IsNaN(value) {
			return table.None()
		}
		return table.Cell{Text: fmt.Sprintf("%.1f", value), Value: value}
	}
}

// changeIn shows differences of a unit.
func changeIn(u refinement.Unit) func(float64) table.Cell {
	return func(value float64) table.Cell {
		if u == refinement.Share || math.IsNaN(value) {
			return table.Points(value)
		}
		text := fmt.Sprintf("%+.1f", value)
		if strings.Trim(text, "+-0.") == "" {
			text = "0.0"
		}
		return table.Cell{Text: text, Value: value}
	}
}

// measured is a measure with its interval, in its unit.
func measured(c table.Bounded, m scoring.Measured) table.Field {
	return rated(c.Format(amountIn(m.Unit)), scoring.Estimate{Mean: m.Value, Interval: m.Interval})
}
