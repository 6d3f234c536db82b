package figure

import (
	"fmt"
	"image/color"
	"strings"

	"golang.org/x/image/font"
	"gonum.org/v1/plot"
	plotfont "gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"heldout/scoring/table"
)

// The sizes of a paper with two columns, in points: widths of figures, and fonts that are as large as captions.
const (
	doubleColumn = vg.Length(504)
	singleColumn = vg.Length(246)
	small        = vg.Length(6.5)
	normal       = vg.Length(7.5)
)

// The colors of everything that is not data.
var (
	paper = color.NRGBA{0xff, 0xff, 0xff, 0xff}
	ink   = color.NRGBA{0x1b, 0x1f, 0x24, 0xff}
	soft  = color.NRGBA{0x59, 0x63, 0x6e, 0xff}
	grid  = color.NRGBA{0xe2, 0xe6, 0xea, 0xff}
	rest  = color.NRGBA{0xa9, 0xb1, 0xba, 0xff}
)

// colors are the colors of data, in the order of use.
var colors = []color.NRGBA{
	{0x00, 0x72, 0xb2, 0xff}, {0xd5, 0x5e, 0x00, 0xff}, {0x00, 0x9e, 0x73, 0xff}, {0xcc, 0x79, 0xa7, 0xff},
	{0xb5, 0x89, 0x00, 0xff}, {0x56, 0xb4, 0xe9, 0xff}, {0x00, 0x00, 0x00, 0xff},
}

// dashes tell lines apart without color.
var dashes = [][]vg.Length{nil, {4, 2}, {1.2, 1.6}, {6, 1.5, 1.2, 1.5}, {2.5, 1.5}, {8, 2}, {3, 1, 1, 1, 1, 1}}

// roles names the colors, for pages that have other ones in the dark.
func roles() map[color.NRGBA]string {
	out := map[color.NRGBA]string{paper: "paper", ink: "ink", soft: "soft", grid: "grid", rest: "rest"}
	for i, c := range colors {
		out[c] = fmt.Sprintf("c%d", i)
	}
	return out
}

// faded is a color that lets through what is below it.
func faded(c color.NRGBA, opacity float64) color.NRGBA {
	c.A = uint8(opacity*0xff + 0.5)
	return c
}

func thin(c color.Color) draw.LineStyle  { return draw.LineStyle{Color: c, Width: 0.5} }
func solid(c color.Color) draw.LineStyle { return draw.LineStyle{Color: c, Width: 1.1} }

// style is a style of text.
func style(size vg.Length, c color.Color, x text.XAlignment, y text.YAlignment) text.Style {
	return text.Style{
		Color: c, Font: plotfont.Font{Typeface: "Liberation", Variant: "Sans", Size: size},
		XAlign: x, YAlign: y, Handler: plot.DefaultTextHandler,
	}
}

// bold returns the style in bold.
func bold(s text.Style) text.Style {
	s.Font.Weight = font.WeightBold
	return s
}

// printable makes a text that fits into a width of a style. What is left out of a
// long name is its middle, because the ends of names differ.
func printable(s string, st text.Style, width vg.Length) string {
	s = display(s)
	if st.Width(s) <= width {
		return s
	}
	runes := []rune(s)
	for n := len(runes) - 1; n > 2; n-- {
		tail := n * 3 / 5
		if short := string(runes[:n-tail]) + "…" + string(runes[len(runes)-tail:]); st.Width(short) <= width {
			return short
		}
	}
	return "…"
}

// display makes a text of any length safe to show: no figure can show a longer one anyway.
func display(s string) string {
	return table.Printable(table.Abridged(strings.ToValidUTF8(s, "\ufffd"), longestText))
}

// longestText is the largest number of bytes of a text in a figure.
const longestText = 200

// newPlot returns a plot without a frame, in our fonts.
func newPlot() *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	p.Title.TextStyle = bold(style(normal, ink, draw.XCenter, draw.YTop))
	p.Title.Padding = 3
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Padding = 0
		a.LineStyle = thin(rest)
		a.Tick.LineStyle = thin(rest)
		a.Tick.Length = 2
	}
	p.X.Tick.Label = style(small, soft, draw.XCenter, draw.YTop)
	p.Y.Tick.Label = style(small, soft, draw.XRight, draw.YCenter)
	p.X.Label.TextStyle = style(small, soft, draw.XCenter, draw.YBottom)
	p.Y.Label.TextStyle = style(small, soft, draw.XCenter, draw.YBottom)
	p.X.Label.Padding, p.Y.Label.Padding = 1.5, 1.5
	return p
}

// plotter is a function that draws data.
type plotter func(draw.Canvas, *plot.Plot)

// Plot implements plot.Plotter.
func (f plotter) Plot(c draw.Canvas, p *plot.Plot) { f(c, p) }
