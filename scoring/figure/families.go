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
	r = panelled(r.match(column.Rate, rate), column.DoseGrade, func(text string) string {
		if text == "drawn" {
			return text
		}
		return "grade " + text
	})
	f.Table.Rows = newReader(f.Table).match(column.Rate, rate).Rows
	return curveFigure{r: r, value: column.Level, name: rate, xColumn: column.Combined, x: func(of reader) axis {
		scale := axis{label: "combined families"}
		for row := range of.Rows {
			n, _ := of.number(row, column.Combined)
			known := slices.ContainsFunc(scale.ticks, func(t plot.Tick) bool { return t.Value == n })
			if !known {
				scale.ticks = append(scale.ticks, plot.Tick{Value: n, Label: of.text(row, column.Combined)})
			}
			scale.max = max(scale.max, n)
		}
		return scale
	}}.figure(f)
}

// panelled returns the reader with the text of another column in the environment's
// name.
func panelled(r reader, c named, name func(text string) string) reader {
	index := r.column[column.Environment.Key]
	rows := r.Rows
	r.Rows = nil
	for i, cells := range rows {
		cells = slices.Clone(cells)
		cells[index] = table.String(cells[index].Text + ", " + name(rows[i][r.column[c.ID()]].Text))
		r.Rows = append(r.Rows, cells)
	}
	return r
}

// families has a panel for each environment and model: the change by family of
// perturbations.
func families(r reader, f *Figure) error {
	reach := r.reach(0.05, column.Difference.Low, column.Difference.High, column.Difference)
	scale := roundAxis(-reach, reach, 100, "percentage points")
	rates := []string{"SR", "PR"} // of the series
	changes := twoRates(column.Difference, column.Difference)
	for i := range changes {
		changes[i].name, changes[i].p = "Δ "+rates[i], column.P
	}
	var names []string
	named := func(row int) string { return r.text(row, column.Family) + " " + r.text(row, column.FamilyGrade) }
	for row := range r.Rows {
		if name := named(row); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	var out []rowPanel
	models := r.models()
	for _, env := range r.distinct(column.Environment) {
		for _, model := range models {
			title := envs.PlaceTitle(env)
			if len(models) > 1 {
				title += ", " + display(model)
			}
			rows := map[string]int{} // by family and rate
			for row := range r.Rows {
				if r.text(row, column.Environment) == env && r.text(row, column.Model) == model {
					rows[named(row)+r.text(row, column.Rate)] = row
				}
			}
			if len(rows) == 0 {
				continue
			}
			out = append(out, rowPanel{title, scale, func(s *sheet, i int, x func(float64) vg.Length, y vg.Length) {
				for k, q := range changes {
					if row, ok := rows[names[i]+rates[k]]; ok {
						q.draw(s, r, row, x, y, title+", "+names[i])
					}
				}
			}, true})
		}
	}
	return rowFigure(f, names, out, entries(changes))
}
