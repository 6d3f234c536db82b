package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"heldout/configs"
	"heldout/envs"
	"heldout/scoring"
	"heldout/scoring/claim"
	"heldout/scoring/column"
	"heldout/scoring/record"
	"heldout/scoring/stats"
	"heldout/scoring/table"
)

// baseColumn is the condition without perturbation, as published tables call it.
const baseColumn = column.BaseCondition

// reuseMark marks rates that are taken from another column.
const reuseMark = "§"

// swept is a line of a table of robustness: one model under the conditions of a sweep, or a published row.
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
	// interfaces are the perturbations that change the interface and not the model.
	interfaces []string
	// notes say what the perturbations are, warnings which of them are not the same in all runs.
	notes, warnings []string
}

// sweptPlaces gathers what is known of every environment that was swept.
func sweptPlaces(rows []row) (out []sweptPlace) {
	rows = table.Filter(rows, func(r row) bool { return len(compared(r)) > 0 })
	for _, group := range table.Grouped(rows, placeOf) {
		p := sweptPlace{env: group[0].place.Name, lines: sweptLines(group)}
		p.perturbations, p.interfaces, p.notes, p.warnings = perturbationsOf(group)
		p.notes = append(p.notes, departures(group)...)
		out = append(out, p)
	}
	return out
}

// robustness puts the conditions of every swept environment side by side. The first table
// says what the runs show. Programs get more columns.
func robustness(report *Report, blank table.Table) (tables []table.Table) {
	for _, p := range report.swept() {
		lines, names := withPublished(report, p)
		programs := blank
		programs.Title += " on " + envs.Title(p.env)
		programs.Columns = column.Sweep(names)
		addSwept(&programs, p, lines, names)
		t := programs.Without(column.Sample)
		if !severalTaskSets(lines) {
			t = t.Without(column.TaskSet)
		}
		compareIn(report.standing(), &t, p, lines)
		t.Programs = []table.Table{programs}
		tables = append(tables, t)
	}
	if len(tables) > 0 {
		head(report, &tables[0], table.AppendNew(nil, strings.TrimSpace(
			sweptLegend(report)+" "+strings.Join(sweptMarks(report), " ")))...)
	}
	return tables
}

// severalTaskSets reports whether lines were made on different tasks.
func severalTaskSets(lines []swept) bool {
	return slices.ContainsFunc(lines, func(l swept) bool { return l.tasks != "" && l.tasks != lines[0].tasks })
}

// sweptLegend says in a sentence what letters mean, if a table has any.
func sweptLegend(r *Report) string {
	s := r.standing()
	for _, p := range s.Places {
		if len(s.Letters(p))+len(s.Letters(p.Average())) > 0 {
			return lettersLegend + "."
		}
	}
	return ""
}

// compareIn adds to the rows of the rate that claims are about what they say: letters beside the rates without a
// perturbation and the averages, and the limits of what is lost.
func compareIn(s *standing, t *table.Table, p sweptPlace, lines []swept) {
	index := slices.IndexFunc(s.Places, func(scope claim.Scope) bool { return scope.Name == p.env })
	for i, row := range t.Rows {
		l := lines[i/len(sweptRates)]
		if index < 0 || sweptRates[i%len(sweptRates)] != s.Rate {
			continue
		}
		for key, scope := range map[string]claim.Scope{column.Condition(baseColumn).Key: s.Places[index],
			column.Average.Key: s.Places[index].Average()} {
			if rated := &row[t.Pos(key)]; rated.Value != nil {
				rated.Text = strings.TrimSuffix(rated.Text+" "+s.Letters(scope)[l.name], " ")
				rated.Best = s.Bold(scope)[l.name]
			}
		}
		if c, ok := s.lossOf(p.env, l.name); ok {
			row[t.Pos(column.Loss.Key)].Subtext = fmt.Sprintf("%.1f to %.1f", 0-100*c.Interval.High,
				0-100*c.Interval.Low)
		}
	}
}

// loss is what a line loses under perturbations on average; NaN if an episode lacks.
func (l swept) loss(perturbations []string, rate claim.Rate) float64 {
	base, lost, n := l.cells[baseColumn], 0.0, 0
	for _, name := range perturbations {
		if c := l.cells[name]; c.score != nil {
			lost, n = lost+c.estimate(rate).Mean, n+1
			if !c.score.Complete() {
				return math.NaN()
			}
		}
	}
	if base.score == nil || !base.score.Complete() || n == 0 {
		return math.NaN()
	}
	return stats.Exact(base.estimate(rate).Mean - lost/float64(n))
}

// withPublished are the lines of a place with published ones below them, and their conditions.
func withPublished(r *Report, p sweptPlace) (lines []swept, names []string) {
	lines, names = slices.Clone(p.lines), append([]string{baseColumn}, p.perturbations...)
	for _, b := range r.baselines {
		if b.Table.Env == p.env {
			lines = append(lines, publishedSweeps(b, r.weights)...)
			names = table.AppendNew(names, b.Table.Columns...)
		}
	}
	return lines, names
}

// conditionLegend explains the columns of a table of robustness.
const conditionLegend = "Average and Std are over the conditions shown, Std with divisor n and in points. Loss: none less the " +
	"mean under the perturbations of the interface, below it its 95% CI."

// head makes a table the first of its runs: it has their title, and below it what they say.
// Programs get the claims beside it.
func head(r *Report, t *table.Table, legend ...string) {
	s := r.standing()
	claims := table.Table{ID: "verdict", Title: s.Title(), Columns: description("verdict").Columns()}
	verdict(r, &claims)
	if t.Programs == nil {
		t.Programs = []table.Table{*t}
	}
	if verdicts := claims.Programs[0]; len(verdicts.Rows) > 0 {
		t.Programs = append(t.Programs, verdicts)
	}
	t.Caption = fmt.Sprintf("%s: %s.%s", t.Title, s.Title(), captionNote(r, s.Title()))
	t.Title = s.Title()
	t.Programs[0].Title = t.Title
	t.Notes = slices.Concat(s.Verdict(true), firstNotes(r, legend...))
}

// changes says what every perturbation changes, by environment.
func changes(report *Report, blank table.Table) (tables []table.Table) {
	for _, p := range report.swept() {
		t := blank
		t.Title = "Change under perturbations on " + envs.Title(p.env) + ", paired by task"
		addChanges(report, &t, p)
		tables = append(tables, t)
	}
	return tables
}

// compared lists the perturbations that stand side by side with the row's: those of
// its sweep that belong to no family.
func compared(r row) []record.Perturbation {
	return table.Filter(r.planned, func(p record.Perturbation) bool { return !combines(p) })
}

// perturbationsOf lists the perturbations of sweeps and the ones that change the interface, with notes that say what
// they are, and warnings about those that have different rules.
func perturbationsOf(rows []row) (names, interfaces, notes, warnings []string) {
	byName := map[string]record.Perturbation{}
	for _, r := range rows {
		for _, p := range compared(r) {
			previous, ok := byName[p.Name]
			if !ok {
				byName[p.Name] = p
				names = append(names, p.Name)
				notes = append(notes, p.Name+": "+p.Title+".")
				if p.Model == "" {
					interfaces = append(interfaces, p.Name)
				}
				continue
			}
			if previous.SHA256 != p.SHA256 {
				warnings = table.AppendNew(warnings,
					fmt.Sprintf("The rules of %s differ between runs, so its column is not comparable.", p.Name))
			}
		}
	}
	return names, interfaces, notes, warnings
}

// sweptLines gathers rows that differ in the perturbation alone.
func sweptLines(rows []row) []swept {
	var lines []swept
	for _, group := range table.Grouped(rows, func(r row) string { return r.commonKey }) {
		l := swept{name: group[0].line, tasks: tasksOf(group[0].Score), cells: map[string]sweptCell{}}
		for _, r := range group {
			column := r.Condition.Perturbation
			if column == noPerturbation {
				column = baseColumn
			}
			l.cells[column] = sweptCell{ratesOf(r), r.Score, r.model}
		}
		l.otherModels(cmp.Or(group[0].Condition.Substitute, group[0].Condition.Model), compared(group[0]))
		lines = append(lines, l)
	}
	return lines
}

// otherModels completes the conditions that change the model if no other model
// played. It uses the result without perturbation if that result counts.
func (l *swept) otherModels(model string, planned []record.Perturbation) {
	base, ok := l.cells[baseColumn]
	if !ok {
		return
	}
	for _, p := range planned {
		if _, found := l.cells[p.Name]; found || p.Model == "" {
			continue
		}
		if slices.Contains(p.Base, model) {
			reused := sweptCell{rates: base.rates}
			reused.marks += reuseMark
			l.cells[p.Name] = reused
			continue
		}
		advice := "name its model without such data with --set no-ind-model"
		if strings.HasPrefix(model, record.OwnModel) {
			advice = "play it in a run of its own with a model without such data"
		}
		l.absent = append(l.absent,
			fmt.Sprintf("%s was not played for %s: %s, or say --set ind=none.", p.Name, l.name, advice))
	}
}

// publishedSweeps turns a published table of conditions into lines.
func publishedSweeps(b Baseline, w configs.Weights) []swept {
	var out []swept
	for _, l := range publishedLines(b, w) {
		s := swept{name: l.Name, cells: map[string]sweptCell{}}
		for column, r := range l.rates {
			if r.success != nil || r.progress != nil {
				s.cells[column] = sweptCell{rates: r}
			}
		}
		out = append(out, s)
	}
	return out
}

// sweptRates are the rates of which each line has a row.
var sweptRates = []claim.Rate{claim.Success, claim.Progress}

// addSwept adds two rows per model.
func addSwept(t *table.Table, p sweptPlace, lines []swept, conditions []string) {
	usual := usualConditions(lines)
	for _, l := range lines {
		for _, rate := range sweptRates {
			values, line := l.row(conditions, rate)
			line = append(line, column.Model.Val(l.name), column.Rate.Val(string(rate)),
				column.Loss.Val(l.loss(p.interfaces, rate)))
			if l.tasks != "" {
				line = append(line, column.TaskSet.Val(l.tasks))
			}
			if values != nil {
				line = append(line, column.Average.Val(stats.Mean(values)).Marked(l.averageMarks(rate, usual)),
					column.Population.Val(stats.PopulationStd(values)), column.Sample.Val(stats.SampleStd(values)))
			}
			t.Add(line...)
		}
	}
}

// conditions names the conditions that a line has a rate under, sorted.
func (l swept) conditions(rate claim.Rate) string {
	var names []string
	for name, c := range l.cells {
		if e := c.estimate(rate); e != nil && !math.IsNaN(e.Mean) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return strings.Join(names, "\n")
}

// usualConditions are those that most lines have rates under.
func usualConditions(lines []swept) (usual string) {
	counts := map[string]int{}
	for _, l := range lines {
		conditions := l.conditions(claim.Success)
		if counts[conditions]++; counts[conditions] > counts[usual] {
			usual = conditions
		}
	}
	return usual
}

// averageMarks are the marks of a line's average: some episodes are missing, or it is not over the usual conditions.
func (l swept) averageMarks(rate claim.Rate, usual string) (marks string) {
	for _, c := range l.cells {
		if strings.Contains(c.marks, incompleteMark) {
			marks = incompleteMark
		}
	}
	if l.conditions(rate) != usual {
		marks += partMark
	}
	return marks
}

// sweptNotes explain the conditions and the marks of tables of robustness.
func sweptNotes(r *Report) (notes []string) {
	for _, p := range r.swept() {
		notes = append(notes, p.notes...)
	}
	if len(r.swept()) > 0 {
		notes = append(notes, conditionLegend)
	}
	return append(notes, sweptMarks(r)...)
}

// sweptMarks explain the marks of tables of robustness.
func sweptMarks(r *Report) []string {
	marks := ""
	for _, p := range r.swept() {
		lines, names := withPublished(r, p)
		usual := usualConditions(lines)
		for _, l := range lines {
			for _, rate := range sweptRates {
				if values, _ := l.row(names, rate); values != nil {
					marks += l.averageMarks(rate, usual)
				}
			}
			for _, c := range l.cells {
				marks += strings.ReplaceAll(c.marks, partMark, "")
			}
		}
	}
	return explained(marks, reuseMark+" The result without a perturbation, which counts here too: this model "+
		"saw no data of the environment.", partMark+" Average over other conditions than most rows.")
}

// row returns one rate under all conditions, and the values whose average the row has: none if a planned condition
// has no result. The task set says it of a row that is not on all tasks.
func (l swept) row(conditions []string, rate claim.Rate) (values []float64, line []table.Field) {
	missing := false
	for _, c := range conditions {
		r := l.cells[c].rates
		line = append(line, optional(column.Condition(c), r.estimate(rate),
			strings.NewReplacer(repliesMark, "", partMark, "").
				Replace(r.marks)))
		missing = missing || l.cells[c].score != nil && l.cells[c].score.Finished == 0
		if value := r.estimate(rate); value != nil && !math.IsNaN(value.Mean) {
			values = append(values, value.Mean)
		}
	}
	if missing {
		return nil, line
	}
	return values, line
}

// addChanges compares every condition with the one without perturbation, and the average of the conditions of the
// interface, by task. What the claims are about has their probabilities and intervals.
func addChanges(r *Report, t *table.Table, p sweptPlace) {
	pairs := pairing{settled: map[int]claim.Claim{}, rate: r.standing().Rate}
	for _, l := range p.lines {
		base := l.cells[baseColumn].score
		if base == nil {
			continue
		}
		var scores []*scoring.Score
		var names []string
		for _, name := range p.interfaces {
			if s := l.cells[name].score; s != nil {
				scores, names = append(scores, s), append(names, name)
			}
		}
		for _, name := range p.perturbations {
			s := l.cells[name].score
			if s == nil || len(names) == 1 && name == names[0] { // it is the average
				continue
			}
			label := name
			if s.Condition.Substitute != "" {
				label += ", " + l.cells[name].model
			}
			pairs.compare(l.name, label, []*scoring.Score{s}, base)
		}
		if len(scores) == 0 {
			continue
		}
		label := names[0]
		if len(names) > 1 {
			label = "average of " + claim.Brief(names)
		}
		pairs.compare(l.name, label, scores, base)
		if c, ok := r.standing().lossOf(p.env, l.name); ok {
			pairs.settled[len(pairs.comparisons)-1] = c
		}
	}
	pairs.fill(t, nil, legend(t)+" "+pairs.pairedNote())
}

// lossOf is the claim about what a model loses in a place; ok is false if it is not compared.
func (s *standing) lossOf(place, model string) (loss claim.Claim, ok bool) {
	for _, c := range s.Family(claim.Losses) {
		if c.Place.Name == place && c.Subjects[0].Name == model && c.Kind != claim.NotCompared {
			return c, true
		}
	}
	return loss, false
}

// compare adds the change to the mean of scores.
func (p *pairing) compare(model, label string, scores []*scoring.Score, base *scoring.Score) {
	c, err := scoring.CompareMean(scores, base)
	if err != nil {
		p.failed = append(p.failed, fmt.Sprintf("%s: %s cannot be compared with none: %v.", model, label, err))
		return
	}
	p.add(c, column.Model.Val(model), column.Perturbation.Val(label))
}
