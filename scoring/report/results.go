package report

import (
	"fmt"
	"slices"

	"heldout/envs"
	"heldout/scoring/column"
	"heldout/scoring/table"
)

// results are the tables of rates, one for each pair of names that rates have.
func results(report *Report, blank table.Table) (tables []table.Table) {
	var names []measures
	groups := map[measures][]row{}
	for _, r := range report.rows {
		m := r.measures()
		if groups[m] == nil {
			names = append(names, m)
		}
		groups[m] = append(groups[m], r)
	}
	if len(names) == 0 || groups[common] != nil { // first of all
		names = append([]measures{common}, slices.DeleteFunc(names, func(m measures) bool { return m == common })...)
	}
	for _, m := range names {
		t := blank
		t.Columns = slices.Clone(blank.Columns)
		t.Columns[t.Pos(column.Success.Key)].Header, t.Columns[t.Pos(column.Progress.Key)].Header = m.success,
			m.progress
		addResults(&t, groups[m], m)
		if m != common {
			t.ID, t.Title = fmt.Sprintf("results-%s-%s", m.success, m.progress),
				fmt.Sprintf("Results: %s and %s", m.success, m.progress)
		}
		tables = append(tables, t)
	}
	return tables
}

// addResults adds the rates of rows whose rates have these names.
func addResults(t *table.Table, rows []row, m measures) {
	t.Notes = append(t.Notes,
		m.explain()+
			", GA grounding accuracy (the share of valid actions), in percent: the mean over tasks of the mean over "+
			"seeds. "+
			"Planned: episodes, one for every task and seed. Done: those with a result.")
	t.Notes = append(t.Notes, aboutNotes(rows)...)
	generated := false
	for _, r := range rows {
		generated = generated || r.Environment.Source == envs.Generated
		t.Add(r.envCol(), column.TaskSet.Val(tasksOf(r.Score)), r.modelCol(), column.Agent.Val(r.Condition.Agent),
			column.Finished.Val(r.Finished), column.Planned.Val(r.Planned),
			r.rated(column.Success, r.Success.Estimate), r.rated(column.Progress, r.Progress.Estimate),
			r.share(column.Grounding, r.Grounding.Mean), column.Seeds.Val(len(r.Seeds)))
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
