package report

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"heldout/scoring"
	"heldout/scoring/table"
)

// OrderGiven asks for all served models in the order of the runs.
const OrderGiven = "given"

// InOrder puts models in an order, such as that of their training. Models are named as in
// tables, without the provider, or by their run's directory. The order may be
// OrderGiven. A name that fits no model or several is an error.
func (r *Report) InOrder(names []string) (err error) {
	r.checkpoints, err = ordered(gather(r.plain, row.place), names)
	return err
}

// checkpoints has the rates of models in an order.
func checkpoints(from *Report) table.Table {
	rows, w := from.plain, from.weights
	if len(from.checkpoints) == 0 {
		return table.Table{}
	}
	t := table.Table{ID: "checkpoints", Title: "Checkpoints in order", Columns: rateColumnsWithLimits()}
	marks := ""
	for _, l := range from.checkpoints {
		if h := l.heldOut(w); len(h.Missing) == 0 {
			t.Rows = append(t.Rows, rateCells(heldOutName, l.name, fromRun, h.Success, h.Progress, ""))
		}
	}
	for _, env := range environmentsOf(rows) {
		for _, l := range from.checkpoints {
			if r, ok := l.rates[env]; ok {
				t.Rows = append(t.Rows, rateCells(env, l.name, fromRun, *r.success, *r.progress, r.marks))
				marks += r.marks
			}
		}
	}
	t.Notes = append(t.Notes, weightNote(w))
	t.Notes = append(t.Notes, aboutNotes(rows)...)
	t.Notes = append(t.Notes, otherNames(rows)...)
	t.Notes = append(t.Notes, directories(rows)...)
	t.Notes = append(t.Notes, rateMarks(marks)...)
	return t
}

// ordered returns the lines in the order of their names.
func ordered(lines []line, order []string) (out []line, err error) {
	if slices.Equal(order, []string{OrderGiven}) {
		if out = slices.DeleteFunc(slices.Clone(lines), func(l line) bool { return !l.served }); len(out) == 0 {
			return nil, errors.New("no model was served")
		}
		return out, nil
	}
	for _, name := range order {
		var fits, names []string
		for _, l := range lines {
			names = append(names, l.name)
			if l.called(name) {
				fits = append(fits, l.name)
				out = append(out, l)
			}
		}
		switch len(fits) {
		case 0:
			return nil, fmt.Errorf("no model is called %q; there are: %s", name, strings.Join(names, "; "))
		case 1:
		default:
			return nil, fmt.Errorf("several models are called %q: %s", name, strings.Join(fits, "; "))
		}
	}
	return out, nil
}

// called reports whether a line has a name.
func (l line) called(name string) bool {
	_, bare, _ := strings.Cut(l.model, ":")
	return slices.Contains([]string{l.name, l.model, bare, l.run, l.directory, filepath.Base(l.directory)}, name)
}

const (
	fromRun       = "run"
	fromPublished = "published"
)

// rateColumnsWithLimits are the columns of rateCells.
func rateColumnsWithLimits() []table.Column {
	return []table.Column{
		{Key: "environment", Header: "Environment", Left: true}, {Key: "model", Header: "Model", Left: true}, {Key: "from", Header: "From", Left: true},
		{Key: "success", Header: "SR"}, {Key: "success_low", Header: "95% low"}, {Key: "success_high", Header: "high", Upper: true},
		{Key: "progress", Header: "PR"}, {Key: "progress_low", Header: "95% low"}, {Key: "progress_high", Header: "high", Upper: true},
	}
}

// rateCells are the rates of a model on an environment.
func rateCells(env, name, from string, success, progress scoring.Estimate, mark string) []table.Cell {
	sLow, sHigh := interval(success)
	pLow, pHigh := interval(progress)
	return []table.Cell{
		table.String(env), table.String(name), table.String(from),
		table.Percent(success.Mean).Marked(mark), sLow, sHigh, table.Percent(progress.Mean).Marked(mark), pLow, pHigh,
	}
}
