package report

import (
	"fmt"
	"math"

	"heldout/scoring"
	"heldout/scoring/table"
)

// Power says which difference from the first model of each environment the runs
// can detect, and how many seeds or tasks it takes to detect a given difference,
// which is a fraction.
func Power(runs []Run, difference float64) table.Table {
	t := table.Table{ID: "power", Title: fmt.Sprintf("Seeing a difference of %g points with a probability of 80 %%", 100*difference), Columns: []table.Column{
		{Key: "environment", Header: "Environment", Left: true}, {Key: "model", Header: "Model", Left: true}, {Key: "against", Header: "against", Left: true},
		{Key: "rate", Header: "Rate", Left: true}, {Key: "tasks", Header: "Tasks", Detail: true}, {Key: "seeds", Header: "Seeds"},
		{Key: "decoding", Header: "Decoding"}, {Key: "smallest", Header: "Visible"}, {Key: "smallest_limit", Header: "limit"},
		{Key: "power", Header: "Power"}, {Key: "seeds_needed", Header: "Seeds needed"}, {Key: "tasks_needed", Header: "or tasks"},
	}}
	rows := newRows(runs, false)
	first, paired := map[string]row{}, map[string]bool{}
	var failed []string
	for _, r := range rows {
		base, ok := first[r.Condition.Env]
		if !ok {
			first[r.Condition.Env] = r
			continue
		}
		paired[r.Condition.Env] = true
		for _, rate := range []struct {
			name string
			plan func(a, b *scoring.Score) (scoring.Plan, error)
		}{{"SR", scoring.PlanSuccess}, {"PR", scoring.PlanProgress}} {
			p, err := rate.plan(r.Score, base.Score)
			if err != nil {
				failed = append(failed, fmt.Sprintf("%s and %s on %s, %s: %v.", r.name, base.name, r.Condition.Env, rate.name, err))
				continue
			}
			t.Rows = append(t.Rows, append([]table.Cell{r.where(), table.String(r.name), table.String(base.name), table.String(rate.name)}, planCells(p, difference)...))
		}
	}
	if len(t.Rows) > 0 {
		t.Notes = append(t.Notes, "Decoding: its share of the variance of the difference, in percent; the rest is between tasks. Visible: the smallest difference that these seeds show with a probability of 80 %, "+
			"and its limit with ever more seeds, in points. Power: probability of seeing the difference with these seeds. Seeds needed: for it on these tasks; – if no number is enough. "+
			"Or tasks: as many like these with these seeds. These are estimates from one run: read two digits.",
			"With one seed decoding cannot be told from tasks: all variance is taken as that of tasks, so that more seeds seem to help least.")
		t.Notes = append(t.Notes, aboutNotes(rows)...)
	}
	for _, r := range rows {
		if env := r.Condition.Env; !paired[env] {
			failed = append(failed, fmt.Sprintf("%s: %s is alone; a plan is made from two models on the same tasks.", env, r.name))
		}
	}
	t.Notes = append(t.Notes, failed...)
	return t
}

func planCells(p scoring.Plan, difference float64) []table.Cell {
	seeds := float64(p.Seeds)
	needed, decoding := table.None(), table.None()
	if n, ok := p.Plan.Seeds(difference); ok {
		needed = table.Int(n)
	}
	if p.Known {
		decoding = table.Percent(p.DecodingShare(seeds))
	}
	return []table.Cell{
		table.Int(p.N), table.Int(p.Seeds), decoding, table.Percent(p.Smallest(seeds)), table.Percent(p.Smallest(math.Inf(1))),
		table.Percent(p.Power(difference, seeds)), needed, table.Int(p.Tasks(difference, seeds)),
	}
}
