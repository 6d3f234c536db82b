package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"heldout/scoring"
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
	notes         []string // on the perturbations
}

// sweptPlaces gathers what is known of every environment that was swept.
func sweptPlaces(rows []row) (out []sweptPlace) {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return len(r.compared()) == 0 })
	for _, of := range groupedBy(rows, row.place) {
		perturbations, notes := perturbationsOf(of)
		notes = append(notes, departures(of)...)
		out = append(out, sweptPlace{of[0].place(), sweptLines(of), perturbations, notes})
	}
	return out
}

// robustness puts the conditions of every swept environment side by side.
func robustness(from *Report, blank table.Table) (tables []table.Table) {
	for _, p := range from.swept() {
		lines, names := slices.Clone(p.lines), append([]string{baseColumn}, p.perturbations...)
		for _, b := range from.baselines {
			if b.Table.Env == p.env {
				lines = append(lines, publishedSweeps(b)...)
				names = appendNew(names, b.Table.Columns...)
			}
		}
		t := blank
		t.Title += " on " + p.env
		t.Columns = column.Sweep(names)
		addSwept(&t, p.env, lines, names, p.notes, from.baselines)
		tables = append(tables, t)
	}
	return tables
}

// changes says what every perturbation changes, by environment.
func changes(from *Report, blank table.Table) (tables []table.Table) {
	for _, p := range from.swept() {
		t := blank
		t.Title = "Change from base on " + p.env + ", paired by task"
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
	return slices.DeleteFunc(r.sweep.Of(r.Condition.Env), func(p record.Perturbation) bool { return len(p.Parts) > 0 })
}

// perturbationsOf lists the perturbations of sweeps, with notes that say what
// they are and which of them have different rules.
func perturbationsOf(rows []row) (names, notes []string) {
	seen := map[string]record.Perturbation{}
	for _, r := range rows {
		for _, p := range r.compared() {
			known, ok := seen[p.Name]
			if !ok {
				seen[p.Name] = p
				names = append(names, p.Name)
				notes = append(notes, p.Name+": "+p.Title+".")
				continue
			}
			if known.SHA256 != p.SHA256 {
				notes = appendNew(notes,
					fmt.Sprintf("The rules of %s are not the same in all runs: its column compares nothing.", p.Name))
			}
		}
	}
	return names, notes
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
		if _, played := l.cells[p.Name]; played || p.Model == "" {
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

// addSwept adds two rows per model.
func addSwept(t *table.Table, env string, lines []swept, conditions, notes []string, baselines []Baseline) {
	marks := ""
	for _, l := range lines {
		notes = append(notes, l.absent...)
		for _, rate := range []Rate{Success, Progress} {
			line, used := l.row(conditions, rate)
			line = append(line, column.Model.Is(l.name), column.Rate.Is(string(rate)),
				column.WithoutNoise.Is(l.withoutNoise(conditions, rate)))
			if l.tasks != "" {
				line = append(line, column.TaskSet.Is(l.tasks))
			}
			t.Add(line...)
			marks += used
		}
	}
	t.Notes = append(t.Notes,
		"SR success rate, PR progress rate, in percent. Average and std: of the row's conditions, "+
			"with divisor n (pop.) and n-1 (sample) in percentage points; of published rows too, computed from their cells. "+
			"W/o noise: the sample std without what chance adds to it; it describes these conditions and no others.")
	t.Notes = slices.Concat(t.Notes, notes, explained(marks, incompleteNote, repliesNote, searchNote,
		partMark+" Not on all tasks, or, at an average, not over all conditions of the table: it does not compare "+
			"with the others.",
		reuseMark+" The result without perturbation: what the perturbation takes away, this model never had."))
	baselines = slices.DeleteFunc(slices.Clone(baselines), func(b Baseline) bool { return b.Table.Env != env })
	t.Notes = append(t.Notes, sources(baselines, marks)...)
}

// row returns one rate under all conditions, and all marks on it.
func (l swept) row(conditions []string, rate Rate) (line []table.Field, marks string) {
	var values []float64
	averageMarks := "" // marks that hold for the average as well
	for _, c := range conditions {
		r := l.cells[c].rates
		line = append(line, optional(column.Condition(c), r.of(rate), r.marks))
		if value := r.of(rate); value != nil && !math.IsNaN(value.Mean) {
			values = append(values, value.Mean)
			marks += r.marks
		} else {
			averageMarks = partMark
		}
	}
	for _, m := range []string{partMark, incompleteMark, repliesMark, searchMark} {
		if strings.Contains(marks, m) && !strings.Contains(averageMarks, m) {
			averageMarks += m
		}
	}
	if len(values) == 0 {
		return line, marks
	}
	return append(line, column.Average.Is(stats.Mean(values)).Marked(averageMarks),
		column.Spread.Population.Is(stats.PopulationStd(values)), column.Spread.Sample.Is(stats.SampleStd(values)),
	), marks + averageMarks
}

// withoutNoise is the deviation of a rate over the row's conditions without the
// part that chance adds. It requires that all conditions were played.
func (l swept) withoutNoise(conditions []string, rate Rate) float64 {
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
	if rate == Progress {
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
		var played []*scoring.Score
		for _, p := range perturbations {
			s := l.cells[p].score
			if s == nil {
				continue
			}
			played = append(played, s)
			label := p
			if s.Condition.Instead != "" {
				label += ", " + l.cells[p].model
			}
			pairs.compare(l.name, label, []*scoring.Score{s}, base)
		}
		if len(played) > 1 {
			pairs.compare(l.name, "average of these", played, base)
		}
	}
	pairs.fill(t)
	if len(t.Rows) > 0 {
		t.Notes = slices.Insert(t.Notes, 0,
			"Δ: with the perturbation minus without, in percentage points, on the same tasks; "+pairs.pairedNote())
	}
}

// compare adds the change from base to the mean of scores.
func (p *pairing) compare(model, label string, scores []*scoring.Score, base *scoring.Score) {
	c, err := scoring.CompareMean(scores, base)
	if err != nil {
		p.failed = append(p.failed, fmt.Sprintf("%s: %s cannot be compared with base: %v.", model, label, err))
		return
	}
	p.add(c, column.Model.Is(model), column.Changed.Is(label))
}
