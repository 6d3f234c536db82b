package report

import (
	"math"
	"strconv"

	"heldout/scoring"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// stepTable says what the episodes had reached by each step.
func stepTable(from *Report) table.Table {
	rows := from.plain
	t := table.Table{ID: "steps", Title: "Success and progress by step", Columns: []table.Column{
		{Key: "environment", Header: "Environment", Left: true}, {Key: "model", Header: "Model", Left: true}, {Key: "step", Header: "Step"},
		{Key: "success", Header: "SR"}, {Key: "success_low", Header: "95% low"}, {Key: "success_high", Header: "high", Upper: true},
		{Key: "progress", Header: "PR"}, {Key: "progress_low", Header: "95% low"}, {Key: "progress_high", Header: "high", Upper: true},
	}}
	for _, r := range rows {
		for _, p := range r.BySteps() {
			sLow, sHigh := interval(p.Success)
			pLow, pHigh := interval(p.Progress)
			t.Rows = append(t.Rows, []table.Cell{
				r.where(), table.String(r.name), table.Int(p.Step),
				r.mark(table.Percent(p.Success.Mean)), sLow, sHigh, r.mark(table.Percent(p.Progress.Mean)), pLow, pHigh,
			})
		}
	}
	if len(t.Rows) > 0 {
		t.Notes = append(t.Notes, "SR: share of episodes solved by that step, PR: mean progress after it, in percent; means over the seeds of a task, then over tasks. "+
			"What an episode had reached when it ended stays. Each interval holds by itself.")
		t.Notes = append(t.Notes, aboutNotes(rows)...)
		t.Notes = append(t.Notes, otherNames(rows)...)
	}
	t.Notes = append(t.Notes, markNotes(t.Rows)...)
	return t
}

// usageTable says what an episode used of steps, tokens and time.
func usageTable(from *Report) table.Table {
	rows := from.plain
	t := table.Table{ID: "usage", Title: "Steps, tokens and time per episode", Columns: []table.Column{
		{Key: "environment", Header: "Environment", Left: true}, {Key: "model", Header: "Model", Left: true}, {Key: "quantity", Header: "Quantity", Left: true},
		{Key: "episodes", Header: "Episodes"}, {Key: "mean", Header: "Mean"}, {Key: "low", Header: "10 %"}, {Key: "median", Header: "Median"}, {Key: "high", Header: "90 %"},
	}}
	for _, r := range rows {
		for _, q := range scoring.Quantities() {
			u := r.Usage(q)
			if math.IsNaN(u.Mean) {
				continue
			}
			t.Rows = append(t.Rows, []table.Cell{
				r.where(), table.String(r.name), table.String(string(q)), table.Int(u.Episodes),
				r.mark(used(u.Mean)), used(u.Low), used(u.Median), used(u.High),
			})
		}
	}
	if len(t.Rows) > 0 {
		t.Notes = append(t.Notes, "Of the episodes with a result. Tokens: as the server counted them. Model seconds: time of the answered requests; seconds: from start to end, with other episodes in flight. "+
			"What no episode used, or nobody counted, is left out.")
	}
	t.Notes = append(t.Notes, markNotes(t.Rows)...)
	return t
}

// used is a cell with an amount, shown with three digits or more.
func used(x float64) table.Cell {
	digits := 0
	for limit := 100.0; x < limit && digits < 3; limit /= 10 {
		digits++
	}
	return table.Cell{Text: strconv.FormatFloat(x, 'f', digits, 64), Value: x}
}

// endingTable says how the planned episodes ended.
func endingTable(from *Report) table.Table {
	rows := from.plain
	t := table.Table{ID: "endings", Title: "How episodes ended", Columns: []table.Column{
		{Key: "environment", Header: "Environment", Left: true}, {Key: "model", Header: "Model", Left: true}, {Key: "planned", Header: "Planned"},
		{Key: "solved", Header: "Solved"}, {Key: "early", Header: "Ended early"}, {Key: "limit", Header: "Step limit"},
		{Key: "context_exceeded", Header: "Context exceeded"}, {Key: "model_error", Header: "Model error"}, {Key: "env_error", Header: "Environment error"},
		{Key: "not_run", Header: "Not run"},
	}}
	for _, r := range rows {
		e := r.Endings()
		t.Rows = append(t.Rows, []table.Cell{
			r.where(), table.String(r.name), table.Int(r.Planned).Marked(r.mark(table.None()).Mark),
			table.Int(e.Solved), table.Int(e.Early), table.Int(e.Limit),
			table.Int(e.Unfinished[record.ContextExceeded]), table.Int(e.Unfinished[record.ModelError]), table.Int(e.Unfinished[record.EnvError]),
			table.Int(e.Unfinished[record.Cancelled] + e.Unfinished[""]),
		})
	}
	if len(t.Rows) > 0 {
		t.Notes = append(t.Notes, "Numbers of episodes. Ended early: unsolved before the step limit, because the game was over or the agent gave up. Step limit: unsolved after all steps. "+
			"The others have no result and count neither as solved nor as failed; not run includes episodes that were cancelled.")
	}
	t.Notes = append(t.Notes, markNotes(t.Rows)...)
	return t
}

// lostTable says what the steps of unsolved episodes were.
func lostTable(from *Report) table.Table {
	rows := from.plain
	t := table.Table{ID: "lost-steps", Title: "Steps of unsolved episodes", Columns: []table.Column{
		{Key: "environment", Header: "Environment", Left: true}, {Key: "model", Header: "Model", Left: true}, {Key: "episodes", Header: "Unsolved"},
		{Key: "steps", Header: "Steps"}, {Key: "cut_off", Header: "Cut off"}, {Key: "format", Header: "Format error"}, {Key: "invalid", Header: "Invalid action"},
		{Key: "loops", Header: "Loop"}, {Key: "other", Header: "Other"},
	}}
	for _, r := range rows {
		l, ok := r.Lost()
		if !ok || l.Steps == 0 {
			continue
		}
		share := func(n int) table.Cell { return r.mark(table.Percent(float64(n) / float64(l.Steps))) }
		t.Rows = append(t.Rows, []table.Cell{
			r.where(), table.String(r.name), table.Int(l.Episodes), table.Int(l.Steps),
			share(l.CutOff), share(l.Format), share(l.Invalid), share(l.Loops), share(l.Steps - l.CutOff - l.Format - l.Invalid - l.Loops),
		})
	}
	if len(t.Rows) > 0 {
		t.Notes = append(t.Notes, "Shares of the steps of unsolved episodes, in percent; a step counts once, in this order. Cut off: no action could be read from a reply that the length limit ended. "+
			"Format error: none could be read from another reply. Invalid action: the environment did not carry it out. Loop: a valid step in a cycle of at most 5 steps that was passed 3 times or more. "+
			"Old records do not say which replies were cut off; those are format errors here.")
	}
	t.Notes = append(t.Notes, markNotes(t.Rows)...)
	return t
}
