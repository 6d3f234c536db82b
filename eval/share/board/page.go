package board

import (
	_ "embed"
	"fmt"
	"html/template"
	"slices"
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
		"data": data, "shown": page.CellText,
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

// Matrix has a row for each model and a column for each place, with success rates in percent; nil with one of either.
func (b *Board) Matrix() *page.Grid {
	g := page.Grid{Title: "Success rates by environment, %", Class: "matrix", Cards: true,
		Heads: []page.GridCell{{Text: "Model", Class: "left"}}}
	if len(b.Places) < 2 {
		return nil
	}
	_, kind, _ := strings.Cut(b.Places[0].Title, ", ") // such as official tasks; a note says it where all have it
	kind = ", " + kind
	if slices.ContainsFunc(b.Places, func(p Ranking) bool { return !strings.HasSuffix(p.Title, kind) }) {
		kind = ""
	} else {
		g.Notes = []string{"Of " + page.CellText(kind[2:]) + "."}
	}
	lines := map[string]int{}
	for i, p := range b.Places {
		g.Heads = append(g.Heads, page.GridCell{Text: page.CellText(strings.TrimSuffix(p.Title, kind))})
		for _, r := range p.Rows {
			n, ok := lines[r.id()]
			if !ok {
				n = len(g.Rows)
				lines[r.id()] = n
				row := make([]page.GridCell, 1+len(b.Places))
				row[0] = page.GridCell{Text: page.CellText(r.Model), Class: "left", Href: r.Page(), Head: true}
				if !r.Checked {
					row[0].Lines = []string{"not proven"}
				}
				g.Rows = append(g.Rows, row)
			}
			c := page.GridCell{Text: fmt.Sprintf("%.1f", r.Success.Mean), Bar: fmt.Sprintf("%.1f", r.Success.Mean)}
			if r.Success.Low != nil {
				c.Lines = []string{fmt.Sprintf("%.0f–%.0f", *r.Success.Low, *r.Success.High)}
			}
			g.Rows[n][1+i] = c
		}
	}
	if len(g.Rows) < 2 {
		return nil
	}
	return &g
}

// publishedTables are the published results, success rates in percent as printed.
func (b *Board) publishedTables() (out []page.Grid) {
	for _, source := range b.published {
		t := table.Table{Title: fmt.Sprintf("%s (%s)", source.Table.Title, source.Name),
			Columns: []table.Column{{Header: "Model", Words: true}}}
		for _, name := range source.Table.Columns {
			t.Columns = append(t.Columns, table.Column{Header: name})
		}
		for _, r := range source.Table.Rows {
			cells := []table.Cell{table.String(r.Model)}
			for i := range source.Table.Columns {
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

// column is any column of a table but the first and the last.
type column struct {
	Head string
	Left bool
	cell func(ModelRow) string // empty if nothing is known
}

// Cell is what a row says in the column.
func (c column) Cell(r ModelRow) string { return c.cell(r) }

var columns = []column{
	{"Rank", false, rank},
	{"Success, %", false, func(r ModelRow) string { return rate(r.Success) }},
	{"Progress, %", false, func(r ModelRow) string { return rate(r.Progress) }},
	{"Perturbed, %", false, func(r ModelRow) string {
		if r.Perturbed == nil {
			return ""
		}
		return fmt.Sprintf("%.1f (%d)", *r.Perturbed, r.Perturbations)
	}},
	{"Tasks", false, func(r ModelRow) string { return fmt.Sprint(r.Tasks) }},
	{"Seeds", false, func(r ModelRow) string { return fmt.Sprint(r.Seeds) }},
	{"Tokens", false, func(r ModelRow) string { return fmt.Sprintf("%.0f", r.Tokens) }},
	{"Size", false, func(r ModelRow) string {
		if r.About.Parameters == 0 {
			return ""
		}
		return fmt.Sprintf("%gB", r.About.Parameters)
	}},
	{"Base", true, func(r ModelRow) string { return r.About.Base }},
	{"Training data", true, func(r ModelRow) string {
		if r.About.TrainingData == nil {
			return ""
		}
		return data(r.About.TrainingData)
	}},
	{"By", true, func(r ModelRow) string { return r.Who }},
}

// place is a table of the page.
type place struct {
	Title, Head, NoRanks string
	Lines                []line
}

// line is a row under its name: the model's, or the place's in a table of one model.
type line struct {
	Name string
	ModelRow
}

// Columns are those in which a row says something.
func (p place) Columns() []column {
	return slices.DeleteFunc(slices.Clone(columns), func(c column) bool {
		return !slices.ContainsFunc(p.Lines, func(l line) bool { return c.cell(l.ModelRow) != "" })
	})
}

// Tables has a table for each place. A model that is alone has one table of all places.
func (b *Board) Tables() (out []place) {
	alone := place{Head: "Environment"}
	for _, ranking := range b.Places {
		p := place{Title: ranking.Title, Head: "Model", NoRanks: ranking.NoRanks}
		for _, r := range ranking.Rows {
			p.Lines = append(p.Lines, line{r.Model, r})
			alone.Title = r.Model
			alone.Lines = append(alone.Lines, line{ranking.Title, r})
		}
		out = append(out, p)
	}
	for _, l := range alone.Lines {
		if l.Model != alone.Title || len(alone.Lines) != len(b.Places) {
			return out
		}
	}
	return []place{alone}
}

// rate is a rate with its limits.
func rate(r Rate) string {
	if r.Low == nil {
		return fmt.Sprintf("%.1f", r.Mean)
	}
	return fmt.Sprintf("%.1f [%.0f–%.0f]", r.Mean, *r.Low, *r.High)
}

// rank is the range of ranks of a row; empty without ranks.
func rank(r ModelRow) string {
	switch {
	case r.Best == 0:
		return ""
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

// number is a mean of a row, a dash without one.
func number(v *float64) string {
	if v == nil {
		return "–"
	}
	return fmt.Sprintf("%.1f", *v)
}
