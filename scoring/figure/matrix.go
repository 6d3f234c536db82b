package figure

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"heldout/envs"
	"heldout/scoring/column"
	"heldout/scoring/table"
)

// mostColumns is the largest number of tasks that have a column each. Above it a
// column is the mean of several tasks in a row.
const mostColumns = 300

// taskMatrix has a panel for each environment, one below the other: models by tasks.
func taskMatrix(r reader, f *Figure) error {
	f.width = doubleColumn
	var plots []*plot.Plot
	var heights []vg.Length
	var names []labels
	for _, env := range r.distinct(column.Environment) {
		subset := r.match(column.Environment, env)
		m := newMatrix(subset)
		m.marked = len(r.Rows) <= mostMarks
		plots = append(plots, m.plot(f, envs.PlaceTitle(env)))
		names = append(names, newLabels(m.models))
		heights = append(heights, titleHeight+vg.Length(len(m.models))*matrixRow(len(m.models)))
		if m.tasks > mostColumns {
			f.Table.Notes = append(f.Table.Notes,
				fmt.Sprintf("In the figure, a column of %s is the mean of up to %d neighboring tasks.", env,
					m.perColumn))
		}
	}
	stack(f, plots, heights, names)
	return nil
}

// leastColumns is the number of columns that a panel has room for, at least: few tasks do not become wide.
const leastColumns = 20

// matrixRow is the height of a row: many rows are lower.
func matrixRow(models int) vg.Length {
	if models > 12 {
		return 8.5
	}
	return rowHeight
}

// matrix is what is known of tasks and models.
type matrix struct {
	models           []string
	tasks, perColumn int
	cells            [][]matrixCell // by model and column
	marked           bool           // cells have marks
	types            []string       // of the columns
}

type matrixCell struct {
	sum  float64
	n    int
	text string
}

func newMatrix(r reader) matrix {
	task := func(row int) string { return r.text(row, column.TaskNo) + " " + r.text(row, column.Task) }
	place := map[string]int{}
	var rows []int // the first row of each task
	for row := range r.Rows {
		if _, placed := place[task(row)]; !placed {
			rows = append(rows, row)
			place[task(row)] = 0
		}
	}
	slices.SortStableFunc(rows, func(a, b int) int {
		x, _ := r.number(a, column.TaskNo)
		y, _ := r.number(b, column.TaskNo)
		return int(x) - int(y)
	})
	m := matrix{models: r.models(), tasks: len(rows), perColumn: (len(rows) + mostColumns - 1) / mostColumns}
	for i, row := range rows {
		place[task(row)] = i / m.perColumn
		if i%m.perColumn == 0 {
			m.types = append(m.types, r.text(row, column.Type))
		}
	}
	index := map[string]int{}
	for i, model := range m.models {
		index[model] = i
		m.cells = append(m.cells, make([]matrixCell, len(m.types)))
	}
	for row := range r.Rows {
		value, ok := r.number(row, column.Success)
		if !ok {
			continue
		}
		c := &m.cells[index[r.text(row, column.Model)]][place[task(row)]]
		c.sum += value
		c.n++
		c.text = fmt.Sprintf("%s, task %s, %s: SR %s of %s episodes", r.text(row, column.Model),
			r.text(row, column.TaskNo), r.text(row, column.Task), r.marked(row, column.Success),
			r.text(row, column.Episodes))
		if c.n > 1 {
			c.text = fmt.Sprintf("%s, tasks up to %s: SR %.1f, mean of %d tasks", r.text(row, column.Model),
				r.text(row, column.TaskNo), 100*c.sum/float64(c.n), c.n)
		}
	}
	return m
}

// plot is the panel of an environment.
func (m matrix) plot(f *Figure, env string) *plot.Plot {
	p := newPlot()
	setTitle(p, env)
	n := len(m.models)
	p.X.Min, p.X.Max, p.X.Label.Text = 0, float64(max(leastColumns, len(m.types))), table.Counted(m.tasks, "task")
	p.X.Tick.Marker = m.typeTicks()
	p.Y.Min, p.Y.Max = -0.5, float64(n)-0.5
	p.X.LineStyle.Width, p.X.Tick.Length = 0, 2
	p.HideY()
	p.Add(f.plotter(m.draw))
	return p
}

// typeTicks are at the places where the type of tasks changes.
func (m matrix) typeTicks() (ticks plot.ConstantTicks) {
	for i := range m.types {
		if i == 0 || m.types[i] != m.types[i-1] {
			ticks = append(ticks, plot.Tick{Value: float64(i)})
		}
	}
	const limit = 40 // more of them say nothing
	if len(ticks) > limit || len(ticks) < 2 {
		return plot.ConstantTicks{}
	}
	return ticks
}

// mostMarks is the largest number of cells of a figure that have a mark each; more of them make a page slow.
const mostMarks = 5000

func (m matrix) draw(s *sheet, p *plot.Plot) {
	x, y := p.Transforms(&s.Canvas)
	half := (y(1) - y(0)) / 2 * 0.84
	if len(m.models) == 1 {
		half = rowHeight / 2 * 0.84
	}
	gap := min(0.4, (x(1)-x(0))*0.12)
	for i, cells := range m.cells {
		center := y(float64(len(m.models) - 1 - i))
		box(s, grid, x(0)+gap, center-half, x(float64(len(cells)))-gap, center+half)
		for j, cell := range cells {
			if j > 0 {
				box(s, paper, x(float64(j))-gap, center-half, x(float64(j))+gap, center+half)
			}
			if cell.n == 0 {
				box(s, paper, x(float64(j)), center-half, x(float64(j+1)), center+half)
				continue
			}
			x0, x1 := x(float64(j))+gap, x(float64(j+1))-gap
			if value := cell.sum / float64(cell.n); value > 0 {
				box(s, faded(colors[0], 0.12+0.88*value), x0, center-half, x1, center+half)
			}
			if m.marked {
				s.mark(x0, center-half, x1, center+half, cell.text)
			}
		}
	}
}

// stack lays out plots one below the other, each with its own height, their data aligned.
func stack(f *Figure, plots []*plot.Plot, heights []vg.Length, names []labels) {
	for _, h := range heights {
		f.height += h
	}
	f.draw = func(s *sheet) {
		widest := vg.Length(0)
		for _, l := range names {
			widest = max(widest, l.width)
		}
		top := s.Max.Y
		for i, p := range plots {
			place := draw.Crop(s.Canvas, edge+widest, -6, 0, 0)
			place.Max.Y, place.Min.Y = top-2, top-heights[i]+5
			names[i].draw(s, p, place)
			p.Draw(place)
			top -= heights[i]
		}
	}
}
