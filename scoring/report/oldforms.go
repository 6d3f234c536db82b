package report

import (
	"fmt"

	"heldout/scoring"
	"heldout/scoring/refinement"
	"heldout/scoring/table"
)

// oldFormTable says how often a model writes actions in the old way although it is told
// the new one, and how soon it stops.
func oldFormTable(from *Report) table.Table {
	all := from.families()
	t := table.Table{ID: "old-forms", Title: "Actions in the old form", Columns: []table.Column{
		{Key: "environment", Header: "Environment", Left: true}, {Key: "model", Header: "Model", Left: true},
		{Key: "perturbation", Header: "Perturbation", Left: true},
		{Key: "actions", Header: "Actions"}, {Key: "old", Header: "Old"}, {Key: "old_low", Header: "95% low"}, {Key: "old_high", Header: "high", Upper: true},
		{Key: "episodes", Header: "Episodes", Detail: true}, {Key: "refused", Header: "Refused"}, {Key: "never", Header: "Never"},
	}}
	for _, steps := range refinement.SurvivalSteps {
		key := fmt.Sprintf("within_%d", steps)
		t.Columns = append(t.Columns, table.Column{Key: key, Header: fmt.Sprintf("in %d", steps), Detail: steps != 1 && steps != 5},
			table.Column{Key: key + "_low", Header: "95% low", Detail: true}, table.Column{Key: key + "_high", Header: "high", Upper: true, Detail: true})
	}
	t.Columns = append(t.Columns, table.Column{Key: "median", Header: "Median"})
	for _, p := range all {
		for _, g := range oldFormGroups(p) {
			if o := scoring.ComputeOldForms(scoresOf(g.under)); o != nil {
				t.Rows = append(t.Rows, g.cells(p, o))
			}
		}
	}
	if len(t.Rows) == 0 { // no action has a form that changes
		return table.Table{}
	}
	t.Notes = append(t.Notes, "Actions: those whose form the perturbation writes differently, in either form. Old: the share of them, in percent, that are written in the old way, which the environment refuses although the instructions say the new one. "+
		"Refused: episodes with such an action. Never: refused episodes that end without that form in the new way; they are censored at their end. "+
		"In 1, …: the share of refused episodes that write the form in the new way within so many steps after the first refusal, by Kaplan and Meier's estimator, for at least 10 tasks under observation. "+
		"Median: steps until half do; none if fewer do within 10. Perturbations that change no action have no line. Each interval holds by itself.")
	var rows []row
	for _, p := range all {
		rows = append(rows, p.under[0].row)
	}
	t.Notes = append(t.Notes, aboutNotes(rows)[0])
	t.Notes = append(t.Notes, missing(all, t.Rows)...)
	return t
}

// oldFormGroup is perturbations whose actions count together.
type oldFormGroup struct {
	name  string
	under []condition
}

// oldFormGroups are single families by themselves, and combinations by their number.
func oldFormGroups(p *played) (groups []oldFormGroup) {
	for _, c := range singleFamilies(p) {
		groups = append(groups, oldFormGroup{c.about.Name, []condition{c}})
	}
	several := len(p.grades()) > 1
	for _, d := range p.doses() {
		name := fmt.Sprintf("%d families", d.parts)
		switch {
		case d.parts == 1 && d.grade != drawn:
			continue
		case d.all:
			name = "all families"
		case d.parts == 1:
			name = "1 family"
		}
		switch {
		case d.grade == drawn:
			name += ", " + drawn
		case several:
			name += ", grade " + d.grade
		}
		groups = append(groups, oldFormGroup{name, d.under})
	}
	return groups
}

func (g oldFormGroup) cells(p *played, o *scoring.OldForms) []table.Cell {
	low, high := measuredInterval(o.Use)
	mark := marksOf(g.under)
	cells := []table.Cell{
		table.String(p.env), table.String(p.name), table.String(g.name),
		table.Int(o.Old + o.New).Marked(mark), table.Percent(o.Use.Value).Marked(mark), low, high,
		table.Int(o.Episodes), table.Int(o.Refused), table.Int(o.Refused - o.Relearned),
	}
	for _, m := range o.Within {
		low, high := measuredInterval(m)
		cells = append(cells, amount(m.Unit, m.Value), low, high)
	}
	median := table.None()
	if o.Median > 0 {
		median = table.Int(o.Median)
	}
	return append(cells, median)
}
