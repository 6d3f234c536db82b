package report

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// OrderGiven asks for all served models in the order of the runs.
const OrderGiven = "given"

// InOrder puts models in an order, such as that of their training. Models are named as in
// tables, without the provider, or by their run's directory. The order may be
// OrderGiven. A name that fits no model or several is an error.
func (r *Report) InOrder(names []string) error {
	lines, err := ordered(gather(r.plain, placeOf), names)
	for _, l := range lines {
		r.checkpoints = append(r.checkpoints, l.Name)
	}
	return err
}

// Checkpoints are the models that are in an order; none without one.
func (r *Report) Checkpoints() []string { return r.checkpoints }

// Checkpoints are those of the report.
func (p Section) Checkpoints() []string { return p.report.checkpoints }

// ordered returns the lines in the order of their names.
func ordered(lines []modelRates, order []string) (out []modelRates, err error) {
	if slices.Equal(order, []string{OrderGiven}) {
		if out = slices.DeleteFunc(slices.Clone(lines), func(l modelRates) bool { return l.Baseline }); len(out) == 0 {
			return nil, errors.New("no model was served")
		}
		return out, nil
	}
	for _, name := range order {
		var fits, names []string
		for _, l := range lines {
			names = append(names, l.Name)
			if l.called(name) {
				fits = append(fits, l.Name)
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
func (l modelRates) called(name string) bool {
	_, bare, _ := strings.Cut(l.model, ":")
	return slices.Contains([]string{l.Name, l.model, bare, l.run, l.directory, filepath.Base(l.directory)}, name)
}
