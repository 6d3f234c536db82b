package report

import (
	"fmt"
	"slices"
	"strings"

	"heldout/scoring/record"
)

// departures say what of a preset is not the original's under the perturbations of a sweep,
// and which perturbations of the suite do not fit it.
func departures(rows []row) (notes []string) {
	var done []string
	for _, r := range rows {
		c := r.Condition
		if r.sweep == nil || c.Preset == nil || slices.Contains(done, r.place()) {
			continue
		}
		done = append(done, r.place())
		if changes := departsOf(r.sweep.In(c.Env)); len(changes) > 0 {
			notes = append(notes, fmt.Sprintf("Not the original's any more on %s: %s. Published results do not compare.",
				r.place(), strings.Join(changes, "; ")))
		}
		var omitted []string
		for _, l := range r.sweep.LeftOut {
			if l.Env == c.Env {
				omitted = append(omitted, l.Perturbation)
			}
		}
		if len(omitted) > 0 {
			notes = append(notes, fmt.Sprintf("Left out, as they do not fit %s: %s (run.json says why).", r.place(),
				strings.Join(omitted, ", ")))
		}
	}
	return notes
}

// departsOf lists what departs from a preset, with the number of the perturbations under
// which it does.
func departsOf(perturbations []record.Perturbation) (out []string) {
	counts := map[string]int{}
	var parts []string
	for _, p := range perturbations {
		for _, part := range p.Departs {
			if counts[part]++; counts[part] == 1 {
				parts = append(parts, part)
			}
		}
	}
	for _, part := range parts {
		out = append(out, fmt.Sprintf("%s (under %d of %d)", part, counts[part], len(perturbations)))
	}
	return out
}
