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
	l.lines = append(l.lines, lossLine{rate, change, append(fields, column.Rate.Is(string(rate)))})
}

// fill adds the lines with their changes, a family of tests for each rate, and the notes
// that all these tables have.
func (l *losses) fill(t *table.Table, all []*perturbedPlayer) {
	changes, most := map[claim.Rate][]stats.Difference{}, 0
	for _, of := range l.lines {
		if of.change != nil {
			changes[of.rate] = append(changes[of.rate], *of.change)
		}
	}
	for rate, of := range changes {
		changes[rate], most = family(of), max(most, len(of))
	}
	for _, of := range l.lines {
		if of.change != nil {
			d := changes[of.rate][0]
			of.fields = append(of.fields, column.Difference.Is(d.Mean, d.Low, d.High), column.P.Is(d.P))
			changes[of.rate] = changes[of.rate][1:]
		}
		t.Add(of.fields...)
	}
	t.Notes = append(t.Notes, l.notes...)
	if most > 0 {
		t.Notes = append(t.Notes, decided(most, ", SR and PR separately"))
	}
	t.Notes = slices.Concat(t.Notes, l.aboutNotes(all), l.failed, missing(all, t.Rows))
}

// aboutNotes say which rates have other names, and what the intervals are about.
func (l *losses) aboutNotes(all []*perturbedPlayer) []string {
	var rows []row
	for _, p := range all {
		rows = append(rows, p.perturbed[0].row)
	}
	note := aboutNotes(rows)[0]
	if l.about == stats.TheseTasks && l.atMost {
		note += " At most as wide, because with one seed luck cannot be told from difficulty."
	}
	return append(otherNames(rows), note+" The perturbations are fixed: nothing is said about others.")
}

// missing says how many episodes have no result, by player and environment, and
// explains the other marks in rows.
func missing(all []*perturbedPlayer, rows [][]table.Cell) (notes []string) {
	for _, p := range all {
		finished, planned := 0, 0
		var of []string
		under := p.perturbed
		if p.base != nil {
			under = append([]condition{{row: *p.base, about: record.Perturbation{Name: "unperturbed"}}}, under...)
		}
		for _, c := range under {
			finished, planned = finished+c.Finished, planned+c.Planned
			if !c.Complete() {
				of = append(of, c.about.Name)
			}
		}
		if finished == planned {
			continue
		}
		const most = 5
		names := strings.Join(of[:min(most, len(of))], ", ")
		if len(of) > most {
			names += fmt.Sprintf(" and %d more", len(of)-most)
		}
		notes = append(notes,
			fmt.Sprintf(
				"%s Incomplete: %s on %s has results for %d of %d episodes (missing: %s). Rates cover only those; "+
					"the same command plays the rest.",
				incompleteMark, p.name, p.env, finished, planned, names))
	}
	notes = append(notes, untouched(all)...)
	if slices.Contains(markNotes(rows), repliesNote) {
		notes = append(notes, unreadableNote)
	}
	return notes
}

// unreadableNote explains repliesMark where the table of results has no row for the
// perturbation.
const unreadableNote = repliesMark +
	" More than 1% of the replies were unreadable, cut off, sampled with other settings or based on a shortened " +
	"history: --table refinement-measures."

// label says who played where.
func (p *perturbedPlayer) label(more ...table.Field) []table.Field {
	return append([]table.Field{column.Environment.Is(p.env), column.Model.Is(p.name)}, more...)
}

// marksOf are the marks of rates that are made from these conditions.
func marksOf(of []condition) (marks string) {
	for _, c := range of {
		mark := c.marks()
		for _, m := range []string{incompleteMark, repliesMark} {
			if strings.Contains(mark, m) && !strings.Contains(marks, m) {
				marks += m
			}
		}
	}
	return marks
}

// changed adds a line for each rate: the mean over conditions and its change from base.
func (l *losses) changed(p *perturbedPlayer, of []condition, label ...table.Field) {
	var changes [2]*stats.Difference
	if p.base != nil {
		c, err := scoring.CompareMean(scoresOf(of), p.base.Score)
		if err == nil {
			l.about, l.atMost = c.About, l.atMost || c.AtMost
			changes = [2]*stats.Difference{&c.Success.Difference, &c.Progress.Difference}
		} else if !errors.Is(err, scoring.ErrIncomplete) { // its mark says so
			why := fmt.Sprintf("%s on %s cannot be compared with base: %v.", p.name, p.env, err)
			l.failed = appendNew(l.failed, why)
		}
	}
	l.level(p, of, changes, label...)
}

// level adds a line for each rate: the mean over conditions.
func (l *losses) level(p *perturbedPlayer, of []condition, changes [2]*stats.Difference, label ...table.Field) {
	success, progress := scoring.MeanRates(scoresOf(of))
	for i, e := range []scoring.Estimate{success, progress} {
		l.add([]claim.Rate{claim.Success, claim.Progress}[i], changes[i],
			append(p.label(label...), rated(column.Level, e).Marked(marksOf(of)))...)
	}
}

// unchanged adds the rates without a perturbation.
func (l *losses) unchanged(p *perturbedPlayer, label ...table.Field) {
	for _, rate := range []claim.Rate{claim.Success, claim.Progress} {
		l.add(rate, nil, append(p.label(label...), p.base.rated(column.Level, rate.Of(p.base.Score).Estimate))...)
	}
}

// changeNote explains a rate and its change.
const changeNote = "SR success rate, PR progress rate, in percent. Δ: with the perturbations minus without, in percentage points, on the same tasks; " +
	"seeds averaged within each task first. 95% low, high: Student's t interval of the paired differences, as in the table of differences."

// doses has the rates by number of combined families.
func doses(from *Report, t *table.Table) {
	all := from.families()
	if len(all) == 0 {
		return
	}
	var l losses
	for _, p := range all {
		before := ""
		for _, d := range p.doses() {
			if d.grade != before && p.base != nil {
				l.unchanged(p, column.DoseGrade.Is(d.grade), column.Combined.Is(0), column.Sets.Is(1))
			}
			before = d.grade
			families := column.Combined.Is(d.parts)
			if d.all {
				families = families.Shown(fmt.Sprintf("all %d", d.parts))
			}
			l.level(p, d.conditions, [2]*stats.Difference{}, column.DoseGrade.Is(d.grade), families,
				column.Sets.Is(len(d.conditions)))
		}
	}
	l.notes = append(l.notes, "Families: how many are combined; 0 is without a perturbation. Sets: the perturbations of that number, over which the rate is averaged. SR success rate, PR progress rate, in percent.")
	l.fill(t, all)
}

// families has the change by family and grade.
func families(from *Report, t *table.Table) {
	all := from.families()
	var l losses
	for _, p := range all {
		for _, c := range singleFamilies(p) {
			part := c.about.Parts[0]
			l.changed(p, []condition{c}, column.Family.Is(part.Family), column.FamilyGrade.Is(part.Grade))
		}
	}
	if len(l.lines) == 0 { // all are combinations
		return
	}
	l.notes = append(l.notes, changeNote, "Grades: 1 is the mildest. "+titles(all))
	l.fill(t, all)
}

// singleFamilies are the perturbations of one family, also those that were drawn.
func singleFamilies(p *perturbedPlayer) []condition {
	return slices.DeleteFunc(slices.Clone(p.perturbed),
		func(c condition) bool { return len(c.about.Parts) > 1 || isDrawn(c.about) })
}

// titles says what the perturbations of single families change.
func titles(all []*perturbedPlayer) string {
	var said []string
	seen := map[record.Part]bool{}
	for _, p := range all {
		for _, c := range singleFamilies(p) {
			if part := c.about.Parts[0]; !seen[part] {
				seen[part] = true
				said = append(said, fmt.Sprintf("%s %d: %s", part.Family, part.Grade, c.about.Title))
			}
		}
	}
	return strings.Join(said, "; ") + "."
}
