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
func oldForms(from *Report, t *table.Table) {
	all := from.families()
	for _, p := range all {
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
	for _, p := range all {
		rows = append(rows, p.perturbed[0].row)
	}
	t.Notes = slices.Concat(t.Notes, aboutNotes(rows)[:1], missing(all, t.Rows))
}

// oldFormGroup is perturbations whose actions count together.
type oldFormGroup struct {
	name       string
	conditions []condition
}

// oldFormGroups are single families by themselves, and combinations by their number.
func oldFormGroups(p *perturbedPlayer) (groups []oldFormGroup) {
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
		groups = append(groups, oldFormGroup{name, d.conditions})
	}
	return groups
}

func (g oldFormGroup) fields(p *perturbedPlayer, o *scoring.OldForms) []table.Field {
	mark := marksOf(g.conditions)
	line := []table.Field{
		column.Environment.Is(p.env), column.Model.Is(p.name), column.Perturbation.Is(g.name),
		column.Actions.Is(o.Old + o.New).Marked(mark), measured(column.Old, o.Use).Marked(mark),
		column.Episodes.AsDetail().Is(o.Episodes), column.Refused.Is(o.Refused),
		column.Never.Is(o.Refused - o.Relearned),
	}
	for i, m := range o.Within {
		line = append(line, measured(column.Within[i], m))
	}
	if o.Median > 0 {
		line = append(line, column.MedianRelearn.Is(o.Median))
	}
	return line
}
