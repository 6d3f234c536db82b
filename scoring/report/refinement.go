package report

import (
	"fmt"
	"math"
	"strings"

	"heldout/scoring"
	"heldout/scoring/refinement"
	"heldout/scoring/stats"
	"heldout/scoring/table"
)

// refinementKeys are the measures of the short table with their headers.
var refinementKeys = []struct {
	key, header string
	detail      bool
}{
	{"format_errors", "Format", false}, {"cut_off", "Cut off", true}, {"invalid", "Invalid", false}, {"old_form", "Old form", false},
	{"repeated_errors", "Repeat", false}, {"loops", "Loop", false}, {"error_run_mean", "Run", true},
	{"recovered_1", "Rec. 1", true}, {"recovered_3", "Rec. 3", false}, {"recovered_5", "Rec. 5", true}, {"progressed_5", "Progr.", false},
	{"stuck_steps", "Stuck", false}, {"lost_progress", "Lost", true}, {"distinct_2", "Dist.-2", true},
}

// refinementNote explains the short table.
const refinementNote = "In percent; Run in steps. Format, Invalid: format errors and invalid actions per step. Repeat: errors already answered as errors in an equal situation. " +
	"Loop: steps in cycles. Run: mean length of runs of errors. Rec. 3: errors followed within 3 steps by a different valid action. " +
	"Progr.: errors followed by progress within 5 steps. Stuck: of unsolved episodes, the steps after the last progress."

// refinementShort has the most informative measures of what the models do with
// their errors, one line per row.
func refinementShort(from *Report) table.Table {
	rows := from.rows
	t := table.Table{ID: "refinement", Title: "Refinement", Columns: []table.Column{
		{Key: "environment", Header: "Environment", Left: true}, {Key: "model", Header: "Model", Left: true},
	}}
	perturbed := false
	for _, r := range rows {
		perturbed = perturbed || r.Condition.Perturbation != noPerturbation
	}
	for _, k := range refinementKeys {
		if k.key != "old_form" || perturbed {
			t.Columns = append(t.Columns, table.Column{Key: k.key, Header: k.header, Detail: k.detail})
		}
	}
	for _, r := range rows {
		byKey := map[string]scoring.Measured{}
		for _, m := range r.Refinement() {
			byKey[m.Key] = m
		}
		if len(byKey) == 0 {
			continue
		}
		cells := []table.Cell{r.where(), table.String(r.name)}
		for _, c := range t.Columns[2:] {
			m := byKey[c.Key]
			cells = append(cells, r.mark(amount(m.Unit, m.Value)))
		}
		t.Rows = append(t.Rows, cells)
	}
	if len(t.Rows) > 0 {
		note := refinementNote
		if perturbed {
			note += " Old form: invalid actions in the form that the perturbation replaces, per step."
		}
		t.Notes = append(t.Notes, note, "All measures with intervals: --table refinement-measures; differences paired by task: refinement-paired; when progress was made: progress-profile.")
	}
	t.Notes = append(t.Notes, markNotes(t.Rows)...)
	return t
}

// refinementMeasures has every measure with its interval.
func refinementMeasures(from *Report) table.Table {
	rows := from.all
	t := table.Table{ID: "refinement-measures", Title: "Refinement: all measures", Columns: append(measureColumns(),
		table.Column{Key: "value", Header: "Value"}, table.Column{Key: "unit", Header: "", Left: true},
		table.Column{Key: "low", Header: "95% low"}, table.Column{Key: "high", Header: "high", Upper: true},
	)}
	for _, r := range rows {
		for _, m := range r.Refinement() {
			if !math.IsNaN(m.Value) {
				low, high := measuredInterval(m)
				t.Rows = append(t.Rows, []table.Cell{
					r.where(), table.String(r.name), table.String(m.Name), r.mark(amount(m.Unit, m.Value)), table.String(string(m.Unit)), low, high,
				})
			}
		}
	}
	if len(t.Rows) > 0 {
		t.Notes = append(t.Notes, "Sums over all episodes of a task, then over tasks; scoring/refinement/MEASURES.md defines each measure. What does not apply is left out. "+
			"Unrecovered: Kaplan and Meier's estimate, each interval by itself; a model with more errors may have easier ones.")
		t.Notes = append(t.Notes, aboutNotes(rows)...)
	}
	t.Notes = append(t.Notes, markNotes(t.Rows)...)
	return t
}

func measureColumns() []table.Column {
	return []table.Column{
		{Key: "environment", Header: "Environment", Left: true}, {Key: "model", Header: "Model", Left: true}, {Key: "measure", Header: "Measure", Left: true},
	}
}

// refinementPaired has the difference of every measure from the first row of the
// environment.
func refinementPaired(from *Report) table.Table {
	rows := from.plain
	t := table.Table{ID: "refinement-paired", Title: "Refinement: differences, paired by task", Columns: append(measureColumns(),
		table.Column{Key: "against", Header: "against", Left: true},
		table.Column{Key: "difference", Header: "Δ"}, table.Column{Key: "unit", Header: "", Left: true},
		table.Column{Key: "low", Header: "95% low"}, table.Column{Key: "high", Header: "high", Upper: true},
		table.Column{Key: "p", Header: "p"},
	)}
	first := map[string]row{}
	var failed []string
	var changes []scoring.MeasuredChange
	var ps []float64
	for _, r := range rows {
		if r.Refinement() == nil { // read without trajectories
			continue
		}
		base, ok := first[r.place()]
		if !ok {
			first[r.place()] = r
			continue
		}
		found, err := scoring.CompareRefinement(r.Score, base.Score)
		if err != nil {
			failed = append(failed, fmt.Sprintf("%s cannot be compared with %s on %s: %v.", r.name, base.name, r.place(), err))
		}
		for _, c := range found {
			changes = append(changes, c)
			if !math.IsNaN(c.P) {
				ps = append(ps, c.P)
			}
			t.Rows = append(t.Rows, []table.Cell{
				r.where(), table.String(r.name), table.String(c.Name), table.String(base.name),
				change(c.Unit, c.Mean), table.String(string(c.Unit)), change(c.Unit, c.Low), change(c.Unit, c.High),
			})
		}
	}
	corrected := stats.Holm(ps)
	for i, c := range changes {
		p := table.None()
		if !math.IsNaN(c.P) {
			p, corrected = table.Probability(corrected[0]), corrected[1:]
		}
		t.Rows[i] = append(t.Rows[i], p)
	}
	if len(changes) > 0 {
		t.Notes = append(t.Notes, "Δ: model minus the one it is set against, on the same tasks; shares in percentage points. 95% low, high: Student's t interval. "+
			"p: of the same t. "+decided(len(ps), "")+" No interval where all tasks are alike; measures that are equal are left out.")
		t.Notes = append(t.Notes, aboutNotes(rows)...)
	}
	t.Notes = append(t.Notes, failed...)
	return t
}

// progressProfile says how many episodes reached each tenth of progress, and when.
func progressProfile(from *Report) table.Table {
	rows := from.all
	t := table.Table{ID: "progress-profile", Title: "Progress profile", Columns: []table.Column{
		{Key: "environment", Header: "Environment", Left: true}, {Key: "model", Header: "Model", Left: true}, {Key: "progress", Header: "Progress"},
		{Key: "reached", Header: "Reached"}, {Key: "reached_low", Header: "95% low"}, {Key: "reached_high", Header: "high", Upper: true},
		{Key: "steps", Header: "Steps"}, {Key: "steps_low", Header: "95% low"}, {Key: "steps_high", Header: "high", Upper: true},
	}}
	for _, r := range rows {
		reached, steps := r.Profile()
		for k := range reached {
			low, high := measuredInterval(reached[k])
			least, most := measuredInterval(steps[k])
			t.Rows = append(t.Rows, []table.Cell{
				r.where(), table.String(r.name), table.Percent(float64(k+1) / refinement.Tenths),
				r.mark(amount(refinement.Share, reached[k].Value)), low, high, amount(refinement.Steps, steps[k].Value), least, most,
			})
		}
	}
	if len(t.Rows) > 0 {
		t.Notes = append(t.Notes, "Reached: share of the episodes that reached that progress, in percent. Steps: at which step those did, on average; they are others for every line.")
		t.Notes = append(t.Notes, aboutNotes(rows)...)
	}
	t.Notes = append(t.Notes, markNotes(t.Rows)...)
	return t
}

// amount is a cell with a value of that unit.
func amount(u refinement.Unit, value float64) table.Cell {
	switch {
	case u == refinement.Share:
		return table.Percent(value)
	case u == "" || math.IsNaN(value):
		return table.None()
	}
	return table.Cell{Text: fmt.Sprintf("%.1f", value), Value: value}
}

// change is a cell with a difference of that unit.
func change(u refinement.Unit, value float64) table.Cell {
	if u == refinement.Share || math.IsNaN(value) {
		return table.Points(value)
	}
	text := fmt.Sprintf("%+.1f", value)
	if strings.Trim(text, "+-0.") == "" {
		text = "0.0"
	}
	return table.Cell{Text: text, Value: value}
}

func measuredInterval(m scoring.Measured) (low, high table.Cell) {
	if m.Interval == nil {
		return table.None(), table.None()
	}
	return amount(m.Unit, m.Interval.Low), amount(m.Unit, m.Interval.High)
}
