package figure

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"heldout/scoring/table"
)

// byDose has a panel for each environment and grade: a curve over the number of
// combined families of perturbations for each model.
func byDose(rate string) func(reader, *Figure) error {
	return func(r reader, f *Figure) error {
		r = panelled(r.is("rate", rate), "grade", func(text string) string {
			if text == "drawn" {
				return text
			}
			return "grade " + text
		})
		f.Table.Rows = newReader(f.Table).is("rate", rate).Rows
		return lines{r: r, key: "value", name: rate, at: "families", x: func(of reader) axis {
			scale := axis{label: "combined families"}
			for row := range of.Rows {
				n, _ := of.number(row, "families")
				known := slices.ContainsFunc(scale.ticks, func(t plot.Tick) bool { return t.Value == n })
				if !known {
					scale.ticks = append(scale.ticks, plot.Tick{Value: n, Label: of.text(row, "families")})
				}
				scale.max = max(scale.max, n)
			}
			return scale
		}}.figure(f)
	}
}

// panelled returns the reader with the text of another column in the environment's
// name.
func panelled(r reader, key string, name func(text string) string) reader {
	at, ok := r.column["environment"]
	if !ok {
		return r
	}
	rows := r.Rows
	r.Rows = nil
	for i, cells := range rows {
		cells = slices.Clone(cells)
		cells[at] = table.String(cells[at].Text + ", " + name(rows[i][r.column[key]].Text))
		r.Rows = append(r.Rows, cells)
	}
	return r
}

// families has a panel for each environment and model: the change by family of
// perturbations.
func families(r reader, f *Figure) error {
	reach := 0.05
	for row := range r.Rows {
		for _, key := range []string{"low", "high", "difference"} {
			if x, ok := r.number(row, key); ok {
				reach = max(reach, math.Abs(x))
			}
		}
	}
	r.column["difference_low"], r.column["difference_high"], r.column["difference_p"] = r.column["low"], r.column["high"], r.column["p"]
	scale := roundAxis(-reach, reach, 100, "percentage points")
	all := twoRates("SR", "PR")
	for i := range all {
		all[i].name = "Δ " + all[i].name
	}
	var names []string
	named := func(row int) string { return r.text(row, "family") + " " + r.text(row, "grade") }
	for row := range r.Rows {
		if name := named(row); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	var out []rowPanel
	models := r.models()
	for _, env := range r.distinct("environment") {
		for _, model := range models {
			title := env
			if len(models) > 1 {
				title += ", " + shown(model)
			}
			rows := map[string]int{} // by family and rate
			for row := range r.Rows {
				if r.text(row, "environment") == env && r.text(row, "model") == model {
					rows[named(row)+r.text(row, "rate")] = row
				}
			}
			if len(rows) == 0 {
				continue
			}
			out = append(out, rowPanel{title, scale, func(s *sheet, i int, x func(float64) vg.Length, y vg.Length) {
				for _, q := range all {
					if row, ok := rows[names[i]+q.key]; ok {
						drawChange(s, r, row, q, x, y+q.shift, fmt.Sprintf("%s, %s: %s", title, names[i], q.name))
					}
				}
			}, true})
		}
	}
	return rowFigure(f, names, out, entries(all))
}

// drawChange draws a difference and its interval.
func drawChange(s *sheet, r reader, row int, q series, x func(float64) vg.Length, y vg.Length, what string) {
	value, ok := r.number(row, "difference")
	if !ok {
		return
	}
	q.key = "difference"
	q.interval(s, r, row, x, y)
	if r.hollow(row, q.key) {
		q.glyph.Shape = draw.RingGlyph{}
	}
	glyph(s, q.glyph, x(value), y)
	s.markAt(x(value), y, 3.2, what+" "+r.exact(row, q.key))
}
