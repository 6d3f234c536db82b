package figure

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"heldout/envs"
	"heldout/scoring/column"
	"heldout/scoring/table"
)

// rowHeight is the height of a row of a panel, titleHeight the height of title and axis.
const (
	rowHeight   = vg.Length(13)
	titleHeight = vg.Length(36)
	labelWidth  = vg.Length(130)
)

// rowPanel is a panel with the figure's rows, such as models.
type rowPanel struct {
	title string
	axis  axis
	// draw draws a row around the height y. X maps values.
	draw func(s *sheet, row int, x func(float64) vg.Length, y vg.Length)
	// zero draws a line at 0.
	zero bool
}

// rowFigure lays out panels whose rows have the same names, which stand on the left.
func rowFigure(f *Figure, names []string, rowPanels []rowPanel, entries []legendEntry, headings ...bool) error {
	if len(rowPanels) == 0 || len(names) == 0 {
		return errors.New("there is nothing to show")
	}
	const rowLimit, columnLimit = 8, 7
	columns := gridColumns(len(rowPanels))
	if len(names) > rowLimit { // one row of panels is easier to read than long columns below each other
		columns = min(len(rowPanels), columnLimit)
	}
	f.width = doubleColumn
	if len(rowPanels) == 1 && len(names) <= 2*rowLimit {
		f.width = singleColumn
	}
	var plots []*plot.Plot
	for _, panel := range rowPanels {
		if columns > 4 {
			panel.axis.ticks = fewLabels(panel.axis.ticks)
		}
		plots = append(plots, f.rowPlot(panel, names))
	}
	rowLabels := newLabels(names)
	rowLabels.headings = headings
	panels(f, plots, columns, titleHeight+rowHeight*vg.Length(len(names)), rowLabels, entries)
	return nil
}

// rowPlot is the plot of a panel.
func (f *Figure) rowPlot(panel rowPanel, names []string) *plot.Plot {
	p := newPlot()
	setTitle(p, panel.title)
	setAxis(&p.X, panel.axis)
	p.Y.Min, p.Y.Max = -0.5, float64(len(names))-0.5
	p.HideY()
	p.Add(f.plotter(func(s *sheet, p *plot.Plot) {
		x, y := p.Transforms(&s.Canvas)
		for _, t := range panel.axis.ticks {
			style := thin(grid)
			if panel.zero && math.Abs(t.Value) < 1e-12 {
				style = thin(soft)
			}
			s.StrokeLine2(style, x(t.Value), s.Min.Y, x(t.Value), s.Max.Y)
		}
		for i := range names {
			center := y(float64(len(names) - 1 - i))
			s.StrokeLine2(draw.LineStyle{Color: grid, Width: 0.4, Dashes: []vg.Length{0.8, 1.6}}, s.Min.X, center,
				s.Max.X, center)
			panel.draw(s, i, x, center)
		}
	}))
	return p
}

// series is a rate that rows show.
type series struct {
	value table.Bounded
	p     named // of a difference; nil if it is none
	name  string
	glyph draw.GlyphStyle
	shift vg.Length // from the middle of the row
}

// twoRates are success and progress.
func twoRates(success, progress table.Bounded) []series {
	return []series{
		{success, nil, "SR", draw.GlyphStyle{Color: colors[0], Radius: 2.1, Shape: draw.CircleGlyph{}}, 2.9},
		{progress, nil, "PR", draw.GlyphStyle{Color: colors[1], Radius: 2.3, Shape: diamond{}}, -2.9},
	}
}

// diamond is a glyph.
type diamond struct{}

// DrawGlyph implements draw.GlyphDrawer.
func (diamond) DrawGlyph(c *draw.Canvas, g draw.GlyphStyle, pt vg.Point) {
	r := g.Radius * 1.15
	c.FillPolygon(g.Color, []vg.Point{{X: pt.X - r, Y: pt.Y}, {X: pt.X, Y: pt.Y - r}, {X: pt.X + r, Y: pt.Y},
		{X: pt.X, Y: pt.Y + r}})
}

// draw draws the number of a row of the table with its interval, and notes whose it is; false if there is none.
func (q series) draw(s *sheet, r reader, row int, x func(float64) vg.Length, y vg.Length, label string) bool {
	value, ok := r.number(row, q.value)
	if !ok {
		return false
	}
	y += q.shift
	low, ok := r.number(row, q.value.Low)
	high, also := r.number(row, q.value.High)
	if ok && also {
		s.StrokeLine2(solid(q.glyph.Color), x(low), y, x(high), y)
	}
	g := q.glyph
	if q.hollow(r, row) {
		g.Shape = draw.RingGlyph{}
	}
	glyph(s, g, x(value), y)
	s.markAt(x(value), y, 3.2, fmt.Sprintf("%s: %s %s", label, q.name, q.exact(r, row)))
	return true
}

// exact says a number with its mark, its interval and its p value.
func (q series) exact(r reader, row int) string {
	out := r.exact(row, q.value)
	if q.p != nil && r.cell(row, q.p).Value != nil {
		out += ", p " + r.text(row, q.p)
	}
	return out
}

// hollow reports whether a number has a hollow dot: one that was published, or a
// difference that is not significant.
func (q series) hollow(r reader, row int) bool {
	if q.p == nil {
		return r.text(row, column.Origin) == column.FromPublished
	}
	p, ok := r.number(row, q.p)
	return !ok || p >= 0.05
}

// entries are the legend of series.
func entries(list []series) []legendEntry {
	return table.Each(list, func(q series) legendEntry { return dotEntry(q.name, q.glyph) })
}

// panelTitle names a panel by its environment.
func panelTitle(env string) string { return strings.TrimSuffix(envs.PlaceTitle(env), " score") }

// dots are panels by environment with a dot and an interval for each series, and beside the dots of rates
// what they say.
func dots(r reader, names []string, list []series, scale axis, zero bool) (out []rowPanel) {
	labelled := len(names) <= mostSaid && len(r.distinct(column.Environment)) <= mostSaid
	for _, env := range r.distinct(column.Environment) {
		subset := r.match(column.Environment, env)
		out = append(out, rowPanel{panelTitle(env), scale,
			func(s *sheet, i int, x func(float64) vg.Length, y vg.Length) {
				row := subset.find(names[i])
				if row < 0 {
					return
				}
				for k, q := range list {
					label := subset.cell(row, q.value).Mark
					if labelled && k == 0 {
						label = subset.marked(row, q.value)
					}
					if q.draw(s, subset, row, x, y, env+", "+names[i]) && q.p == nil {
						q.say(s, subset, row, x, y+q.shift, scale, label)
					}
				}
			}, zero})
	}
	return out
}

// mostSaid is the largest number of models, and of panels, whose first rate is written beside its dot.
const mostSaid = 8

// say writes a text behind the dot and the interval of a row, or before them where there is no room behind.
func (q series) say(s *sheet, r reader, row int, x func(float64) vg.Length, y vg.Length, scale axis, label string) {
	start, _ := r.number(row, q.value)
	end := start
	if low, ok := r.number(row, q.value.Low); ok {
		start = min(start, low)
	}
	if high, ok := r.number(row, q.value.High); ok {
		end = max(end, high)
	}
	st := style(small-1, soft, draw.XLeft, draw.YCenter)
	gap := q.glyph.Radius + 1.2
	pos := x(end) + gap
	if width := st.Width(label); pos+width > x(scale.max)+2*gap && x(start)-gap-width > x(scale.min) {
		pos = x(start) - gap - width
	}
	s.FillText(st, vg.Point{X: pos, Y: y + 0.7}, label)
}

// rates has a panel for the held-out score and for each environment.
func rates(r reader, f *Figure) error {
	names, headings := r.parted()
	list := twoRates(column.Success, column.Progress)
	return rowFigure(f, names, dots(r, names, list, percentAxis("%"), false), entries(list), headings...)
}

// publishedHeading stands between the models of runs and published ones.
const publishedHeading = "published"

// parted lists the models as models does, with a heading above published ones.
func (r reader) parted() (names []string, headings []bool) {
	published := r.match(column.Origin, column.FromPublished).distinct(column.Model)
	names = r.models()
	index := len(names) - len(published)
	headings = make([]bool, len(names)+1)
	if index == 0 || len(published) == 0 {
		return names, headings[1:]
	}
	headings[index] = true
	return slices.Insert(names, index, publishedHeading), headings
}

// differences has a panel for each environment: a dot for each pair of models.
func differences(r reader, f *Figure) error {
	r = r.keep(func(row int) bool {
		_, ok := r.number(row, column.Difference)
		return ok && r.cell(row, column.Against).Value != nil && r.cell(row, column.Perturbations).Value == nil
	})
	if len(r.Rows) == 0 {
		return errors.New("no two models are compared")
	}
	q := twoRates(column.Difference, column.Difference)[0]
	q.name, q.p, q.shift = "Δ "+r.text(0, column.Rate), column.P, 0
	reach := r.reach(0.05, q.value.Low, q.value.High)
	if bases := r.distinct(column.Against); len(bases) == 1 {
		f.Caption += " All are minus " + display(bases[0]) + "."
	} else {
		r = r.renamed(column.Model, func(row int) string {
			return r.text(row, column.Model) + " − " + r.text(row, column.Against)
		})
	}
	names := r.distinct(column.Model)
	scale := roundAxis(-reach, reach, 100, "percentage points")
	return rowFigure(f, names, dots(r, names, []series{q}, scale, true), nil)
}

// reach is the largest size of numbers in some columns, or at least a given one.
func (r reader) reach(size float64, columns ...named) float64 {
	for row := range r.Rows {
		for _, c := range columns {
			if x, ok := r.number(row, c); ok {
				size = max(size, math.Abs(x))
			}
		}
	}
	return size
}
