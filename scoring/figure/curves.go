package figure

import (
	"cmp"
	"errors"
	"fmt"
	"image/color"
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

// The numbers of models that have a color of their own, and up to which there are bands.
const (
	mostColored = 7
	mostBands   = 4
)

// look is how the line of a model is drawn.
type look struct {
	color color.NRGBA
	line  draw.LineStyle
	band  bool
}

// looks gives models their looks. If there are too many for colors, those with the
// highest last values have them, and the others are grey.
func looks(names []string, last map[string]float64) map[string]look {
	colored := slices.Clone(names)
	if len(names) > mostColored {
		slices.SortStableFunc(colored, func(a, b string) int { return cmp.Compare(last[b], last[a]) })
		colored = colored[:mostColored]
	}
	out := map[string]look{}
	n := 0
	for _, name := range names {
		if !slices.Contains(colored, name) {
			out[name] = look{rest, draw.LineStyle{Color: rest, Width: 0.6}, false}
			continue
		}
		out[name] = look{colors[n], draw.LineStyle{Color: colors[n], Width: 1.2, Dashes: dashes[n]},
			len(names) <= mostBands}
		n++
	}
	return out
}

// curveFigure is a figure of curves.
type curveFigure struct {
	r       reader
	value   table.Bounded
	name    string
	xColumn named // the place on the x axis
	x       func(r reader) axis
	stays   bool // a curve that ends early goes on at its last value
	dots    bool // each point has one
}

// byStep has a panel for each environment: a curve over steps for each model.
func byStep(value table.Bounded, name string) func(reader, *Figure) error {
	return func(r reader, f *Figure) error {
		return curveFigure{r: r, value: value, name: name, xColumn: column.Step, x: func(subset reader) axis {
			return roundAxis(0, subset.reach(1, column.Step), 1, "step")
		}, stays: true}.figure(f)
	}
}

// byTries has a panel for each environment: a curve over numbers of tries for each model.
func byTries(r reader, f *Figure) error {
	return curveFigure{r: r, value: column.Pass, name: "pass@k", xColumn: column.Tries, x: func(subset reader) axis {
		limit := subset.reach(2, column.Tries)
		room := 0.04 * (limit - 1) // for the dots at the ends
		scale := axis{min: 1 - room, max: limit + room, label: "tries"}
		for k := 1.0; k <= limit; k += math.Ceil((limit - 1) / 5) {
			scale.ticks = append(scale.ticks, plot.Tick{Value: k, Label: fmt.Sprint(k)})
		}
		return scale
	}, dots: true}.figure(f)
}

// checkpoints has a panel for each environment and the held-out score: a curve
// over training for success and progress.
func checkpoints(r reader, f *Figure) error {
	r = r.keep(func(row int) bool { return slices.Contains(r.checkpoints, r.text(row, column.Model)) })
	names := table.Filter(r.checkpoints, func(name string) bool { return r.find(name) >= 0 })
	if len(names) == 0 {
		return errors.New("no model was served, the order is unknown, or no checkpoint has a rate")
	}
	f.width, f.Table.Rows = doubleColumn, r.Rows
	scale := axis{min: -0.3, max: float64(len(names)) - 0.7}
	every := (len(names) + 9) / 10
	for i, name := range names {
		label := ""
		if i%every == 0 {
			label = fmt.Sprint(i + 1)
		}
		scale.ticks = append(scale.ticks, plot.Tick{Value: float64(i), Label: label})
		f.Caption += fmt.Sprintf(" %d: %s.", i+1, display(name))
	}
	scale.label = "checkpoint"
	environments := r.distinct(column.Environment)
	columns := gridColumns(len(environments))
	curves := twoRates(column.Success, column.Progress)
	var plots []*plot.Plot
	for i, env := range environments {
		subset := r.match(column.Environment, env)
		p := curvePlot(envs.PlaceTitle(env), i%columns == 0, scale)
		p.Add(f.plotter(func(s *sheet, p *plot.Plot) {
			for _, q := range curves {
				var points []curvePoint
				for i, name := range names {
					if row := subset.find(name); row >= 0 {
						points = append(points, newPoint(subset, row, q.value, float64(i),
							fmt.Sprintf("%s, %s: %s %s", env, name, q.name, subset.exact(row, q.value))))
					}
				}
				curve(s, p, points, look{q.glyph.Color.(color.NRGBA), solid(q.glyph.Color), true}, &q.glyph)
			}
		}))
		plots = append(plots, p)
	}
	panels(f, plots, columns, 118, labels{}, entries(curves))
	return nil
}

// curvePlot is an empty plot of a rate over something.
func curvePlot(title string, labelled bool, x axis) *plot.Plot {
	p := newPlot()
	setTitle(p, title)
	setAxis(&p.X, x)
	y := percentAxis("")
	if labelled {
		y.label = "%"
	} else {
		for i := range y.ticks {
			y.ticks[i].Label = " " // as high as a label
		}
	}
	setAxis(&p.Y, y)
	p.Add(plotter(func(c draw.Canvas, p *plot.Plot) {
		_, yPos := p.Transforms(&c)
		for _, t := range y.ticks {
			c.StrokeLine2(thin(grid), c.Min.X, yPos(t.Value), c.Max.X, yPos(t.Value))
		}
	}))
	return p
}

// figure lays out the curves.
func (l curveFigure) figure(f *Figure) error {
	names := l.r.models()
	last := map[string]float64{}
	environments := l.r.distinct(column.Environment)
	for _, env := range environments {
		subset := l.r.match(column.Environment, env)
		final := map[string]float64{}
		for row := range subset.Rows {
			final[subset.text(row, column.Model)], _ = subset.number(row, l.value)
		}
		for name, value := range final {
			last[name] += value
		}
	}
	looks := looks(names, last)
	if len(names) > mostBands {
		head, _, _ := strings.Cut(f.Caption, ", bands")
		f.Caption = head + ". There are too many models for bands; the numbers have the intervals."
	}
	if len(names) > mostColored {
		f.Caption += fmt.Sprintf(
			" Grey lines are the other %d models; the %d with the highest last values have colors.",
			len(names)-mostColored, mostColored)
	}
	f.width = doubleColumn
	columns := min(len(environments), 3)
	if len(environments) == 1 {
		f.width = singleColumn
	}
	var plots []*plot.Plot
	for i, env := range environments {
		subset := l.r.match(column.Environment, env)
		p := curvePlot(envs.PlaceTitle(env), i%columns == 0, l.x(subset))
		p.Add(f.plotter(func(s *sheet, p *plot.Plot) { l.draw(s, p, subset, env, names, looks) }))
		plots = append(plots, p)
	}
	panels(f, plots, columns, 130, labels{}, lineEntries(names, looks))
	return nil
}

// lineEntries are the legend: a line for each model that has a color of its own.
func lineEntries(names []string, looks map[string]look) (key []legendEntry) {
	for _, name := range names {
		if look := looks[name]; look.color != rest {
			key = append(key, legendEntry{name, func(s *sheet, x, y vg.Length) {
				s.StrokeLine2(look.line, x, y, x+legendSample, y)
			}})
		}
	}
	return key
}

// draw draws the curves of a panel, grey ones first.
func (l curveFigure) draw(s *sheet, p *plot.Plot, subset reader, env string, names []string, looks map[string]look) {
	longest := subset.reach(0, l.xColumn)
	for _, grey := range []bool{true, false} {
		for _, name := range names {
			if (looks[name].color == rest) != grey {
				continue
			}
			var points []curvePoint
			part := subset.match(column.Model, name)
			for row := range part.Rows {
				x, _ := part.number(row, l.xColumn)
				points = append(points, newPoint(part, row, l.value, x, fmt.Sprintf("%s, %s, %s %s: %s %s", env, name,
					l.xColumn.ID(), part.text(row, l.xColumn), l.name, part.exact(row, l.value))))
			}
			if n := len(points); n > 0 && l.stays && points[n-1].x < longest {
				stays := points[n-1]
				stays.x, stays.text = longest, ""
				points = append(points, stays)
			}
			var dot *draw.GlyphStyle
			if l.dots {
				dot = &draw.GlyphStyle{Color: looks[name].color, Radius: 1.6, Shape: draw.CircleGlyph{}}
			}
			curve(s, p, points, looks[name], dot)
		}
	}
}

// curvePoint is a point of a curve; low and high are NaN without an interval.
type curvePoint struct {
	x, y, low, high float64
	text            string
}

func newPoint(r reader, row int, value table.Bounded, x float64, text string) curvePoint {
	point := curvePoint{x: x, low: math.NaN(), high: math.NaN(), text: text}
	var ok bool
	if point.y, ok = r.number(row, value); !ok {
		point.y = math.NaN()
	}
	if low, ok := r.number(row, value.Low); ok {
		point.low = low
		point.high, _ = r.number(row, value.High)
	}
	return point
}

// curve draws a curve and its band, and glyphs if there is one.
func curve(s *sheet, p *plot.Plot, points []curvePoint, l look, g *draw.GlyphStyle) {
	x, y := p.Transforms(&s.Canvas)
	points = slices.DeleteFunc(points, func(q curvePoint) bool { return math.IsNaN(q.y) })
	var line, upper, lower []vg.Point
	for _, q := range points {
		line = append(line, vg.Point{X: x(q.x), Y: y(q.y)})
		if !math.IsNaN(q.low) {
			upper = append(upper, vg.Point{X: x(q.x), Y: y(q.high)})
			lower = append(lower, vg.Point{X: x(q.x), Y: y(q.low)})
		}
		if q.text != "" {
			s.markAt(x(q.x), y(q.y), 2.5, q.text)
		}
	}
	if l.band && len(upper) > 1 {
		slices.Reverse(lower)
		s.FillPolygon(faded(l.color, 0.18), append(upper, lower...))
	}
	if len(line) > 1 {
		s.StrokeLines(l.line, line)
	}
	for _, pt := range line {
		if g != nil {
			s.DrawGlyphNoClip(*g, pt)
		} else if len(line) == 1 {
			s.DrawGlyphNoClip(draw.GlyphStyle{Color: l.color, Radius: 2, Shape: draw.CircleGlyph{}}, pt)
		}
	}
}
