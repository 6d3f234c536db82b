package report

import (
	"fmt"
	"slices"

	"heldout/envs"
	"heldout/scoring/table"
)

// resultTables returns the tables of rates, one for each pair of names that rates
// have.
func resultTables(from *Report) []table.Table {
	var names []measures
	groups := map[measures][]row{}
	for _, r := range from.rows {
		m := r.measures()
		if groups[m] == nil {
			names = append(names, m)
		}
		groups[m] = append(groups[m], r)
	}
	if len(names) == 0 || groups[common] != nil { // first of all
		names = append([]measures{common}, slices.DeleteFunc(names, func(m measures) bool { return m == common })...)
	}
	var tables []table.Table
	for _, m := range names {
		t := results(groups[m], m)
		if m != common {
			t.ID, t.Title = fmt.Sprintf("results-%s-%s", m.success, m.progress), fmt.Sprintf("Results: %s and %s", m.success, m.progress)
		}
		tables = append(tables, t)
	}
	return tables
}

// results is the table of rates.
func results(rows []row, m measures) table.Table {
	t := table.Table{
		ID: "results", Title: "Results",
		Columns: []table.Column{
			{Key: "environment", Header: "Environment", Left: true},
			{Key: "tasks", Header: "Tasks", Left: true},
			{Key: "model", Header: "Model", Left: true},
			{Key: "agent", Header: "Agent", Left: true, Detail: true},
			{Key: "finished", Header: "Done", Detail: true},
			{Key: "planned", Header: "Planned", Detail: true},
			{Key: "success", Header: m.success},
			{Key: "success_low", Header: "95% low"},
			{Key: "success_high", Header: "high", Upper: true},
			{Key: "progress", Header: m.progress},
			{Key: "progress_low", Header: "95% low"},
			{Key: "progress_high", Header: "high", Upper: true},
			{Key: "grounding", Header: "GA", Detail: true},
			{Key: "seeds", Header: "Seeds", Detail: true},
		},
		Notes: []string{
			m.explain() + ", GA grounding accuracy (the share of valid actions), in percent: the mean over the episodes of a seed, then over seeds. " +
				"Planned: episodes, one for every task and seed. Done: those with a result.",
		},
	}
	t.Notes = append(t.Notes, aboutNotes(rows)...)
	generated := false
	for _, r := range rows {
		generated = generated || r.Environment.Source == envs.Generated
		sLow, sHigh := interval(r.Success.Estimate)
		pLow, pHigh := interval(r.Progress.Estimate)
		t.Rows = append(t.Rows, []table.Cell{
			r.where(), table.String(r.tasks()), table.String(r.name), table.String(r.Condition.Agent),
			table.Int(r.Finished), table.Int(r.Planned),
			r.mark(table.Percent(r.Success.Mean)), sLow, sHigh,
			r.mark(table.Percent(r.Progress.Mean)), pLow, pHigh,
			r.mark(table.Percent(r.Grounding.Mean)), table.Int(len(r.Seeds)),
		})
	}
	t.Notes = append(t.Notes, directories(rows)...)
	t.Notes = append(t.Notes, decodings(rows)...)
	t.Notes = append(t.Notes, prompts(rows)...)
	t.Notes = append(t.Notes, settings(rows)...)
	t.Notes = append(t.Notes, stepLimits(rows)...)
	if generated {
		t.Notes = append(t.Notes, "Generated tasks are heldout's own: their rates do not compare with published ones and do not count for the held-out score.")
	}
	t.Notes = append(t.Notes, caveats(rows)...)
	t.Notes = append(t.Notes, incomplete(rows)...)
	t.Notes = append(t.Notes, replyNotes(rows)...)
	t.Notes = append(t.Notes, ruleNotes(rows)...)
	return t
}
