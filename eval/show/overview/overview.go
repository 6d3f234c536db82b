// Package overview shows the tables and figures of runs as sections of a page.
// Every figure has its exact numbers beside it: as titles of its marks, and as a
// table that unfolds.
package overview

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"unicode/utf8"

	"heldout/scoring/column"
	"heldout/scoring/figure"
	"heldout/scoring/report"
	"heldout/scoring/table"
)

// Section is a section of a page.
type Section struct {
	ID, Title string
	HTML      template.HTML
	// Marks counts the marks of its figures.
	Marks int
}

// plan is a section. Figures and tables say which section they are in.
type plan struct {
	id, title, intro string
	open             bool // the tables are shown at once if they are short
}

// mostOpen is the largest number of rows of a table that does not unfold.
const mostOpen = 24

// plans are the sections in order.
var plans = []plan{
	{id: "summary", title: "Summary", open: true},
	{id: "rates", title: "Rates"},
	{id: "protocols", title: "Protocols"},
	{id: "differences", title: "Differences"},
	{id: "checkpoints", title: "Training"},
	{id: "tasks", title: "Tasks", intro: "Where two rows differ, one model solves what the other does not."},
	{id: "steps", title: "Steps"},
	{id: "failures", title: "Failures"},
	{id: "refinement", title: "Errors"},
	{id: "robustness", title: "Robustness"},
	{id: "memorisation", title: "Memorisation",
		intro: "What remains of a score if the interface is said in other words."},
	{id: "tries", title: "Tries"},
	{id: "trials", title: "Trials"},
	{id: "seeds", title: "Seeds"},
	{id: "cost", title: "Cost"},
}

var (
	//go:embed overview.css
	style string
	//go:embed section.html
	sectionText string

	sectionTemplate = template.Must(template.New("section").Parse(sectionText))
)

// Style is the style of sections and of the figures in them.
func Style() template.CSS { return template.CSS(style) + figure.CSS() }

// Sections makes the sections of a report. Those without content are left out.
func Sections(from *report.Report) ([]Section, error) {
	var out []Section
	for _, p := range plans {
		s, err := newContent(p, from)
		if err != nil {
			return nil, err
		}
		if p.id == "summary" {
			s.Incomplete = incomplete(from.Runs)
			g := newGrid(runTable(from.Runs))
			g.Open = len(g.Rows) <= mostOpen
			s.Tables = append(s.Tables, g)
		}
		if s.empty() {
			continue
		}
		section, err := s.render()
		if err != nil {
			return nil, err
		}
		out = append(out, section)
	}
	return out, nil
}

// content is what the template of a section shows.
type content struct {
	ID, Title, Intro, Incomplete string
	Figures                      []drawing
	Tables                       []grid
}

// drawing is a figure on a page.
type drawing struct {
	Name, Title, Caption string
	SVG                  template.HTML
	// Marked are the notes that explain marks, and are always shown.
	Marked  []string
	Numbers grid
	marks   int
}

func (c content) empty() bool { return len(c.Figures)+len(c.Tables) == 0 }

func (c content) render() (Section, error) {
	var b bytes.Buffer
	if err := sectionTemplate.Execute(&b, c); err != nil {
		return Section{}, fmt.Errorf("section %s: %w", c.ID, err)
	}
	out := Section{ID: c.ID, Title: c.Title, HTML: template.HTML(b.String())}
	for _, f := range c.Figures {
		out.Marks += f.marks
	}
	return out, nil
}

func newContent(p plan, from *report.Report) (content, error) {
	c := content{ID: p.id, Title: p.title, Intro: p.intro}
	var drawn []string // tables that are there as the numbers of figures
	for _, k := range figure.Kinds() {
		if k.Section != p.id {
			continue
		}
		d, err := newDrawing(k, from)
		var empty *figure.EmptyError
		if errors.As(err, &empty) {
			continue
		}
		if err != nil {
			return c, err
		}
		for _, f := range c.Figures { // a section says each of them once
			d.Marked = slices.DeleteFunc(d.Marked, func(note string) bool { return slices.Contains(f.Marked, note) })
		}
		c.Figures = append(c.Figures, d)
		drawn = append(drawn, d.Numbers.ID)
	}
	for _, k := range report.In(p.id) {
		for _, t := range from.Tables(k.ID) {
			if !slices.Contains(drawn, t.ID) {
				g := newGrid(t)
				g.Open = p.open && len(g.Rows) <= mostOpen
				c.Tables = append(c.Tables, g)
			}
		}
	}
	return c, nil
}

func newDrawing(k figure.Kind, from figure.Source) (drawing, error) {
	f, err := figure.New(k.Name, from)
	if err != nil {
		return drawing{}, err
	}
	d := drawing{Name: f.Name, Title: f.Title, Caption: f.Caption}
	if d.SVG, d.marks, err = f.Inline(); err != nil {
		return drawing{}, err
	}
	numbers := f.Table
	if k.Lines != nil {
		numbers = pivot(numbers, k.Lines, k.Values)
	}
	d.Numbers = newGrid(numbers)
	d.Numbers.Title = "Numbers: " + f.Title
	for _, note := range f.Table.Notes {
		if first, _ := utf8.DecodeRuneInString(note); strings.ContainsRune("*#†‡¶§", first) {
			d.Marked = append(d.Marked, table.Printable(note))
		}
	}
	return d, nil
}

// pivot makes a table with a line for each combination of some columns and a column for
// each model. The limits of an interval stand behind the value.
func pivot(t table.Table, lines []table.Column, values table.Bounded) table.Table {
	out := table.Table{ID: t.ID, Title: t.Title, Notes: t.Notes, Columns: slices.Clone(lines)}
	place, line := map[string]int{}, map[string]int{} // of models, and of lines
	model, v := t.At(column.Model.Key), t.At(values.Key)
	low := slices.IndexFunc(t.Columns, func(c table.Column) bool { return c.Key == values.Low.Key })
	for _, row := range t.Rows {
		if name := row[model].Text; place[name] == 0 {
			place[name] = len(out.Columns)
			out.Columns = append(out.Columns, table.Column{Key: name, Header: name})
		}
	}
	for _, row := range t.Rows {
		var id strings.Builder
		for _, c := range lines {
			fmt.Fprintf(&id, "%s\n", row[t.At(c.Key)].Text)
		}
		n, ok := line[id.String()]
		if !ok {
			n = len(out.Rows)
			line[id.String()] = n
			cells := slices.Repeat([]table.Cell{table.None()}, len(out.Columns))
			for i, c := range lines {
				cells[i] = row[t.At(c.Key)]
			}
			out.Rows = append(out.Rows, cells)
		}
		cell := row[v]
		if low >= 0 && row[low].Value != nil {
			cell.Mark += fmt.Sprintf(" (%s–%s)", row[low].Text, row[t.At(values.High.Key)].Text)
		}
		out.Rows[n][place[row[model].Text]] = cell
	}
	return out
}

// runTable says what the directories hold.
func runTable(runs []report.Run) table.Table {
	t := table.Table{ID: "runs", Title: "Runs", Columns: []table.Column{
		{Key: "directory", Header: "Directory", Left: true}, {Key: "models", Header: "Models", Left: true},
		{Key: "environments", Header: "Environments", Left: true},
		{Key: "finished", Header: "Done"}, {Key: "planned", Header: "Planned"},
	}}
	for _, r := range runs {
		var models, environments []string
		finished, planned := 0, 0
		for _, s := range r.Scores {
			models, environments = append(models, s.Condition.Model), append(environments, s.Condition.Env)
			finished, planned = finished+s.Finished, planned+s.Planned
		}
		t.Rows = append(t.Rows, []table.Cell{
			table.String(r.Name), table.String(some(models)), table.String(some(environments)), table.Int(finished),
			table.Int(planned),
		})
	}
	return t
}

// some lists names, each once. Of many it lists the first.
func some(names []string) string {
	const most = 8
	var once []string
	for _, name := range names {
		if !slices.Contains(once, name) {
			once = append(once, name)
		}
	}
	if len(once) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(once[:most-1], ", "), len(once)-most+1)
	}
	return strings.Join(once, ", ")
}

// incomplete says how many planned episodes have no result; empty if all have one.
func incomplete(runs []report.Run) string {
	finished, planned := 0, 0
	for _, r := range runs {
		for _, s := range r.Scores {
			finished, planned = finished+s.Finished, planned+s.Planned
		}
	}
	if finished == planned {
		return ""
	}
	return fmt.Sprintf("Incomplete: %d of %d planned episodes have a result. Rates with the mark * cover only those.",
		finished, planned)
}
