package figure

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"heldout/scoring/column"
)

// part is a part of a stacked bar.
type part struct {
	column  named
	name    string
	color   color.NRGBA
	hatched bool
}

// endings has a panel for each environment: what became of the planned episodes.
func endings(r reader, f *Figure) error {
	return stacked(r, f, []part{
		{column.SolvedEpisodes, "solved", colors[2], false},
		{column.EndedEarly, "ended early", colors[4], false},
		{column.StepLimit, "step limit", colors[1], false},
		{column.ContextExceeded, "context exceeded", colors[3], true},
		{column.ModelError, "model error", colors[0], true},
		{column.EnvError, "environment error", colors[6], true},
		{column.NotRun, "not run", rest, false},
	}, func(r reader, row int) float64 {
		planned, _ := r.number(row, column.Planned)
		return planned
	}, func(r reader, row int, c named) string {
		return r.text(row, c) + " of " + r.text(row, column.Planned) + " episodes"
	})
}

// failures has a panel for each environment: what the steps of unsolved episodes
// were.
func failures(r reader, f *Figure) error {
	return stacked(r, f, []part{
		{column.CutOff, "cut-off reply", colors[6], false},
		{column.Format, "format error", colors[3], false},
		{column.Invalid, "invalid action", colors[1], false},
		{column.Loops, "loop", colors[4], false},
		{column.Other, "other valid action", colors[5], false},
	}, func(reader, int) float64 { return 1 }, func(r reader, row int, c named) string {
		cell := r.cell(row, c)
		return cell.Text + " %" + cell.Mark + " of " + r.text(row, column.Lost) + " steps"
	})
}

// stacked has a panel for each environment with a bar for each model. A row's parts are
// of its whole, and say says them. Parts that no bar has are left out of the legend.
func stacked(r reader, f *Figure, parts []part,
	whole func(r reader, row int) float64, say func(r reader, row int, c named) string) error {
	names := r.models()
	var out []rowPanel
	for _, env := range r.distinct(column.Environment) {
		of := r.is(column.Environment, env)
		out = append(out, rowPanel{env, percentAxis("%"),
			func(s *sheet, i int, x func(float64) vg.Length, y vg.Length) {
				row := of.find(names[i])
				if row < 0 {
					return
				}
				sum := 0.0
				for _, p := range parts {
					value, _ := of.number(row, p.column)
					if value == 0 {
						continue
					}
					from, to := sum/whole(of, row), (sum+value)/whole(of, row)
					p.fill(s, x(from), y-3.6, x(to), y+3.6)
					s.mark(x(from), y-3.6, x(to), y+3.6,
						fmt.Sprintf("%s, %s: %s: %s", env, names[i], p.name, say(of, row, p.column)))
					sum += value
				}
			}, false})
	}
	var key []entry
	for _, p := range parts {
		if r.reach(0, p.column) > 0 {
			key = append(key, boxEntry(p.name, p.fill))
		}
	}
	return rowFigure(f, names, out, key)
}

// fill draws the part in a box.
func (p part) fill(s *sheet, x0, y0, x1, y1 vg.Length) {
	if !p.hatched {
		box(s, p.color, x0, y0, x1, y1)
		return
	}
	box(s, faded(p.color, 0.25), x0, y0, x1, y1)
	line := draw.LineStyle{Color: p.color, Width: 0.7}
	height := y1 - y0
	for x := x0 - height; x < x1; x += 2.5 {
		from, to := max(x, x0), min(x+height, x1)
		if from < to {
			s.StrokeLine2(line, from, y0+from-x, to, y0+to-x)
		}
	}
}
