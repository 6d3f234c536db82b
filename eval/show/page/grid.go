package page

import (
	"bytes"
	"cmp"
	_ "embed"
	"html/template"

	"heldout/scoring/table"
)

// Grid is a table of a page. All texts are printable.
type Grid struct {
	ID, Title, Class string
	Heads            []GridCell
	Rows             [][]GridCell
	Notes            []string
	// Cards says that a narrow window shows the rows below each other, with the heads beside their cells.
	Cards bool
}

// GridCell is a cell, or the head of a column.
type GridCell struct {
	Text, Class string
	Href        string // the address that the text leads to; empty for none
	Choice      string // the value of a box before the text, which forms send as "run"; empty for none
	// Lines stand below the text, and above them a bar of that width in percent; empty for none.
	Lines []string
	Bar   string
	Span  int // how many columns the cell takes; 0 for one
	// Head says that the cell names its row, Sorted in which direction the rows are sorted by a column.
	Head   bool
	Sorted string
}

var (
	//go:embed grid.html
	gridText     string
	gridTemplate = template.Must(template.New("grid").Parse(gridText))
)

// longestCell is the largest number of bytes of a text in a table.
const longestCell = 400

// NewGrid makes a table ready for a page.
func NewGrid(t table.Table) Grid {
	g := Grid{ID: t.ID, Title: table.Printable(t.Title), Notes: table.Each(t.Notes, table.Printable)}
	classes := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		if c.Words {
			classes[i] = "left"
		}
		g.Heads = append(g.Heads, GridCell{Text: CellText(cmp.Or(c.Header, c.Key)), Class: classes[i]})
	}
	for _, row := range t.Rows {
		var cells []GridCell
		for i, c := range row {
			cells = append(cells, GridCell{Text: CellText(c.Text + c.Mark), Class: classes[i]})
		}
		g.Rows = append(g.Rows, cells)
	}
	return g
}

// mostRows is the largest number of rows of a table that is not in a box of its own height.
const mostRows = 100

// Long reports that the rows scroll in a box.
func (g Grid) Long() bool { return len(g.Rows) > mostRows }

// HTML is the table. An error, which no data can cause, shows in the page.
func (g Grid) HTML() template.HTML { return Fragment(gridTemplate, "grid", g) }

// Fragment renders a template that fits its data, which tests show; an error shows in the page.
func Fragment(t *template.Template, name string, data any) template.HTML {
	var b bytes.Buffer
	if err := t.ExecuteTemplate(inert{&b}, name, data); err != nil {
		return template.HTML("<p>" + template.HTMLEscapeString(err.Error()) + "</p>")
	}
	return template.HTML(b.String())
}

// CellText makes a text printable and not too long.
func CellText(s string) string { return table.Printable(table.Shortened(s, longestCell)) }
