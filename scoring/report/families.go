package report

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"heldout/scoring"
	"heldout/scoring/claim"
	"heldout/scoring/column"
	"heldout/scoring/record"
	"heldout/scoring/stats"
	"heldout/scoring/table"
)

// losses collects lines of a table about rates under perturbations.
type losses struct {
	notes  []string
	lines  []lossLine
	failed []string // why there is no change, each reason once
	atMost bool
	about  stats.Question
}

// lossLine is a line with the change of its rate; nil if there is none.
type lossLine struct {
	rate   claim.Rate
	change *stats.Difference
	fields []table.Field
}

func (l *losses) add(rate claim.Rate, change *stats.Difference, fields ...table.Field) {
	l.lines = append(l.lines, lossLine{rate, change, append(fields, column.Rate.Val(string(rate)))})
}

// fill adds the lines with their changes, a family of tests for each rate, and the notes
// that all these tables have.
func (l *losses) fill(t *table.Table, players []*perturbedPlayer) {
	changes, largest := map[claim.Rate][]stats.Difference{}, 0
	for _, line := range l.lines {
		if line.change != nil {
			changes[line.rate] = append(changes[line.rate], *line.change)
		}
	}
	for rate, change := range changes {
		changes[rate], largest = family(change), max(largest, len(change))
	}
	for _, line := range l.lines {
		if line.change != nil {
			d := changes[line.rate][0]
			line.fields = append(line.fields, column.Difference.Val(d.Mean, d.Low, d.High), column.P.Val(d.P))
			changes[line.rate] = changes[line.rate][1:]
		}
		t.Add(line.fields...)
	}
	t.Notes = append(t.Notes, l.notes...)
	if largest > 0 {
		t.Notes = append(t.Notes, decided(largest, ", SR and PR separately"))
	}
	t.Notes = slices.Concat(t.Notes, l.aboutNotes(players), l.failed, missing(players, t.Rows))
}

// aboutNotes say which rates have other names, and what the intervals are about.
func (l *losses) aboutNotes(players []*perturbedPlayer) []string {
	rows := firstRows(players)
	note := aboutNotes(rows)[0]
	if l.about == stats.TheseTasks && l.atMost {
		note += " At most as wide, because with one seed luck cannot be told from difficulty."
	}
	return append(otherNames(rows), note+" The perturbations are fixed: nothing is said about others.")
}

// firstRows has a row of each player.
func firstRows(players []*perturbedPlayer) []row {
	return table.Each(players, func(p *perturbedPlayer) row { return p.perturbed[0] })
}

// missing says how many episodes have no result, by player and environment, and explains the other marks in rows.
func missing(players []*perturbedPlayer, rows [][]table.Cell) (notes []string) {
	for _, p := range players {
		finished, planned := 0, 0
		var unfinished []string
		list := p.perturbed
		if p.base != nil {
			list = slices.Insert(slices.Clone(list), 0, *p.base)
		}
		for _, c := range list {
			finished, planned = finished+c.Finished, planned+c.Planned
			if !c.Complete() {
				unfinished = append(unfinished, nameUnder(c))
			}
		}
		if finished == planned {
			continue
		}
		const limit = 5
		notes = append(notes,
			fmt.Sprintf(
				"%s Incomplete: %s on %s has results for %d of %d episodes (missing: %s). Rates cover only those; "+
					"the same command plays the rest.",
				incompleteMark, p.name, p.env, finished, planned, table.Shortlist(unfinished, limit)))
	}
	notes = append(notes, untouched(players)...)
	if slices.Contains(markNotes(rows), repliesNote) {
		notes = append(notes, unreadableNote)
	}
	return notes
}

// nameUnder names the perturbation of a row.
func nameUnder(r row) string {
	if r.about == nil {
		return "unperturbed"
	}
	return r.about.Name
}

// unreadableNote explains repliesMark where the table of results has no row for the perturbation.
const unreadableNote = repliesMark +
	" More than 1% of the replies were unreadable, cut off, sampled with other settings or based on a shortened " +
	"history: --table refinement-measures."

// label says who played where.
func (p *perturbedPlayer) label(fields ...table.Field) []table.Field {
	return append([]table.Field{column.Environment.Val(p.env), column.Model.Val(p.name)}, fields...)
}

// marksOf are the marks of rates that are made from these conditions.
func marksOf(conditions []row) (marks string) {
	for _, c := range conditions {
		mark := c.marks
		for _, m := range []string{incompleteMark, repliesMark} {
			if strings.Contains(mark, m) && !strings.Contains(marks, m) {
				marks += m
			}
		}
	}
	return marks
}

// changed adds a line for each rate: the mean over conditions and its change from base.
func (l *losses) changed(p *perturbedPlayer, conditions []row, label ...table.Field) {
	var changes [2]*stats.Difference
	if p.base != nil {
		c, err := scoring.CompareMean(scoresOf(conditions), p.base.Score)
		if err == nil {
			l.about, l.atMost = c.About, l.atMost || c.AtMost
			changes = [2]*stats.Difference{&c.Success.Difference, &c.Progress.Difference}
		} else if !errors.Is(err, scoring.ErrIncomplete) { // its mark says so
			reason := fmt.Sprintf("%s on %s cannot be compared with the tasks as they are: %v.", p.name, p.env, err)
			l.failed = table.AppendNew(l.failed, reason)
		}
	}
	l.level(p, conditions, changes, label...)
}

// level adds a line for each rate: the mean over conditions.
func (l *losses) level(p *perturbedPlayer, conditions []row, changes [2]*stats.Difference,
	label ...table.Field) {
	success, progress := scoring.MeanRates(scoresOf(conditions))
	for i, e := range []scoring.Estimate{success, progress} {
		l.add(sweptRates[i], changes[i],
			append(p.label(label...), rated(column.Value, e).Marked(marksOf(conditions)))...)
	}
}

// unchanged adds the rates without a perturbation.
func (l *losses) unchanged(p *perturbedPlayer, label ...table.Field) {
	for _, rate := range sweptRates {
		l.add(rate, nil, append(p.label(label...), p.base.rated(column.Value, rate.Select(p.base.Score).Estimate))...)
	}
}

// doses has the rates by number of combined families.
func doses(report *Report, t *table.Table) {
	players := report.families()
	if len(players) == 0 {
		return
	}
	var l losses
	for _, p := range players {
		previous := ""
		for _, d := range p.doses() {
			if d.grade != previous && p.base != nil {
				l.unchanged(p, column.DoseGrade.Val(d.grade), column.Combined.Val(0), column.Sets.Val(1))
			}
			previous = d.grade
			families := column.Combined.Val(d.parts)
			if d.complete {
				families = families.WithText(fmt.Sprintf("all %d", d.parts))
			}
			l.level(p, d.conditions, [2]*stats.Difference{}, column.DoseGrade.Val(d.grade), families,
				column.Sets.Val(len(d.conditions)))
		}
	}
	l.notes = append(l.notes, legend(t))
	l.fill(t, players)
}

// families has the change by family and grade.
func families(report *Report, t *table.Table) {
	players := report.families()
	var l losses
	for _, p := range players {
		for _, c := range singleFamilies(p) {
			part := c.about.Parts[0]
			l.changed(p, []row{c}, column.Family.Val(part.Family), column.Grade.Val(part.Grade))
		}
	}
	if len(l.lines) == 0 { // all are combinations
		return
	}
	l.notes = append(l.notes, legend(t), "Grades: 1 is the mildest. "+titles(players))
	l.fill(t, players)
}

// singleFamilies are the perturbations of one family, also those that were drawn.
func singleFamilies(p *perturbedPlayer) []row {
	return table.Filter(p.perturbed, func(c row) bool { return len(c.about.Parts) < 2 && !isDrawn(c.about) })
}

// titles says what the perturbations of single families change.
func titles(players []*perturbedPlayer) string {
	var texts []string
	listed := map[record.FamilyGrade]bool{}
	for _, p := range players {
		for _, c := range singleFamilies(p) {
			if part := c.about.Parts[0]; !listed[part] {
				listed[part] = true
				texts = append(texts, fmt.Sprintf("%s %d: %s", part.Family, part.Grade, c.about.Title))
			}
		}
	}
	return strings.Join(texts, "; ") + "."
}

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
	t.Notes = append(t.Notes, legend(t))
	t.Notes = slices.Concat(t.Notes, aboutNotes(firstRows(players))[:1], missing(players, t.Rows))
}

// oldFormGroup is perturbations whose actions count together.
type oldFormGroup struct {
	name       string
	conditions []row
}

// oldFormGroups are single families by themselves, and combinations by their number.
func oldFormGroups(p *perturbedPlayer) []oldFormGroup {
	alone := func(c row) oldFormGroup { return oldFormGroup{c.about.Name, []row{c}} }
	groups := table.Each(singleFamilies(p), alone)
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
		column.Episodes.Val(o.Episodes), column.Refused.Val(o.Refused),
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

// untouched says under which perturbations a model got what it gets without: neither its prompt nor any message or
// action of its episodes was another text. It says nothing of players that read no prompt.
func untouched(players []*perturbedPlayer) (notes []string) {
	for _, p := range players {
		var names []string
		for _, c := range p.perturbed {
			if p.base != nil && c.Condition.PromptHash != "" && c.Condition.PromptHash == p.base.Condition.PromptHash &&
				c.Replies.Episodes > 0 && c.Replies.Untouched == c.Replies.Episodes {
				names = append(names, c.about.Name)
			}
		}
		if len(names) > 0 {
			notes = append(notes, fmt.Sprintf("Nothing changed for %s on %s under %s: every message was as it is "+
				"without a perturbation. Lines about that, and averages with it, say nothing about robustness.",
				p.name, p.env, strings.Join(names, ", ")))
		}
	}
	return notes
}
