package report

import (
	"fmt"
	"slices"

	"heldout/scoring"
	"heldout/scoring/column"
	"heldout/scoring/table"
)

// oldForms says how often a model writes actions in the old way although it is told
// the new one, and how soon it stops.
func oldForms(report *Report, t *table.Table) {
	players := report.families()
	for _, p := range players {
		for _, g := range oldFormGroups(p) {
			if o := scoring.ComputeOldForms(scoresOf(g.conditions)); o != nil {
				t.Add(g.fields(p, o)...)
			}
		}
	}
	if len(t.Rows) == 0 { // no action has a form that changes
		return
	}
	t.Notes = append(t.Notes,
		"Actions: those whose form the perturbation writes differently, in either form. Old: the share of them, in "+
			"percent, that are written in the old way, which the environment refuses although the instructions say "+
			"the new one. "+
			"Refused: episodes with such an action. Never: refused episodes that end without that form in the new "+
			"way; they are censored at their end. "+
			"In 1, …: the share of refused episodes that write the form in the new way within so many steps after "+
			"the first refusal, by Kaplan and Meier's estimator, for at least 10 tasks under observation. "+
			"Median: steps until half do; none if fewer do within 10. Perturbations that change no action have no "+
			"line. Each interval holds by itself.")
	var rows []row
	for _, p := range players {
		rows = append(rows, p.perturbed[0].row)
	}
	t.Notes = slices.Concat(t.Notes, aboutNotes(rows)[:1], missing(players, t.Rows))
}

// oldFormGroup is perturbations whose actions count together.
type oldFormGroup struct {
	name       string
	conditions []perturbedRow
}

// oldFormGroups are single families by themselves, and combinations by their number.
func oldFormGroups(p *perturbedPlayer) (groups []oldFormGroup) {
	for _, c := range singleFamilies(p) {
		groups = append(groups, oldFormGroup{c.about.Name, []perturbedRow{c}})
	}
	several := len(p.grades()) > 1
	for _, d := range p.doses() {
		name := fmt.Sprintf("%d families", d.parts)
		switch {
		case d.parts == 1 && d.grade != drawn:
			continue
		case d.complete:
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
		groups = append(groups, oldFormGroup{name, d.conditions})
	}
	return groups
}

func (g oldFormGroup) fields(p *perturbedPlayer, o *scoring.OldForms) []table.Field {
	mark := marksOf(g.conditions)
	line := []table.Field{
		column.Environment.Val(p.env), column.Model.Val(p.name), column.Perturbation.Val(g.name),
		column.Actions.Val(o.Old + o.New).Marked(mark), measured(column.Old, o.Use).Marked(mark),
		column.Episodes.AsDetail().Val(o.Episodes), column.Refused.Val(o.Refused),
		column.Never.Val(o.Refused - o.Relearned),
	}
	for i, m := range o.Survival {
		line = append(line, measured(column.Survival[i], m))
	}
	if o.Median > 0 {
		line = append(line, column.MedianRelearn.Val(o.Median))
	}
	return line
}
