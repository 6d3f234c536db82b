package figure

import (
	"fmt"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"heldout/scoring/column"
)

// refinementShown are the measures of the figure, by the names in the table, with
// short ones.
var refinementShown = []struct{ measure, short string }{
	{"format errors", "format errors"}, {"invalid actions", "invalid"}, {"repeated errors", "repeated"},
	{"steps in loops", "loops"},
	{"recovered within 3", "recovered"}, {"progress within 5", "progress"}, {"unsolved: steps while stuck", "stuck"},
}

// refinement has a panel for each measure; the rows are the models of each
// environment.
func refinement(r reader, f *Figure) error {
	type place struct{ env, model string }
	var names []string
	var places []place
	var headings []bool
	for _, env := range r.distinct(column.Environment) {
		names, places, headings = append(names, env), append(places, place{}), append(headings, true)
		for _, model := range r.is(column.Environment, env).models() {
			names, places, headings = append(names, model), append(places, place{env, model}), append(headings, false)
		}
	}
	q := series{value: column.Measured, glyph: draw.GlyphStyle{
		Color: colors[0], Radius: 2.1, Shape: draw.CircleGlyph{}}}
	var out []rowPanel
	for _, m := range refinementShown {
		of := r.is(column.Measure, m.measure)
		if len(of.Rows) == 0 {
			continue
		}
		rows := map[place]int{}
		for row := range of.Rows {
			rows[place{of.text(row, column.Environment), of.text(row, column.Model)}] = row
		}
		out = append(out, rowPanel{m.short, percentAxis("%"),
			func(s *sheet, i int, x func(float64) vg.Length, y vg.Length) {
				row, ok := rows[places[i]]
				if !ok {
					return
				}
				value, _ := of.number(row, column.Measured)
				q.interval(s, of, row, x, y)
				glyph(s, q.glyph, x(value), y)
				s.markAt(x(value), y, 3.2, fmt.Sprintf("%s, %s: %s %s", places[i].env, places[i].model, m.measure,
					of.exact(row, column.Measured)))
			}, false})
	}
	return rowFigure(f, names, out, nil, headings...)
}
