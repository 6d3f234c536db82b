package figure

import (
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"heldout/envs"
	"heldout/scoring/column"
	"heldout/scoring/table"
)

// byDose has a panel for each environment and grade: a curve over the number of
// combined families of perturbations for each model.
func byDose(r reader, f *Figure) error {
	const rate = "SR"
	r = r.match(column.Rate, rate)
	r = r.renamed(column.Environment, func(row int) string {
		grade := r.text(row, column.DoseGrade)
		if grade != "drawn" {
			grade = "grade " + grade
		}
		return r.text(row, column.Environment) + ", " + grade
	})
	f.Table.Rows = reader{Table: f.Table}.match(column.Rate, rate).Rows
	return curveFigure{r: r, value: column.Value, name: rate, xColumn: column.Combined, x: func(part reader) axis {
		scale := axis{label: "combined families"}
		for row := range part.Rows {
			n, _ := part.number(row, column.Combined)
			marked := slices.ContainsFunc(scale.ticks, func(t plot.Tick) bool { return t.Value == n })
			if !marked {
				scale.ticks = append(scale.ticks, plot.Tick{Value: n, Label: part.text(row, column.Combined)})
			}
			scale.max = max(scale.max, n)
		}
		return scale
	}}.figure(f)
}

// renamed returns the reader with other texts in a column.
func (r reader) renamed(c named, name func(row int) string) reader {
	out := r
	out.Rows = nil
	for row, cells := range r.Rows {
		cells = slices.Clone(cells)
		cells[r.Pos(c.ID())] = table.String(name(row))
		out.Rows = append(out.Rows, cells)
	}
	return out
}

// families has a panel for each environment and model: the change by family of perturbations.
func families(r reader, f *Figure) error {
	reach := r.reach(0.05, column.Difference.Low, column.Difference.High, column.Difference)
	scale := roundAxis(-reach, reach, 100, "percentage points")
	rates := []string{"SR", "PR"} // of the series
	changes := twoRates(column.Difference, column.Difference)
	for i := range changes {
		changes[i].name, changes[i].p = "Δ "+rates[i], column.P
	}
	graded := r.renamed(column.Family, func(row int) string {
		return r.text(row, column.Family) + " " + r.text(row, column.Grade)
	})
	names, models := graded.distinct(column.Family), r.models()
	var out []rowPanel
	for _, env := range r.distinct(column.Environment) {
		for _, model := range models {
			title := envs.PlaceTitle(env)
			if len(models) > 1 {
				title += ", " + display(model)
			}
			part := graded.match(column.Environment, env).match(column.Model, model)
			if len(part.Rows) == 0 {
				continue
			}
			out = append(out, rowPanel{title, scale, func(s *sheet, i int, x func(float64) vg.Length, y vg.Length) {
				for k, q := range changes {
					rows := part.match(column.Rate, rates[k]).match(column.Family, names[i])
					if len(rows.Rows) > 0 {
						q.draw(s, rows, 0, x, y, title+", "+names[i])
					}
				}
			}, true})
		}
	}
	return rowFigure(f, names, out, entries(changes))
}
