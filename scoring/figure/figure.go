// Package figure draws figures from tables, by gonum/plot. A figure shows what
// its table says: the same names, marks, notes and numbers, and nothing else.
// Sizes and fonts are those of a paper with two columns. Colors are those of Okabe
// and Ito (2008), which people with deficient color vision tell apart.
package figure

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"heldout/scoring/report"
	"heldout/scoring/table"
)

// Figure is a figure that is ready to be written.
type Figure struct {
	Name, Title string
	// Caption says how to read it.
	Caption string
	// Table has the exact numbers, and the notes.
	Table table.Table

	width, height vg.Length
	draw          func(*sheet)
	marks         *[]mark // of the last drawing
}

// Kind is a kind of figure.
type Kind struct {
	Name, Title string
	// Table is the kind of table that it is drawn from.
	Table string
	// Caption says how to read it; some figures add to it.
	Caption string
	// Section is where the page of a report has it.
	Section string

	build func(reader, *Figure) error
}

// decided says how figures of differences show which of them are significant. Intervals
// are not corrected for their number, so they do not.
const decided = "Filled dots are significant: p is below 0.05, corrected if there are several comparisons (Holm). Hollow dots are not, even where the line, which is not corrected, leaves 0 out."

// kinds are all kinds in the order of the report.
var kinds = []Kind{
	{"held-out", "Held-out score", "rates", "Dots are rates, lines their 95% intervals. Hollow dots are published results, which have none.", "rates", heldOut},
	{"rates", "Rates by environment", "rates", "Dots are rates, lines their 95% intervals. Hollow dots are published results, which have none.", "rates", rates},
	{"differences", "Differences, paired by task", "paired", "Dots are differences in percentage points, lines their 95% intervals. " + decided, "differences", differences},
	{"tasks", "Success by task", "tasks", "A column is a task, in benchmark order; the darker, the more of its episodes were solved. Empty boxes are 0, gaps are tasks without a result.", "tasks", taskMatrix("success", "SR")},
	{"tasks-progress", "Progress by task", "tasks", "A column is a task, in benchmark order; the darker, the more progress. Empty boxes are 0, gaps are tasks without a result.", "tasks", taskMatrix("progress", "PR")},
	{"progress", "Progress by step", "steps", "Lines are means over tasks, bands their 95% intervals.", "steps", byStep("progress", "PR")},
	{"success", "Steps to success", "steps", "Lines are the shares of episodes that were solved by a step, bands their 95% intervals.", "steps", byStep("success", "SR")},
	{"pass-at-k", "Solved by one of k tries", "pass-at-k", "Lines are the shares of tasks that one of k tries solves, bands their 95% intervals. Single dots are published. An oracle chooses the try.", "tries", byTries("pass", "pass@k")},
	{"best-at-k", "Best progress of k tries", "pass-at-k", "Lines are the best progress of k tries, bands its 95% intervals. Single dots are published. An oracle chooses the try.", "tries", byTries("best_progress", "best PR")},
	{"tokens", "Completion tokens per episode", "usage", "Dots are medians, lines reach from the 10 % to the 90 % quantile of the episodes, bars are means.", "cost", usage("completion tokens")},
	{"time", "Time of the model per episode", "usage", "Dots are medians, lines reach from the 10 % to the 90 % quantile of the episodes, bars are means. Seconds of answered requests.", "cost", usage("model seconds")},
	{"robustness", "Robustness", "robustness", "A dot is a condition, the ring is the condition without perturbation. The shorter the line, the more stable the model.", "robustness", robustness},
	{"dose", "Success by number of combined families", "dose", "Lines are success rates over the number of families of perturbations that are combined, bands their 95% intervals. 0 is without a perturbation.", "memorisation", byDose("SR")},
	{"dose-progress", "Progress by number of combined families", "dose", "Lines are progress rates over the number of families of perturbations that are combined, bands their 95% intervals. 0 is without a perturbation.", "memorisation", byDose("PR")},
	{"families", "Change by family of perturbations", "families", "Dots are changes from the tasks without a perturbation in percentage points, lines their 95% intervals. The number behind a family is its grade. " + decided, "memorisation", families},
	{"seeds", "Spread over seeds", "seeds", "Dots are the rates of single seeds, bars their means.", "seeds", seeds},
	{"endings", "How episodes ended", "endings", "Shares of the planned episodes. Hatched and grey parts have no result and are no failures.", "failures", endings},
	{"failures", "Steps of unsolved episodes", "lost-steps", "What the steps of unsolved episodes were.", "failures", failures},
	{"checkpoints", "Checkpoints in order", "checkpoints", "Dots are rates, bands their 95% intervals.", "checkpoints", checkpoints},
	{"refinement", "What models do with their errors", "refinement-measures", "Dots are measures, lines their 95% intervals. Format errors, invalid actions and loops: shares of the steps. Repeated: errors that were already answered as errors; recovered: followed by a different valid action within 3 steps; progress: followed by progress within 5. Stuck: steps of unsolved episodes after their last progress.", "refinement", refinement},
}

// Names lists the figures.
func Names() (names []string) {
	for _, k := range kinds {
		names = append(names, k.Name)
	}
	return names
}

// Kinds are all kinds of figures, in the order of the page of a report.
func Kinds() []Kind { return kinds }

// Find returns the kind of figure with that name.
func Find(name string) (Kind, error) {
	for _, k := range kinds {
		if k.Name == name {
			return k, nil
		}
	}
	return Kind{}, fmt.Errorf("unknown figure %q; there are %s", name, strings.Join(Names(), ", "))
}

// Source gives the tables of a kind; none if the runs have nothing for it.
type Source interface {
	Tables(kind string) []table.Table
}

// EmptyError says that the records have nothing for a figure.
type EmptyError struct{ Name, Why string }

func (e *EmptyError) Error() string { return fmt.Sprintf("figure %s: %s", e.Name, e.Why) }

// New makes a figure from the tables of runs. The error is an *EmptyError if they
// have nothing to show.
func New(name string, from Source) (Figure, error) {
	k, err := Find(name)
	if err != nil {
		return Figure{}, err
	}
	f := Figure{Name: k.Name, Title: k.Title, Caption: k.Caption, marks: new([]mark)}
	f.Table = merged(from.Tables(k.Table))
	if len(f.Table.Rows) == 0 {
		of, _ := report.Find(k.Table)
		return f, &EmptyError{name, of.Lacks}
	}
	r := newReader(f.Table)
	r.order = newReader(merged(from.Tables("rates"))).is("from", "run").distinct("model")
	if err := k.build(r, &f); err != nil {
		return f, &EmptyError{name, err.Error()}
	}
	return f, nil
}

// merged returns one table. Several of them, as of environments that were swept, get
// their title as the first column; all have the same columns or they are left out.
func merged(of []table.Table) table.Table {
	if len(of) == 0 {
		return table.Table{}
	}
	out := of[0]
	if len(of) == 1 {
		return out
	}
	keys := func(t table.Table) (keys []string) {
		for _, c := range t.Columns {
			keys = append(keys, c.Key)
		}
		return keys
	}
	out.Columns = append([]table.Column{{Key: "table", Header: "Table", Left: true}}, of[0].Columns...)
	out.Rows, out.Notes = nil, nil
	for _, t := range of {
		if !slices.Equal(keys(t), keys(of[0])) {
			out.Notes = append(out.Notes, t.Title+": left out, because it has other columns.")
			continue
		}
		for _, row := range t.Rows {
			out.Rows = append(out.Rows, append([]table.Cell{table.String(t.Title)}, row...))
		}
		for _, note := range t.Notes {
			if !slices.Contains(out.Notes, note) {
				out.Notes = append(out.Notes, note)
			}
		}
	}
	return out
}

// sheet is what a figure is drawn on. It collects the marks of data with texts that
// have their exact numbers.
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

// reader reads the cells of a table by the keys of its columns.
type reader struct {
	table.Table
	column map[string]int
	order  []string // of models, the same in all figures
}

func newReader(t table.Table) reader {
	r := reader{Table: t, column: map[string]int{}}
	for i, c := range t.Columns {
		r.column[c.Key] = i
	}
	return r
}

// cell returns a cell; an empty one if there is no such column.
func (r reader) cell(row int, key string) table.Cell {
	if i, ok := r.column[key]; ok {
		return r.Rows[row][i]
	}
	return table.None()
}

// text is a cell for people, without its mark.
func (r reader) text(row int, key string) string { return r.cell(row, key).Text }

// number is a cell for programs; not ok if it is empty or has words.
func (r reader) number(row int, key string) (x float64, ok bool) {
	switch v := r.cell(row, key).Value.(type) {
	case float64:
		return v, true
	case int:
		return float64(v), true
	}
	return 0, false
}

// exact says a number with its mark and its interval.
func (r reader) exact(row int, key string) string {
	c := r.cell(row, key)
	out := c.Text + c.Mark
	if low := r.cell(row, key+"_low"); low.Value != nil {
		out += fmt.Sprintf(" (95%% %s to %s)", low.Text, r.text(row, key+"_high"))
	}
	if p := r.cell(row, key+"_p"); p.Value != nil {
		out += ", p " + p.Text
	}
	return out
}

// hollow reports whether a number has a hollow dot: one that was published, or a
// difference that is not significant.
func (r reader) hollow(row int, key string) bool {
	if _, decides := r.column[key+"_p"]; decides {
		p, ok := r.number(row, key+"_p")
		return !ok || p >= 0.05
	}
	return r.text(row, "from") == "published"
}

// distinct lists the texts of a column, each once, in the order of the rows.
func (r reader) distinct(key string) (out []string) {
	seen := map[string]bool{}
	for i := range r.Rows {
		if text := r.text(i, key); !seen[text] {
			seen[text] = true
			out = append(out, text)
		}
	}
	return out
}

// models lists the models. Those of runs come first, in the order of the runs.
func (r reader) models() []string {
	names := r.distinct("model")
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

// is returns the reader of the rows with that text.
func (r reader) is(key, text string) reader {
	return r.keep(func(row int) bool { return r.text(row, key) == text })
}
