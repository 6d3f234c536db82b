package figure

import (
	"image/color"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// axis is a scale with ticks.
type axis struct {
	min, max float64
	ticks    plot.ConstantTicks
	label    string
}

// percentAxis is the scale of a rate, which is a fraction.
func percentAxis(label string) axis {
	return axis{0, 1, plot.ConstantTicks{{Value: 0, Label: "0"}, {Value: 0.25}, {Value: 0.5, Label: "50"},
		{Value: 0.75}, {Value: 1, Label: "100"}}, label}
}

// roundAxis is a scale that holds values, with ticks at round numbers. Labels show values times a factor.
func roundAxis(low, high, factor float64, label string) axis {
	if high <= low {
		high = low + 1/factor
	}
	const ticks = 4
	raw := (high - low) * factor / ticks
	step := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, m := range []float64{2, 2.5, 5, 10} {
		if step >= raw {
			break
		}
		step = m * math.Pow(10, math.Floor(math.Log10(raw)))
	}
	first, last := math.Floor(low*factor/step+1e-9), math.Ceil(high*factor/step-1e-9)
	a := axis{min: first * step / factor, max: last * step / factor, label: label}
	for k := first; k <= last; k++ {
		a.ticks = append(a.ticks, plot.Tick{Value: k * step / factor, Label: short(k * step)})
	}
	return a
}

// fewLabels keeps the labels of the first and the last tick and of 0, for narrow panels.
func fewLabels(ticks plot.ConstantTicks) plot.ConstantTicks {
	out := slices.Clone(ticks)
	for i := range out {
		if i > 0 && i < len(out)-1 && math.Abs(out[i].Value) > 1e-12 && len(out) > 3 {
			out[i].Label = ""
		}
	}
	return out
}

// short writes a number of a tick.
func short(x float64) string {
	switch {
	case math.Abs(x) >= 1e6:
		return strconv.FormatFloat(x/1e6, 'g', 3, 64) + "M"
	case math.Abs(x) >= 1e4:
		return strconv.FormatFloat(x/1e3, 'g', 4, 64) + "k"
	}
	return strconv.FormatFloat(math.Round(x*1e6)/1e6, 'g', -1, 64)
}

// legendEntry is a line of a legend.
type legendEntry struct {
	text string
	draw func(s *sheet, x, y vg.Length) // a sample of the width of legendSample
}

// edge is left empty at the left of a figure, where strokes and letters are cut otherwise.
const edge = vg.Length(2)

const (
	legendSample = vg.Length(14)
	legendLine   = vg.Length(10)
	legendGap    = vg.Length(10)
)

// legend lays out entries in lines.
type legend struct {
	entries []legendEntry
	width   vg.Length
}

func (l legend) style() text.Style { return style(small, ink, draw.XLeft, draw.YCenter) }

// walk calls visit with the place of each entry, from the upper left, and returns the height of all.
func (l legend) walk(visit func(e legendEntry, name string, x, y vg.Length)) vg.Length {
	if len(l.entries) == 0 {
		return 0
	}
	x, y := edge, legendLine/2
	for _, e := range l.entries {
		name := printable(e.text, l.style(), l.width/2)
		width := legendSample + 3 + l.style().Width(name)
		if x > edge && x+width > l.width {
			x, y = edge, y+legendLine
		}
		if visit != nil {
			visit(e, name, x, y)
		}
		x += width + legendGap
	}
	return y + legendLine/2 + 4
}

func (l legend) height() vg.Length { return l.walk(nil) }

// draw draws the legend at the top of the sheet.
func (l legend) draw(s *sheet) {
	l.walk(func(e legendEntry, name string, x, y vg.Length) {
		top := s.Max.Y - y
		e.draw(s, s.Min.X+x, top)
		s.FillText(l.style(), vg.Point{X: s.Min.X + x + legendSample + 3, Y: top}, name)
	})
}

// dotEntry is an entry with a dot.
func dotEntry(name string, g draw.GlyphStyle) legendEntry {
	return legendEntry{name, func(s *sheet, x, y vg.Length) {
		s.StrokeLine2(solid(g.Color), x, y, x+legendSample, y)
		glyph(s, g, x+legendSample/2, y)
	}}
}

// glyph draws a glyph that covers what is below it.
func glyph(s *sheet, g draw.GlyphStyle, x, y vg.Length) {
	if hollow(g) {
		s.DrawGlyphNoClip(draw.GlyphStyle{Color: paper, Radius: g.Radius, Shape: draw.CircleGlyph{}},
			vg.Point{X: x, Y: y})
	}
	s.DrawGlyphNoClip(g, vg.Point{X: x, Y: y})
}

func hollow(g draw.GlyphStyle) bool {
	_, ring := g.Shape.(draw.RingGlyph)
	return ring
}

// box fills a box.
func box(s *sheet, c color.Color, x0, y0, x1, y1 vg.Length) {
	s.FillPolygon(c, []vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}})
}

// labels are the names of the rows of all panels.
type labels struct {
	names    []string // as they are shown
	headings []bool   // they stand above other names
	width    vg.Length
}

func labelStyle() text.Style { return style(small+0.5, ink, draw.XRight, draw.YCenter) }

// newLabels makes labels of names.
func newLabels(names []string) (l labels) {
	for _, name := range names {
		l.names = append(l.names, printable(name, labelStyle(), labelWidth))
		l.width = max(l.width, bold(labelStyle()).Width(l.names[len(l.names)-1])+5)
	}
	return l
}

// draw draws the labels to the left of a panel.
func (l labels) draw(s *sheet, p *plot.Plot, panel draw.Canvas) {
	data := p.DataCanvas(panel)
	_, y := p.Transforms(&data)
	for i, name := range l.names {
		st := labelStyle()
		if l.headings != nil && l.headings[i] {
			st = bold(st)
		}
		s.FillText(st, vg.Point{X: data.Min.X - 5, Y: y(float64(len(l.names) - 1 - i))}, name)
	}
}

// panels lays out plots in a grid below a legend. All have the same size. Labels
// stand to the left of each row of the grid.
func panels(f *Figure, plots []*plot.Plot, columns int, plotHeight vg.Length, names labels, entries []legendEntry) {
	rows := (len(plots) + columns - 1) / columns
	cells := make([][]*plot.Plot, rows)
	for i := range cells {
		cells[i] = make([]*plot.Plot, columns)
		copy(cells[i], plots[i*columns:min(len(plots), (i+1)*columns)])
	}
	const pad = vg.Length(7)
	tiles := draw.Tiles{Rows: rows, Cols: columns, PadX: 2 * pad, PadY: pad, PadTop: 1, PadRight: 7, PadLeft: 3,
		PadBottom: 1}
	key := legend{entries, f.width - 2}
	f.height = key.height() + vg.Length(rows)*plotHeight + vg.Length(rows-1)*pad + 2
	f.draw = func(s *sheet) {
		key.draw(s)
		area := draw.Crop(s.Canvas, names.width, 0, 0, -key.height())
		places := plot.Align(cells, tiles, area)
		for i, row := range cells {
			names.draw(s, row[0], places[i][0])
			for j, p := range row {
				if p != nil {
					p.Draw(places[i][j])
				}
			}
		}
	}
}

// gridColumns is the number of columns of a grid: two rows from five panels on.
func gridColumns(panels int) int {
	switch {
	case panels <= 4:
		return panels
	case panels <= 8:
		return (panels + 1) / 2
	}
	return 4
}

// setAxis gives an axis a scale.
func setAxis(a *plot.Axis, scale axis) {
	a.Min, a.Max, a.Tick.Marker, a.Label.Text = scale.min, scale.max, scale.ticks, scale.label
}

// setTitle gives a plot a title that starts above the left end of its data.
func setTitle(p *plot.Plot, title string) {
	st := bold(style(normal, ink, draw.XLeft, draw.YBottom))
	p.Title.Text = " " // as high as the title
	p.Add(plotter(func(c draw.Canvas, p *plot.Plot) {
		const gap = 10 // between panels there is a little more
		c.FillText(st, vg.Point{X: c.Min.X, Y: c.Max.Y + p.Title.Padding + 1},
			printable(title, st, c.Max.X-c.Min.X+gap))
	}))
}
