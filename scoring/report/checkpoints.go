package report

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"heldout/scoring"
	"heldout/scoring/column"
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
func checkpoints(from *Report, t *table.Table) {
	rows, w := from.plain, from.weights
	if len(from.checkpoints) == 0 {
		return
	}
	marks := ""
	for _, l := range from.checkpoints {
		if h := l.heldOut(w); len(h.Missing) == 0 {
			addRates(t, column.HeldOutScore, l.name, column.FromRun, h.Success, h.Progress, "")
		}
	}
	for _, env := range environmentsOf(rows) {
		for _, l := range from.checkpoints {
			if r, ok := l.rates[env]; ok {
				addRates(t, env, l.name, column.FromRun, *r.success, *r.progress, r.marks)
				marks += r.marks
			}
		}
	}
	t.Notes = slices.Concat([]string{weightNote(w)}, aboutNotes(rows), otherNames(rows), directories(rows),
		rateMarks(marks))
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

// addRates adds the rates of a model on an environment.
func addRates(t *table.Table, env, name, from string, success, progress scoring.Estimate, mark string) {
	t.Add(column.Environment.Is(env), column.Model.Is(name), column.From.Is(from),
		rated(column.Success, success).Marked(mark), rated(column.Progress, progress).Marked(mark))
}
