package figure

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// part is a part of a stacked bar.
type part struct {
	key, name string
	color     color.NRGBA
	hatched   bool
}

// endings has a panel for each environment: what became of the planned episodes.
func endings(r reader, f *Figure) error {
	return stacked(r, f, []part{
		{"solved", "solved", colors[2], false},
		{"early", "ended early", colors[4], false},
		{"limit", "step limit", colors[1], false},
		{"context_exceeded", "context exceeded", colors[3], true},
		{"model_error", "model error", colors[0], true},
		{"env_error", "environment error", colors[6], true},
		{"not_run", "not run", rest, false},
	}, func(row int) float64 {
		planned, _ := r.number(row, "planned")
		return planned
	})
}

// failures has a panel for each environment: what the steps of unsolved episodes
// were.
func failures(r reader, f *Figure) error {
	return stacked(r, f, []part{
		{"cut_off", "cut-off reply", colors[6], false},
		{"format", "format error", colors[3], false},
		{"invalid", "invalid action", colors[1], false},
		{"loops", "loop", colors[4], false},
		{"other", "other valid action", colors[5], false},
	}, func(int) float64 { return 1 })
}

// stacked has a panel for each environment with a bar for each model. Parts that
// no bar has are left out of the legend.
func stacked(r reader, f *Figure, parts []part, whole func(row int) float64) error {
	names := r.models()
	var out []rowPanel
	for _, env := range r.distinct("environment") {
		out = append(out, rowPanel{env, percentAxis("%"), func(s *sheet, i int, x func(float64) vg.Length, y vg.Length) {
			row := r.find("environment", env, "model", names[i])
			if row < 0 {
				return
			}
			sum := 0.0
			for _, p := range parts {
				value, _ := r.number(row, p.key)
				if value == 0 {
					continue
				}
				from, to := sum/whole(row), (sum+value)/whole(row)
				p.fill(s, x(from), y-3.6, x(to), y+3.6)
				s.mark(x(from), y-3.6, x(to), y+3.6, fmt.Sprintf("%s, %s: %s: %s", env, names[i], p.name, amount(r, row, p.key, whole(row))))
				sum += value
			}
		}, false})
	}
	var key []entry
	for _, p := range parts {
		if r.any(p.key) {
			key = append(key, boxEntry(p.name, p.fill))
		}
	}
	return rowFigure(f, names, out, key)
}

// amount says a share, or a number of episodes of all.
func amount(r reader, row int, key string, whole float64) string {
	if whole == 1 {
		return r.text(row, key) + " %" + r.cell(row, key).Mark + " of " + r.text(row, "steps") + " steps"
	}
	return r.text(row, key) + " of " + r.text(row, "planned") + " episodes"
}

// any reports whether a column has a number other than 0.
func (r reader) any(key string) bool {
	for row := range r.Rows {
		if x, _ := r.number(row, key); x != 0 {
			return true
		}
	}
	return false
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
