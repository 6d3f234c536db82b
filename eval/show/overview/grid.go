package overview

import (
	"cmp"

	"heldout/scoring/table"
)

// grid is a table of a page. All texts are printable.
type grid struct {
	ID, Title string
	Heads     []gridCell
	Rows      [][]gridCell
	Notes     []string
}

type gridCell struct {
	Text string
	Left bool
}

// longestCell is the largest number of bytes of a text in a table.
const longestCell = 400

func newGrid(t table.Table) grid {
	g := grid{ID: t.ID, Title: shown(t.Title)}
	for _, c := range t.Columns {
		g.Heads = append(g.Heads, gridCell{shown(cmp.Or(c.Header, c.Key)), c.Left})
	}
	for _, row := range t.Rows {
		var cells []gridCell
		for i, c := range row {
			cells = append(cells, gridCell{shown(c.Text + c.Mark), t.Columns[i].Left})
		}
		g.Rows = append(g.Rows, cells)
	}
	g.Notes = printable(t.Notes)
	return g
}

// printable makes notes printable, whole as they are.
func printable(notes []string) (out []string) {
	for _, n := range notes {
		out = append(out, table.Printable(n))
	}
	return out
}

// shown makes a text printable and not too long.
func shown(s string) string { return table.Printable(table.Shortened(s, longestCell)) }
