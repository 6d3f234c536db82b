package progress

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"heldout/eval/episode"
)

// View is the state of a run at one moment, as a table: a row for each environment under each
// perturbation, a column for each model, both in the order of the plan.
type View struct {
	Totals string // as Tracker.Line has them
	Models []string
	Rows   []Row
}

// Row has a cell for each model.
type Row struct {
	Place        string // the environment, or the name of its preset
	Perturbation string // empty for none
	Cells        []Cell
}

// Cell says how far a model is in an environment.
type Cell struct {
	// Done counts the episodes with a result, of those that are planned so far.
	Done, Planned int
	// Success is the rate so far of first trials, from 0 to 1; NaN without one.
	Success float64
	// Replies are the replies of the episodes that have ended since the run began.
	Replies, Unreadable int
}

func (p *pace) cell() Cell {
	return Cell{Done: p.finished + p.done - p.failed, Planned: p.finished + p.planned, Success: p.success(),
		Replies: p.replies, Unreadable: p.unreadable}
}

// plus is the sum of two cells. Rates of different things are not averaged.
func (c Cell) plus(d Cell) Cell {
	rate := math.NaN()
	if c.Planned == 0 {
		rate = d.Success
	} else if d.Planned == 0 {
		rate = c.Success
	}
	return Cell{c.Done + d.Done, c.Planned + d.Planned, rate, c.Replies + d.Replies, c.Unreadable + d.Unreadable}
}

// View returns the state of the run now.
func (p *Tracker) View() View {
	p.mu.Lock()
	defer p.mu.Unlock()
	v := View{Totals: p.line()}
	var places []string
	for _, key := range p.order {
		cell := p.paces[key].cell()
		if cell.Planned == 0 { // another shard has them
			continue
		}
		row := Row{Place: key.Env, Perturbation: key.Perturbation}
		if key.Preset != "" {
			row.Place, _, _ = strings.Cut(key.Preset, " ") // its hash follows
		}
		if key.Perturbation == episode.NoPerturbation {
			row.Perturbation = ""
		}
		places = append(places, row.Place)
		v.add(row, key.Model, cell)
	}
	slices.SortStableFunc(v.Rows, func(a, b Row) int {
		return cmp.Compare(slices.Index(places, a.Place), slices.Index(places, b.Place))
	})
	return v
}

// add adds a model's cell to the row with the names of another one.
func (v *View) add(names Row, model string, c Cell) {
	column := slices.Index(v.Models, model)
	if column < 0 {
		column = len(v.Models)
		v.Models = append(v.Models, model)
		for i := range v.Rows {
			v.Rows[i].Cells = append(v.Rows[i].Cells, Cell{Success: math.NaN()})
		}
	}
	same := func(r Row) bool { return r.Place == names.Place && r.Perturbation == names.Perturbation }
	row := slices.IndexFunc(v.Rows, same)
	if row < 0 {
		row = len(v.Rows)
		names.Cells = slices.Repeat([]Cell{{Success: math.NaN()}}, len(v.Models))
		v.Rows = append(v.Rows, names)
	}
	cell := &v.Rows[row].Cells[column]
	*cell = cell.plus(c)
}

// Fold returns the view with one row for all conditions of an environment, which says how many
// they are, or with one column for all models.
func (v View) Fold(conditions, models bool) View {
	rows := map[string]int{} // by place
	for _, row := range v.Rows {
		rows[row.Place]++
	}
	folded := View{Totals: v.Totals}
	for _, row := range v.Rows {
		if n := rows[row.Place]; conditions && n > 1 {
			row.Perturbation = fmt.Sprintf("×%d", n)
		}
		for i, c := range row.Cells {
			model := v.Models[i]
			if models {
				model = ""
			}
			folded.add(row, model, c)
		}
	}
	return folded
}
