package report

import (
	"fmt"
	"slices"
	"strings"

	"heldout/configs"
	"heldout/envs"
	"heldout/scoring"
	"heldout/scoring/table"
)

const heldInMark = "†"

// heldOut puts the environments side by side, a line a model, as published
// tables do, with the held-out score at the end. Only official tasks count.
func heldOut(rows []row, baselines []Baseline, w configs.Weights) table.Table {
	t := table.Table{
		ID: "held-out", Title: "Held-out score",
		Columns: []table.Column{{Key: "model", Header: "Model", Left: true}},
		Notes:   []string{weightNote(w)},
	}
	environments := slices.Clone(w.HeldIn)
	for _, h := range w.HeldOut {
		environments = append(environments, h.Env)
	}
	for _, e := range environments {
		t.Columns = append(t.Columns,
			table.Column{Key: e + "_success", Header: e + " SR"}, table.Column{Key: e + "_progress", Header: "PR"})
	}
	t.Columns = append(t.Columns, table.Column{Key: "heldout_success", Header: "Held-out SR"}, table.Column{Key: "heldout_progress", Header: "PR"})
	for _, l := range officialLines(rows) {
		t.Rows = append(t.Rows, l.cells(environments, w))
		if missing := l.heldOut(w).Missing; len(missing) > 0 {
			t.Notes = append(t.Notes, fmt.Sprintf("%s: the held-out score is incomplete; missing: %s.", l.name, strings.Join(missing, ", ")))
		}
	}
	for _, b := range baselines {
		for _, l := range publishedLines(b) {
			t.Rows = append(t.Rows, l.cells(environments, w))
		}
		t.Notes = append(t.Notes, fmt.Sprintf("%s: %s, %s; %s held-in: the model was tuned on data of that environment.", b.Name, b.From.Title, b.Table.Title, heldInMark))
		t.Notes = append(t.Notes, b.Table.Notes...)
	}
	return t
}

func weightNote(w configs.Weights) string {
	var parts []string
	for _, h := range w.HeldOut {
		parts = append(parts, fmt.Sprintf("%s %g", h.Env, h.Weight))
	}
	return fmt.Sprintf("Weights: %s (%s). Only complete results on all official tasks count.", strings.Join(parts, ", "), w.Source)
}

// line is one model's rates by environment.
type line struct {
	name  string
	rates map[string]rates
}

// rates are fractions; whole says that they count for the held-out score.
type rates struct {
	success, progress *float64
	whole             bool
	marks             string
}

// officialLines gathers the rows on official tasks by name.
func officialLines(rows []row) []line {
	var out []line
	for _, r := range rows {
		if r.Environment.Source != envs.Official {
			continue
		}
		i := slices.IndexFunc(out, func(l line) bool { return l.name == r.name })
		if i < 0 {
			out = append(out, line{r.name, map[string]rates{}})
			i = len(out) - 1
		}
		rate := rates{
			success: &r.Success.Mean, progress: &r.Progress.Mean,
			whole: r.Complete() && len(r.Environment.Tasks) == r.Environment.Total,
		}
		if !r.Complete() {
			rate.marks = incompleteMark
		}
		out[i].rates[r.Condition.Env] = rate
	}
	return out
}

// publishedLines turns a published table into lines.
func publishedLines(b Baseline) []line {
	var out []line
	for _, r := range b.Table.Rows {
		l := line{name: r.Model, rates: map[string]rates{}}
		if r.Base != "" {
			l.name += ", " + r.Base
		}
		l.name += " [" + b.Name + "]"
		for i, env := range b.Table.Columns {
			rate := rates{success: fraction(r.Success, i), progress: fraction(r.Progress, i)}
			rate.whole = rate.success != nil && rate.progress != nil
			if slices.Contains(r.HeldIn, env) {
				rate.marks = heldInMark
			}
			l.rates[env] = rate
		}
		out = append(out, l)
	}
	return out
}

// fraction turns a published percentage into a fraction; nil if there is none.
func fraction(percents []*float64, i int) *float64 {
	if i >= len(percents) || percents[i] == nil {
		return nil
	}
	f := *percents[i] / 100
	return &f
}

func (l line) heldOut(w configs.Weights) scoring.HeldOut {
	return scoring.ComputeHeldOut(w, func(env string) (success, progress float64, ok bool) {
		r := l.rates[env]
		if !r.whole {
			return 0, 0, false
		}
		return *r.success, *r.progress, true
	})
}

func (l line) cells(environments []string, w configs.Weights) []table.Cell {
	cells := []table.Cell{table.String(l.name)}
	for _, e := range environments {
		r := l.rates[e]
		cells = append(cells, rateCell(r.success, r.marks), rateCell(r.progress, r.marks))
	}
	if h := l.heldOut(w); len(h.Missing) == 0 {
		return append(cells, table.Percent(h.Success), table.Percent(h.Progress))
	}
	return append(cells, table.None(), table.None())
}

func rateCell(rate *float64, marks string) table.Cell {
	if rate == nil {
		return table.None()
	}
	return table.Percent(*rate).Marked(marks)
}
