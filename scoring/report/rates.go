package report

import (
	"fmt"
	"slices"

	"heldout/envs"
	"heldout/scoring"
	"heldout/scoring/claim"
	"heldout/scoring/column"
	"heldout/scoring/table"
)

// rateLines has the held-out score and the rates of each environment with their intervals, published results beside
// them, one line per environment and model. Environments that only publications have are left out.
func rateLines(report *Report, t *table.Table) {
	rows, w := report.plain, report.weights
	lines, listed := report.withBaselines(gather(fair(rows), placeOf))
	marks := ""
	add := func(env string, l modelRates, success, progress scoring.Estimate, mark string) {
		marks += mark
		line := []table.Field{column.Environment.Val(env), column.Model.Val(l.Name), column.Origin.Val(l.origin()),
			rated(column.Success, success).Marked(mark), rated(column.Progress, progress).Marked(mark)}
		if score := l.Scores[env]; score != nil {
			line = append(line, column.TaskSet.Val(tasksOf(score)))
		}
		t.Add(line...)
	}
	for _, l := range lines {
		if h := l.heldOut(w); len(h.Missing) == 0 {
			add(column.HeldOutScore, l, h.Success, h.Progress, "")
		}
	}
	for _, env := range table.Keys(rows, placeOf) {
		for _, l := range lines {
			if r, ok := l.rates[env]; ok && r.success != nil && r.progress != nil {
				add(env, l, *r.success, *r.progress, r.marks)
			}
		}
	}
	annotate(t, weightNote(w), notesOn(rows, withheld), aboutNotes(rows),
		noScore(gather(rows, placeOf), w), otherNames(rows), directories(rows), rateMarks(marks),
		sources(listed, marks))
	programs := *t
	*t = t.Without(column.TaskSet)
	t.Programs = []table.Table{programs}
}

// fair are the rows with a rate that does not mislead.
func fair(rows []row) []row { return table.Filter(rows, func(r row) bool { return !r.Misleads() }) }

// results are the tables of rates, one for each pair of names that rates have: SR and PR first of all.
func results(report *Report, blank table.Table) (tables []table.Table) {
	groups := table.Grouped(report.rows, rateNames)
	if i := slices.IndexFunc(groups, func(group []row) bool { return rateNames(group[0]) == usualNames }); i > 0 {
		groups = slices.Insert(slices.Delete(slices.Clone(groups), i, i+1), 0, groups[i])
	}
	if len(groups) == 0 {
		groups = [][]row{nil}
	}
	for _, rows := range groups {
		t, names := blank, usualNames
		if len(rows) > 0 {
			names = rateNames(rows[0])
		}
		t.Columns = slices.Clone(blank.Columns)
		t.Columns[t.Pos(column.Success.Key)].Header, t.Columns[t.Pos(column.Progress.Key)].Header = names[0], names[1]
		legend := "SR success rate, PR progress rate"
		if names != usualNames {
			legend = fmt.Sprintf("%s and %s, which count as success rate and progress rate", names[0], names[1])
			t.ID = fmt.Sprintf("results-%s-%s", names[0], names[1])
			t.Title = fmt.Sprintf("Results: %s and %s", names[0], names[1])
		}
		addResults(&t, rows, legend)
		tables = append(tables, t)
	}
	return tables
}

// rateNames are what the environment of a row calls the success rate and the progress rate.
func rateNames(r row) [2]string {
	return [2]string{claim.Success.NameIn(r.place), claim.Progress.NameIn(r.place)}
}

// usualNames are what most environments call their rates.
var usualNames = [2]string{string(claim.Success), string(claim.Progress)}

// addResults adds the rates of rows; legend says what their names mean.
func addResults(t *table.Table, rows []row, legend string) {
	t.Notes = append(t.Notes, legend+", GA grounding accuracy (the share of valid actions), in percent: the mean over "+
		"tasks of the mean over seeds. Planned: episodes, one for every task and seed. Done: those with a result.")
	t.Notes = append(t.Notes, aboutNotes(rows)...)
	generated := false
	for _, r := range rows {
		generated = generated || r.Environment.Source == envs.Generated
		t.Add(r.envCol(), column.TaskSet.Val(tasksOf(r.Score)), r.modelCol(), column.Agent.Val(r.Condition.Agent),
			column.Finished.Val(r.Finished), column.Planned.Val(r.Planned),
			r.rated(column.Success, r.Success.Estimate), r.rated(column.Progress, r.Progress.Estimate),
			r.share(column.Grounding, r.Grounding.Mean), column.Seeds.Val(r.SeedCount()))
	}
	t.Notes = slices.Concat(t.Notes, directories(rows), decodings(rows), prompts(rows), settings(rows),
		stepLimits(rows))
	if generated {
		t.Notes = append(t.Notes,
			"Generated tasks are heldout's own: their rates do not compare with published ones and do not count for "+
				"the held-out score.")
	}
	t.Notes = slices.Concat(t.Notes, caveats(rows), incomplete(rows), replyNotes(rows), ruleNotes(rows),
		lateNotes(rows))
}
