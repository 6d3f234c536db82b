package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"heldout/scoring"
	"heldout/scoring/protocol"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// perturbedPlayer is a player on one environment under perturbations of families.
type perturbedPlayer struct {
	env, name string
	// player identifies the player over environments.
	player    string
	base      *row // without perturbation; nil if it was not planned
	perturbed []row
	sweep     *record.Sweep
}

// combines reports whether a perturbation combines families of rules.
func combines(p record.Perturbation) bool { return len(p.Parts) > 0 }

// perturbedPlayers gathers the rows under perturbations of families, with the row without a
// perturbation, by environment and player.
func perturbedPlayers(rows []row) (players []*perturbedPlayer) {
	rows = table.Filter(rows, func(r row) bool {
		return slices.ContainsFunc(r.planned, combines) && (r.about == nil || combines(*r.about))
	})
	for _, group := range table.Grouped(rows, func(r row) string { return r.commonKey }) {
		c := unperturbed(group[0].Condition)
		p := &perturbedPlayer{env: group[0].place.Name, name: group[0].line, sweep: group[0].sweep,
			player: strings.Join(append(protocol.Labels(protocol.Player(c)), c.Model, group[0].run), "\n")}
		for _, r := range group {
			if r.about != nil {
				p.perturbed = append(p.perturbed, r)
			} else {
				p.base = &r
			}
		}
		if len(p.perturbed) > 0 {
			players = append(players, p)
		}
	}
	return players
}

// drawn is the grade of perturbations whose families and grades were drawn.
const drawn = "drawn"

// isDrawn reports whether families and grades of a perturbation were drawn.
func isDrawn(p *record.Perturbation) bool { return strings.HasPrefix(p.Name, "random:") }

// grades lists the grades of a player's perturbations: the suite's or, without one, the grades of single families.
func (p *perturbedPlayer) grades() (grades []int) {
	if p.sweep.Suite != "" {
		return p.sweep.Grades
	}
	for _, c := range p.perturbed {
		if !isDrawn(c.about) {
			grades = table.AppendNew(grades, c.about.Parts[0].Grade)
		}
	}
	slices.Sort(grades)
	return grades
}

// atGrade returns the perturbations of a grade, in the order of the number of families:
// each part has the grade or, if the family has no such grade, its highest.
func (p *perturbedPlayer) atGrade(grade int) (out []row) {
	highest := map[string]int{}
	for _, c := range p.perturbed {
		for _, part := range c.about.Parts {
			highest[part.Family] = max(highest[part.Family], part.Grade)
		}
	}
	for _, c := range p.perturbed {
		differs := func(part record.FamilyGrade) bool { return part.Grade != min(grade, highest[part.Family]) }
		if !isDrawn(c.about) && !slices.ContainsFunc(c.about.Parts, differs) {
			out = append(out, c)
		}
	}
	return byParts(out)
}

func byParts(list []row) []row {
	slices.SortStableFunc(list, func(a, b row) int {
		return cmp.Compare(len(a.about.Parts), len(b.about.Parts))
	})
	return list
}

// dose is perturbations that combine as many families at one grade.
type dose struct {
	grade      string
	parts      int
	complete   bool // they are all families of the environment
	conditions []row
}

// doses returns the doses of a player by grade and number of families. Those that were drawn come last.
func (p *perturbedPlayer) doses() (doses []dose) {
	add := func(grade string, conditions []row) {
		for _, c := range conditions {
			n := len(c.about.Parts)
			if last := len(doses) - 1; last < 0 || doses[last].grade != grade || doses[last].parts != n {
				doses = append(doses, dose{grade: grade, parts: n})
			}
			d := &doses[len(doses)-1]
			d.complete = d.complete || strings.HasPrefix(c.about.Name, "all:")
			d.conditions = append(d.conditions, c)
		}
	}
	for _, grade := range p.grades() {
		add(fmt.Sprint(grade), p.atGrade(grade))
	}
	add(drawn, byParts(table.Filter(p.perturbed, func(c row) bool { return isDrawn(c.about) })))
	return doses
}

// singles are the families of a grade, each alone.
func (p *perturbedPlayer) singles(grade int) []row {
	return table.Filter(p.atGrade(grade), func(c row) bool { return len(c.about.Parts) < 2 })
}

func scoresOf(conditions []row) []*scoring.Score {
	return table.Each(conditions, func(c row) *scoring.Score { return c.Score })
}

// departures say what of a preset is not the original's under the perturbations of a sweep,
// and which perturbations of the suite do not fit it.
func departures(rows []row) (notes []string) {
	var done []string
	for _, r := range rows {
		c := r.Condition
		if r.sweep == nil || c.Preset == nil || slices.Contains(done, r.place.Name) {
			continue
		}
		done = append(done, r.place.Name)
		if changes := departsOf(r.planned); len(changes) > 0 {
			notes = append(notes, fmt.Sprintf("Not the original's any more on %s: %s. Published results do not compare.",
				r.place.Name, strings.Join(changes, "; ")))
		}
		omitted := table.Filter(r.sweep.LeftOut, func(l record.LeftOut) bool { return l.Env == c.Env })
		if len(omitted) > 0 {
			names := table.Each(omitted, func(l record.LeftOut) string { return l.Perturbation })
			notes = append(notes, fmt.Sprintf("Left out, as they do not fit %s: %s (run.json says why).", r.place.Name,
				strings.Join(names, ", ")))
		}
	}
	return notes
}

// departsOf lists what departs from a preset, with the number of the perturbations under which it does.
func departsOf(perturbations []record.Perturbation) []string {
	parts := slices.Concat(table.Each(perturbations, func(p record.Perturbation) []string { return p.Departs })...)
	same := func(part string) string { return part }
	return table.Each(table.Grouped(parts, same), func(group []string) string {
		return fmt.Sprintf("%s (under %d of %d)", group[0], len(group), len(perturbations))
	})
}
