// Package figure draws figures from tables, by gonum/plot. A figure shows what its table says: the same names,
// marks, notes and numbers, and nothing else. Sizes and fonts suit a paper with two columns. Colors are from Okabe
// and Ito (2008), which people with deficient color vision tell apart.
package figure

import (
	_ "embed" // for the kinds
	"fmt"
	"slices"
	"strings"
	"sync"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"heldout/envs/datafile"
	"heldout/envs/spelling"
	"heldout/scoring/column"
	"heldout/scoring/report"
	"heldout/scoring/table"
)

// Figure is a figure that is ready to be written.
type Figure struct {
	Name, Title string
	Caption     string      // how to read it
	Table       table.Table // the exact numbers, and the notes

	width, height vg.Length
	draw          func(*sheet)
	marks         *[]mark // of the last drawing
}

// Kind is a kind of figure.
type Kind struct {
	Name, Title string
	Table       string // the kind of table that it is drawn from
	Caption     string // how to read it; some figures add to it
	Section     string // where the page of a report has it
	drawer
}

// drawer draws a kind.
type drawer struct {
	// Lines, if there are any, are the columns of a table of its numbers that has a column
	// for each model, with the values of Values.
	Lines  []table.Column
	Values table.Bounded

	build func(reader, *Figure) error
}

// Columns of lines of numbers that stand beside each other, by model.
var (
	taskColumns = table.Columns(column.Environment, column.TaskNo, column.Task, column.Type)
	stepColumns = table.Columns(column.Environment, column.Step)
)

// drawers draw the kinds, by name.
var drawers = map[string]drawer{
	"rates":       {build: rates},
	"differences": {build: differences},
	"tasks":       {Lines: taskColumns, Values: column.Success, build: taskMatrix},
	"progress":    {Lines: stepColumns, Values: column.Progress, build: byStep(column.Progress, "PR")},
	"success":     {Lines: stepColumns, Values: column.Success, build: byStep(column.Success, "SR")},
	"pass-at-k":   {build: byTries},
	"robustness":  {build: robustness},
	"dose":        {build: byDose},
	"families":    {build: families},
	"abilities":   {build: abilities},
	"checkpoints": {build: checkpoints},
}

//go:embed figures.yaml
var figuresText []byte

// Kinds are all kinds of figures, in the order of the page of a report. They are shared: nobody changes them.
var Kinds = sync.OnceValue(func() []Kind {
	list := datafile.Embedded[[]Kind](figuresText)()
	for i := range list {
		list[i].drawer = drawers[list[i].Name]
	}
	return list
})

// Names lists the figures.
func Names() []string { return table.Keys(Kinds(), func(k Kind) string { return k.Name }) }

// Find returns the kind of figure with that name.
func Find(name string) (Kind, error) {
	for _, k := range Kinds() {
		if k.Name == name {
			return k, nil
		}
	}
	return Kind{}, fmt.Errorf("unknown figure %q%s; there are %s", name, spelling.Hint(name, Names()),
		strings.Join(Names(), ", "))
}

// TableSource gives the tables of a kind; none if the runs have nothing for it. Checkpoints are
// models in the order of their training; none without one.
type TableSource interface {
	Tables(kind string) []table.Table
	Checkpoints() []string
}

// EmptyError says that the records have nothing for a figure.
type EmptyError struct{ Name, Reason string }

func (e *EmptyError) Error() string { return fmt.Sprintf("figure %s: %s", e.Name, e.Reason) }

// New makes a figure from the tables of runs. The error is an *EmptyError if they have nothing to show.
func New(name string, source TableSource) (Figure, error) {
	k, err := Find(name)
	if err != nil {
		return Figure{}, err
	}
	f := Figure{Name: k.Name, Title: k.Title, Caption: k.Caption, marks: new([]mark)}
	tables := source.Tables(k.Table)
	f.Table = merged(tables)
	if len(tables) > 0 && nameOf(tables[0]) != tables[0].Title {
		f.Table.Notes = append([]string{tables[0].Title + "."}, f.Table.Notes...)
	}
	if len(f.Table.Rows) == 0 {
		kind, _ := report.Find(k.Table)
		return f, &EmptyError{name, kind.Lacks}
	}
	runs := reader{Table: merged(source.Tables("rates"))}.match(column.Origin, column.FromRun)
	r := reader{f.Table, runs.distinct(column.Model), source.Checkpoints()}
	if err := k.build(r, &f); err != nil {
		return f, &EmptyError{name, err.Error()}
	}
	return f, nil
}

// tableTitle says which of several tables a line comes from.
var tableTitle = table.Words(table.Column{Key: "table", Header: "Table", Words: true})

// nameOf is what a table is called: its title, or what stands before it in the caption if the
// title is what the runs show.
func nameOf(t table.Table) string {
	if name, _, ok := strings.Cut(t.Caption, ": "+t.Title+"."); ok {
		return name
	}
	return t.Title
}

// merged returns one table. Several of them, as of environments that were swept, get
// their title as the first column; all have the same columns or they are left out.
func merged(tables []table.Table) table.Table {
	if len(tables) == 0 {
		return table.Table{}
	}
	out := tables[0]
	if len(tables) == 1 {
		return out
	}
	keys := func(t table.Table) []string {
		return table.Keys(t.Columns, func(c table.Column) string { return c.Key })
	}
	out.Columns = append(table.Columns(tableTitle), tables[0].Columns...)
	out.Rows, out.Notes = nil, nil
	for _, t := range tables {
		if !slices.Equal(keys(t), keys(tables[0])) {
			out.Notes = append(out.Notes, t.Title+": left out, because it has other columns.")
			continue
		}
		for _, row := range t.Rows {
			out.Rows = append(out.Rows, append([]table.Cell{table.String(nameOf(t))}, row...))
		}
		out.Notes = table.AppendNew(out.Notes, t.Notes...)
	}
	return out
}

// sheet is what a figure is drawn on. It collects the marks of data with texts that have their exact numbers.
type sheet struct {
	draw.Canvas
	marks *[]mark
}

// mark is the place of a number.
type mark struct {
	box  vg.Rectangle
	text string
}

// plotter returns a plotter that draws on a sheet of the figure.
func (f *Figure) plotter(draws func(*sheet, *plot.Plot)) plot.Plotter {
	return plotter(func(c draw.Canvas, p *plot.Plot) { draws(&sheet{c, f.marks}, p) })
}

// markAt notes a place around a point.
func (s *sheet) markAt(x, y, reach vg.Length, text string) {
	s.mark(x-reach, y-reach, x+reach, y+reach, text)
}

// mark notes a place.
func (s *sheet) mark(x0, y0, x1, y1 vg.Length, text string) {
	*s.marks = append(*s.marks, mark{vg.Rectangle{Min: vg.Point{X: x0, Y: y0}, Max: vg.Point{X: x1, Y: y1}}, text})
}

// reader reads the cells of a table by its columns. It is a mistake of the program to read
// a column that the table does not have.
type reader struct {
	table.Table
	order       []string // of models, the same in all figures
	checkpoints []string // models in the order of their training
}

// named is a column.
type named interface{ ID() string }

// cell returns a cell.
func (r reader) cell(row int, c named) table.Cell { return r.Rows[row][r.Pos(c.ID())] }

// text is a cell for people, without its mark.
func (r reader) text(row int, c named) string { return r.cell(row, c).Text }

// number is a cell for programs; not ok if it is empty.
func (r reader) number(row int, c named) (x float64, ok bool) {
	switch v := r.cell(row, c).Value.(type) {
	case float64:
		return v, true
	case int:
		return float64(v), true
	}
	return 0, false
}

// marked says a number with its mark.
func (r reader) marked(row int, c named) string {
	cell := r.cell(row, c)
	return cell.Text + cell.Mark
}

// exact says a number with its mark and its interval.
func (r reader) exact(row int, b table.Bounded) string {
	out := r.marked(row, b)
	if low := r.cell(row, b.Low); low.Value != nil {
		out += fmt.Sprintf(" (95%% %s to %s)", low.Text, r.text(row, b.High))
	}
	return out
}

// distinct lists the texts of a column, each once, in the order of the rows.
func (r reader) distinct(c named) []string {
	return table.Keys(r.Rows, func(row []table.Cell) string { return row[r.Pos(c.ID())].Text })
}

// models lists the models. Those of runs come first, in the order of the runs.
func (r reader) models() []string {
	names := r.distinct(column.Model)
	place := func(name string) int {
		if i := slices.Index(r.order, name); i >= 0 {
			return i
		}
		return len(r.order)
	}
	slices.SortStableFunc(names, func(a, b string) int { return place(a) - place(b) })
	return names
}

// keep returns the reader of the rows that pass.
func (r reader) keep(pass func(row int) bool) reader {
	out := r
	out.Rows = nil
	for i := range r.Rows {
		if pass(i) {
			out.Rows = append(out.Rows, r.Rows[i])
		}
	}
	return out
}

// match returns the reader of the rows with that text.
func (r reader) match(c named, text string) reader {
	return r.keep(func(row int) bool { return r.text(row, c) == text })
}

// find returns the first row of a model; -1 if there is none.
func (r reader) find(model string) int {
	return slices.IndexFunc(r.Rows, func(row []table.Cell) bool { return row[r.Pos(column.Model.ID())].Text == model })
}
