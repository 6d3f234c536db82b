package report

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"heldout/envs"
	"heldout/scoring"
	"heldout/scoring/claim"
	"heldout/scoring/column"
	"heldout/scoring/record"
	"heldout/scoring/stats"
	"heldout/scoring/table"
)

// baseColumn is the condition without perturbation, as published tables call it.
const baseColumn = "base"

// reuseMark marks rates that are taken from another column.
const reuseMark = "§"

// swept is a line of a table of robustness: one model under the conditions of a
// sweep, or a published row.
type swept struct {
	name   string
	tasks  string
	cells  map[string]sweptCell // by condition
	absent []string             // notes about the conditions that it lacks
}

// sweptCell are the rates under one condition.
type sweptCell struct {
	rates
	score *scoring.Score // nil for published rates and those taken from base
	model string         // who played
}

// sweptPlace is an environment that was swept.
type sweptPlace struct {
	env           string
	lines         []swept
	perturbations []string
	// notes say what the perturbations are, warnings which of them are not the same in all runs.
	notes, warnings []string
}

// sweptPlaces gathers what is known of every environment that was swept.
func sweptPlaces(rows []row) (out []sweptPlace) {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return len(r.compared()) == 0 })
	for _, of := range groupedBy(rows, row.place) {
		p := sweptPlace{env: of[0].place(), lines: sweptLines(of)}
		p.perturbations, p.notes, p.warnings = perturbationsOf(of)
		p.notes = append(p.notes, departures(of)...)
		out = append(out, p)
	}
	return out
}

// robustness puts the conditions of every swept environment side by side. The first table
// says what the runs show.
func robustness(report *Report, blank table.Table) (tables []table.Table) {
	for _, p := range report.swept() {
		lines, names := slices.Clone(p.lines), append([]string{baseColumn}, p.perturbations...)
		for _, b := range report.baselines {
			if b.Table.Env == p.env {
				lines = append(lines, publishedSweeps(b)...)
				names = appendNew(names, b.Table.Columns...)
			}
		}
		t := blank
		t.Title += " on " + envs.Title(p.env)
		t.Columns = column.Sweep(names)
		addSwept(&t, lines, names)
		tables = append(tables, t)
	}
	if len(tables) > 0 {
		report.head(&tables[0], strings.Join(append([]string{sweptLegend}, report.sweptMarks()...), " "))
	}
	return tables
}

// sweptLegend explains the columns of a table of robustness.
const sweptLegend = "Average and std (divisors n and n-1) are over the conditions shown, std in points; net std: " +
	"std (n-1) less what chance adds."

// head makes a table the first of its runs: it has their title, and below it what they say.
// Programs get the claims beside it.
func (r *Report) head(t *table.Table, legend ...string) {
	s := r.standing()
	claims := table.Table{ID: "verdict", Title: s.Title(), Columns: table.Columns(claimColumns...)}
	verdict(r, &claims)
	t.Programs = []table.Table{*t}
	if verdicts := claims.Programs[0]; len(verdicts.Rows) > 0 {
		t.Programs = append(t.Programs, verdicts)
	}
	t.Caption = t.Title + ": " + s.Title() + "."
	t.Title = s.Title()
	t.Programs[0].Title = t.Title
	t.Notes = slices.Concat(s.Verdict(), r.firstNotes(s, legend...))
}

// changes says what every perturbation changes, by environment.
func changes(report *Report, blank table.Table) (tables []table.Table) {
	for _, p := range report.swept() {
		t := blank
		t.Title = "Change from base on " + envs.Title(p.env) + ", paired by task"
		addChanges(&t, p.lines, p.perturbations)
		tables = append(tables, t)
	}
	return tables
}

// compared lists the perturbations that stand side by side with the row's: those of
// its sweep that are of no family.
func (r row) compared() []record.Perturbation {
	if r.sweep == nil {
		return nil
	}
	return slices.DeleteFunc(r.sweep.In(r.Condition.Env), func(p record.Perturbation) bool { return len(p.Parts) > 0 })
}

// perturbationsOf lists the perturbations of sweeps, with notes that say what they are, and
// warnings about those that have different rules.
func perturbationsOf(rows []row) (names, notes, warnings []string) {
	byName := map[string]record.Perturbation{}
	for _, r := range rows {
		for _, p := range r.compared() {
			previous, ok := byName[p.Name]
			if !ok {
				byName[p.Name] = p
				names = append(names, p.Name)
				notes = append(notes, p.Name+": "+p.Title+".")
				continue
			}
			if previous.SHA256 != p.SHA256 {
				warnings = appendNew(warnings,
					fmt.Sprintf("The rules of %s differ between runs, so its column is not comparable.", p.Name))
			}
		}
	}
	return names, notes, warnings
}

// sweptLines gathers rows that differ in the perturbation alone.
func sweptLines(rows []row) []swept {
	var lines []swept
	var models []string
	index := map[string]int{}
	for _, r := range rows {
		c, key := r.unperturbed()
		i, ok := index[key]
		if !ok {
			i = len(lines)
			index[key] = i
			lines = append(lines, swept{name: r.line, tasks: r.tasks(), cells: map[string]sweptCell{}})
			models = append(models, c.Model)
		}
		column := r.Condition.Perturbation
		if column == noPerturbation {
			column = baseColumn
		}
		lines[i].cells[column] = sweptCell{r.rates(), r.Score, r.model}
	}
	for i := range lines {
		lines[i].otherModels(models[i], rows)
	}
	return lines
}

// otherModels completes the conditions that change the model if no other model
// played. It uses the result without perturbation if that result counts.
func (l *swept) otherModels(model string, rows []row) {
	base, ok := l.cells[baseColumn]
	i := slices.IndexFunc(rows, func(r row) bool { return r.Score == base.score })
	if !ok || i < 0 {
		return
	}
	for _, p := range rows[i].compared() {
		if _, found := l.cells[p.Name]; found || p.Model == "" {
			continue
		}
		if slices.Contains(p.Base, model) {
			reused := sweptCell{rates: base.rates}
			reused.marks += reuseMark
			l.cells[p.Name] = reused
			continue
		}
		l.absent = append(l.absent,
			fmt.Sprintf(
				"%s was not played for %s: name its model without such data with --no-ind-model, or say --ind none.",
				p.Name, l.name))
	}
}

// publishedSweeps turns a published table of conditions into lines.
func publishedSweeps(b Baseline) []swept {
	var out []swept
	for _, l := range publishedLines(b) {
		s := swept{name: l.name, cells: map[string]sweptCell{}}
		for column, r := range l.rates {
			if r.success != nil || r.progress != nil {
				s.cells[column] = sweptCell{rates: r}
			}
		}
		out = append(out, s)
	}
	return out
}

// uniform reports whether all lines have the same conditions and tasks.
func uniform(lines []swept) bool {
	return !slices.ContainsFunc(lines, func(l swept) bool {
		return l.tasks != lines[0].tasks ||
			!slices.Equal(slices.Sorted(maps.Keys(l.cells)), slices.Sorted(maps.Keys(lines[0].cells)))
	})
}

// addSwept adds two rows per model.
func addSwept(t *table.Table, lines []swept, conditions []string) {
	for _, l := range lines {
		for _, rate := range []claim.Rate{claim.Success, claim.Progress} {
			line := append(l.row(conditions, rate, uniform(lines)), column.Model.Val(l.name),
				column.Rate.Val(string(rate)),
				column.WithoutNoise.Val(l.withoutNoise(conditions, rate)))
			if l.tasks != "" {
				line = append(line, column.TaskSet.Val(l.tasks))
			}
			t.Add(line...)
		}
	}
}

// sweptNotes explain the conditions and the marks of tables of robustness.
func (r *Report) sweptNotes() (notes []string) {
	for _, p := range r.swept() {
		notes = append(notes, p.notes...)
	}
	return append(notes, r.sweptMarks()...)
}

// sweptMarks explain the marks of tables of robustness.
func (r *Report) sweptMarks() []string {
	var b strings.Builder
	for _, p := range r.swept() {
		for _, l := range p.lines {
			for _, c := range l.cells {
				marks := c.marks
				if uniform(p.lines) {
					marks = strings.ReplaceAll(marks, partMark, "")
				}
				b.WriteString(marks)
			}
		}
	}
	return explained(b.String(), reuseMark+" The result without a perturbation, which counts here too: this model "+
		"saw no data of the environment.", partMark+" Not on all tasks, or not over all conditions of the table.")
}

// row returns one rate under all conditions. Marks that all rows would have are left out.
func (l swept) row(conditions []string, rate claim.Rate, uniform bool) (line []table.Field) {
	var values []float64
	average := ""    // marks of the average
	missing := false // a planned condition has no result
	for _, c := range conditions {
		r := l.cells[c].rates
		marks := strings.ReplaceAll(r.marks, repliesMark, "")
		if uniform {
			marks = strings.ReplaceAll(marks, partMark, "")
		}
		line = append(line, optional(column.Condition(c), r.estimate(rate), marks))
		missing = missing || l.cells[c].score != nil && l.cells[c].score.Finished == 0
		if value := r.estimate(rate); value != nil && !math.IsNaN(value.Mean) {
			values = append(values, value.Mean)
		} else if !uniform && !strings.Contains(average, partMark) {
			average += partMark
		}
		if strings.Contains(marks, incompleteMark) && !strings.Contains(average, incompleteMark) {
			average += incompleteMark
		}
	}
	if len(values) == 0 || missing {
		return line
	}
	return append(line, column.Average.Val(stats.Mean(values)).Marked(average),
		column.Population.Val(stats.PopulationStd(values)), column.Sample.Val(stats.SampleStd(values)))
}

// withoutNoise is the deviation of a rate over the row's conditions without the
// part that chance adds. It requires that all conditions were played.
func (l swept) withoutNoise(conditions []string, rate claim.Rate) float64 {
	var scores []*scoring.Score
	for _, c := range conditions {
		cell := l.cells[c]
		if strings.Contains(cell.marks, reuseMark) {
			cell = l.cells[baseColumn]
		}
		if cell.score != nil {
			scores = append(scores, cell.score)
		} else if cell.success != nil {
			return math.NaN()
		}
	}
	success, progress := scoring.ConditionStd(scores)
	if rate == claim.Progress {
		return progress
	}
	return success
}

// addChanges compares every condition with the one without perturbation, and
// their average, by task.
func addChanges(t *table.Table, lines []swept, perturbations []string) {
	var pairs pairing
	for _, l := range lines {
		base := l.cells[baseColumn].score
		if base == nil {
			continue
		}
		var scores []*scoring.Score
		for _, p := range perturbations {
			s := l.cells[p].score
			if s == nil {
				continue
			}
			scores = append(scores, s)
			label := p
			if s.Condition.Substitute != "" {
				label += ", " + l.cells[p].model
			}
			pairs.compare(l.name, label, []*scoring.Score{s}, base)
		}
		if len(scores) > 1 {
			pairs.compare(l.name, "average of these", scores, base)
		}
	}
	pairs.fill(t, nil, "Δ: with the perturbation minus without, in percentage points, on the same tasks; "+
		pairs.pairedNote())
}

// compare adds the change from base to the mean of scores.
func (p *pairing) compare(model, label string, scores []*scoring.Score, base *scoring.Score) {
	c, err := scoring.CompareMean(scores, base)
	if err != nil {
		p.failed = append(p.failed, fmt.Sprintf("%s: %s cannot be compared with base: %v.", model, label, err))
		return
	}
	p.add(c, column.Model.Val(model), column.Perturbation.Val(label))
}
