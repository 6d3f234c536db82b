package board

import (
	_ "embed"
	"fmt"
	"html/template"
	"strings"

	"heldout/eval/show/page"
	"heldout/scoring/table"
)

var (
	//go:embed board.html
	text string
	//go:embed board.css
	style template.CSS
	//go:embed board.js
	script template.JS

	parsed = template.Must(template.New("board").Funcs(template.FuncMap{
		"rate": rate, "rank": rank, "data": data, "join": strings.Join, "size": size, "number": number,
		"shown": page.Shown,
	}).Parse(text))
)

// page makes the first page.
func (b *Board) page() page.Page {
	body := page.Fragment(parsed, "board", struct {
		*Board
		Published []page.Grid
	}{b, b.publishedTables()})
	return page.Page{Title: "Board",
		Lead: fmt.Sprintf("Results that heldout %s has played again from their replies, %s.", b.Version, b.Date),
		Body: []template.HTML{body}, Styles: []template.CSS{style}, Scripts: []template.JS{script}, Class: "board"}
}

// publishedTables are the published results, success rates in percent as printed.
func (b *Board) publishedTables() (out []page.Grid) {
	for _, from := range b.published {
		t := table.Table{Title: fmt.Sprintf("%s (%s)", from.Table.Title, from.Name),
			Columns: []table.Column{{Header: "Model", Words: true}}}
		for _, name := range from.Table.Columns {
			t.Columns = append(t.Columns, table.Column{Header: name})
		}
		for _, r := range from.Table.Rows {
			cells := []table.Cell{table.String(r.Model)}
			for i := range from.Table.Columns {
				cell := table.None()
				if i < len(r.Success) {
					cell.Text = number(r.Success[i])
				}
				cells = append(cells, cell)
			}
			t.Rows = append(t.Rows, cells)
		}
		out = append(out, page.NewGrid(t))
	}
	return out
}

// rate is a rate with its limits.
func rate(r Rate) string {
	if r.Low == nil {
		return fmt.Sprintf("%.1f", r.Mean)
	}
	return fmt.Sprintf("%.1f [%.0f–%.0f]", r.Mean, *r.Low, *r.High)
}

// rank is the range of ranks of a row.
func rank(r ModelRow) string {
	switch {
	case r.Best == 0:
		return "–"
	case r.Best == r.Worst:
		return fmt.Sprint(r.Best)
	}
	return fmt.Sprintf("%d–%d", r.Best, r.Worst)
}

// data says what is declared of training data.
func data(names []string) string {
	switch {
	case names == nil:
		return "not declared"
	case len(names) == 0:
		return "none"
	}
	return strings.Join(names, ", ")
}

// size is a number of parameters in billions.
func size(billions float64) string {
	if billions == 0 {
		return "–"
	}
	return fmt.Sprintf("%gB", billions)
}

// number is a mean of a row, a dash without one.
func number(v *float64) string {
	if v == nil {
		return "–"
	}
	return fmt.Sprintf("%.1f", *v)
}
