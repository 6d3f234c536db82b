package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"heldout/scoring/column"
	"heldout/scoring/table"
)

// robustness has a panel for each environment and rate: a dot for each condition.
func robustness(r reader, f *Figure) error {
	conditions := table.Filter(r.Columns, func(c table.Column) bool { return column.IsCondition(c) && r.complete(c) })
	names := r.models()
	tables := []string{""}
	if r.Columns[0].Key == tableTitle.Key {
		tables = r.distinct(tableTitle)
	}
	var out []rowPanel
	for _, table := range tables {
		for _, rate := range r.distinct(column.Rate) {
			part := r.keep(func(row int) bool {
				return (table == "" || r.text(row, tableTitle) == table) && r.text(row, column.Rate) == rate
			})
			title := strings.TrimPrefix(cmp.Or(table, nameOf(f.Table)), "Robustness on ") + " " + rate
			out = append(out, rowPanel{title, percentAxis("%"),
				func(s *sheet, i int, x func(float64) vg.Length, y vg.Length) {
					for row := range part.Rows {
						if part.text(row, column.Model) == names[i] {
							drawConditions(s, part, row, conditions, x, y, title)
						}
					}
				}, false})
		}
	}
	var key []legendEntry
	for i, c := range conditions {
		key = append(key, legendEntry{c.Header, func(s *sheet, x, y vg.Length) {
			glyph(s, conditionGlyph(i), x+legendSample/2, y)
		}})
	}
	return rowFigure(f, names, out, key)
}

// complete reports whether any line has a value under a condition.
func (r reader) complete(c table.Column) bool {
	for row := range r.Rows {
		if _, ok := r.number(row, c); ok {
			return true
		}
	}
	return false
}

// conditionGlyph is the glyph of a condition; the first is the one without
// perturbation. After the colors, the shape changes.
func conditionGlyph(i int) draw.GlyphStyle {
	if i == 0 {
		return draw.GlyphStyle{Color: ink, Radius: 3, Shape: draw.RingGlyph{}}
	}
	shapes := []draw.GlyphDrawer{draw.CircleGlyph{}, diamond{}, draw.TriangleGlyph{}, draw.SquareGlyph{},
		draw.PlusGlyph{}, draw.CrossGlyph{}}
	i--
	return draw.GlyphStyle{Color: colors[i%(len(colors)-1)], Radius: 2,
		Shape: shapes[(i+i/(len(colors)-1))%len(shapes)]}
}

func drawConditions(s *sheet, r reader, row int, conditions []table.Column, x func(float64) vg.Length, y vg.Length,
	title string) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, c := range conditions {
		if value, ok := r.number(row, c); ok {
			low, high = min(low, value), max(high, value)
		}
	}
	if low > high {
		return
	}
	s.StrokeLine2(draw.LineStyle{Color: rest, Width: 1.5}, x(low), y, x(high), y)
	var points []vg.Point
	for i, c := range conditions {
		value, ok := r.number(row, c)
		if !ok {
			continue
		}
		point := vg.Point{X: x(value), Y: y}
		for step := 1; hidden(point, points); step++ { // above, below, further above, …
			point.Y = y + vg.Length(step/2+step%2)*glyphStep*vg.Length(1-2*((step+1)%2))
		}
		points = append(points, point)
		s.DrawGlyphNoClip(conditionGlyph(i), point)
		s.markAt(point.X, point.Y, 2.5, fmt.Sprintf("%s, %s, %s: %s; average %s, std %s", title,
			r.text(row, column.Model), c.Header, r.marked(row, c),
			r.text(row, column.Average), r.text(row, column.Population)))
	}
}

// glyphStep is how far apart glyphs stand that would hide each other.
const glyphStep = 2.6

// hidden reports whether a glyph would lie on another.
func hidden(point vg.Point, points []vg.Point) bool {
	return slices.ContainsFunc(points, func(drawn vg.Point) bool {
		return math.Abs(float64(point.X-drawn.X)) < glyphStep && math.Abs(float64(point.Y-drawn.Y)) < glyphStep-0.1
	})
}
