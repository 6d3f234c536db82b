package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"heldout/scoring"
	"heldout/scoring/protocol"
	"heldout/scoring/record"
)

// perturbation returns what the run's record says about the row's perturbation; false
// if it says nothing, as without one.
func (r row) perturbation() (record.Perturbation, bool) {
	if r.sweep == nil {
		return record.Perturbation{}, false
	}
	perturbations := r.sweep.In(r.Condition.Env)
	i := slices.IndexFunc(perturbations, func(p record.Perturbation) bool { return p.Name == r.Condition.Perturbation })
	if i < 0 {
		return record.Perturbation{}, false
	}
	return perturbations[i], true
}

// ofFamilies reports whether the row's perturbation combines families of rules.
func (r row) ofFamilies() bool {
	p, ok := r.perturbation()
	return ok && len(p.Parts) > 0
}

// perturbedPlayer is a player on one environment under perturbations of families.
type perturbedPlayer struct {
	env, name string
	// player identifies the player over environments.
	player    string
	base      *row // without perturbation; nil if it was not planned
	perturbed []perturbedRow
	sweep     *record.Sweep
}

// perturbedRow is a row with its perturbation.
type perturbedRow struct {
	row
	about record.Perturbation
}

// unperturbed is the condition of a row without its perturbation, and a key that rows
// have in common that differ in the perturbation alone.
func (r row) unperturbed() (c record.Condition, key string) {
	c = r.Condition
	c.Model, c.Substitute = cmp.Or(c.Substitute, c.Model), ""
	c.Perturbation, c.PerturbationHash, c.PromptHash = "", "", ""
	return c, r.run + "\n" + c.Key()
}

// perturbedPlayers gathers the rows under perturbations of families, with the row without a
// perturbation, by environment and player.
func perturbedPlayers(rows []row) (players []*perturbedPlayer) {
	byKey := map[string]*perturbedPlayer{}
	for _, r := range rows {
		if r.sweep == nil || !slices.ContainsFunc(r.sweep.In(r.Condition.Env), func(p record.Perturbation) bool {
			return len(p.Parts) > 0
		}) {
			continue
		}
		about, perturbed := r.perturbation()
		if perturbed && len(about.Parts) == 0 {
			continue
		}
		c, key := r.unperturbed()
		p := byKey[key]
		if p == nil {
			p = &perturbedPlayer{env: r.place(), player: strings.Join(append(protocol.Labels(protocol.Player(c)),
				c.Model, r.run), "\n"),
				name:  r.line,
				sweep: r.sweep}
			byKey[key] = p
			players = append(players, p)
		}
		if perturbed {
			p.perturbed = append(p.perturbed, perturbedRow{r, about})
		} else {
			p.base = &r
		}
	}
	return slices.DeleteFunc(players, func(p *perturbedPlayer) bool { return len(p.perturbed) == 0 })
}

// drawn is the grade of perturbations whose families and grades were drawn.
const drawn = "drawn"

// isDrawn reports whether families and grades of a perturbation were drawn.
func isDrawn(p record.Perturbation) bool { return strings.HasPrefix(p.Name, "random:") }

// isAll reports whether a perturbation combines all families of the environment.
func isAll(p record.Perturbation) bool { return strings.HasPrefix(p.Name, "all:") }

// grades lists the grades of a player's perturbations: those of the suite or, without
// one, those of single families.
func (p *perturbedPlayer) grades() (grades []int) {
	if p.sweep.Suite != "" {
		return p.sweep.Grades
	}
	for _, c := range p.perturbed {
		if !isDrawn(c.about) {
			grades = appendNew(grades, c.about.Parts[0].Grade)
		}
	}
	slices.Sort(grades)
	return grades
}

// atGrade returns the perturbations of a grade, in the order of the number of families:
// each part has the grade or, if the family has no such grade, its highest.
func (p *perturbedPlayer) atGrade(grade int) (out []perturbedRow) {
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

// draws returns the perturbations that were drawn.
func (p *perturbedPlayer) draws() []perturbedRow {
	return byParts(slices.DeleteFunc(slices.Clone(p.perturbed), func(c perturbedRow) bool { return !isDrawn(c.about) }))
}

func byParts(list []perturbedRow) []perturbedRow {
	slices.SortStableFunc(list, func(a, b perturbedRow) int {
		return cmp.Compare(len(a.about.Parts),
			len(b.about.Parts))
	})
	return list
}

// dose is perturbations that combine as many families at one grade.
type dose struct {
	grade      string
	parts      int
	complete   bool // they are all families of the environment
	conditions []perturbedRow
}

// doses returns the doses of a player by grade and number of families. Those that were
// drawn come last.
func (p *perturbedPlayer) doses() (doses []dose) {
	add := func(grade string, conditions []perturbedRow) {
		for _, c := range conditions {
			n := len(c.about.Parts)
			if last := len(doses) - 1; last < 0 || doses[last].grade != grade || doses[last].parts != n {
				doses = append(doses, dose{grade: grade, parts: n})
			}
			d := &doses[len(doses)-1]
			d.complete = d.complete || isAll(c.about)
			d.conditions = append(d.conditions, c)
		}
	}
	for _, grade := range p.grades() {
		add(fmt.Sprint(grade), p.atGrade(grade))
	}
	add(drawn, p.draws())
	return doses
}

// singles are the families of a grade, each alone.
func (p *perturbedPlayer) singles(grade int) []perturbedRow {
	return slices.DeleteFunc(p.atGrade(grade), func(c perturbedRow) bool { return len(c.about.Parts) > 1 })
}

func scoresOf(conditions []perturbedRow) (scores []*scoring.Score) {
	for _, c := range conditions {
		scores = append(scores, c.Score)
	}
	return scores
}
