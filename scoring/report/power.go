package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"heldout/scoring"
	"heldout/scoring/column"
	"heldout/scoring/stats"
	"heldout/scoring/table"
)

// Power says which difference from the first model of each environment, and of a sweep
// which difference from the unperturbed tasks, the runs can detect, and how many seeds or
// tasks it takes to detect a given difference, which is a fraction.
func Power(runs []NamedRun, difference float64) table.Table {
	t := table.Table{ID: "power", Title: fmt.Sprintf("Seeing a difference of %g points with a probability of 80 %%",
		100*difference), Columns: column.Heads("environment model against rate tasks? seeds decoding smallest " +
		"smallest_limit power seeds_needed tasks_needed")}
	allRows := newRows(runs)
	rows := plainRows(allRows)
	var failed, alone []string
	paired, assumed := map[string]bool{}, false
	for _, pair := range append(againstFirst(rows, nil), againstUnperturbed(allRows)...) {
		paired[pair.row.place.Name] = true
		for _, rate := range []struct {
			name string
			plan func(a, b *scoring.Score) (scoring.VarianceSources, error)
		}{{"SR", scoring.PlanSuccess}, {"PR", scoring.PlanProgress}} {
			p, err := rate.plan(pair.row.Score, pair.base.Score)
			if err != nil {
				failed = append(failed, fmt.Sprintf("%s and %s on %s, %s: %v.", pair.name, pair.against,
					pair.row.place.Name, rate.name, err))
				continue
			}
			assumed = assumed || !p.Separated && p.Task > 0
			for _, bound := range p.Bounds() {
				label := []table.Cell{table.String(pair.row.place.Name), table.String(pair.name),
					table.String(pair.against), table.String(rate.name)}
				t.Rows = append(t.Rows, append(label, planCells(p, bound, difference)...))
			}
		}
	}
	if len(t.Rows) > 0 {
		t.Notes = append(t.Notes,
			"Decoding: its share of the variance of the difference, in percent; the rest is between tasks. Visible: "+
				"the smallest difference that these seeds show with a probability of 80 %, "+
				"and its limit with ever more seeds, in points. Power: probability of seeing the difference with "+
				"these seeds. Seeds needed: for it on these tasks; – if no number is enough. "+
				"Or tasks: as many like these with these seeds. These are estimates from one run: read two digits.")
		if assumed {
			t.Notes = append(t.Notes, assumedMark+
				" Assumed: one seed does not show how much of the variance is decoding. One plan takes all of it as "+
				"that of tasks, which more seeds do not help; "+
				"the other takes all of it as that of decoding. The truth is between them; two seeds or more of the "+
				"pilot show where.")
		}
		equal := func(r row) string { return equalSeeds(r.Score) }
		t.Notes = slices.Concat(t.Notes, notesOn(rows, equal), aboutNotes(rows))
		if scored := scoredPlaces(rows, runs); len(scored) > 0 {
			t.Notes = append(t.Notes, "The plans are about success and progress, not about the metric of "+
				strings.Join(scored, ", ")+".")
		}
	}
	for _, r := range rows {
		if env := r.place.Name; !paired[env] {
			alone = append(alone, fmt.Sprintf("%s: %s is alone", env, r.name))
		}
	}
	if len(alone) > 0 {
		failed = append(failed, strings.Join(alone, ", ")+"; a plan is made from two models on the same tasks: name "+
			"the run of another one too, as in heldout power runs/base runs/tuned.")
	}
	t.Notes = append(t.Notes, failed...)
	return t
}

// pilot is two rows that are compared, with their names.
type pilot struct {
	row, base     row
	name, against string
}

// cannot says why they are not compared.
func (p pilot) cannot(err error) string {
	return fmt.Sprintf("%s cannot be compared with %s on %s: %v.", p.name, p.against, p.row.place.Name, err)
}

// againstFirst pairs each row with the first one of its place, of those that suit; all suit if suits is nil.
func againstFirst(rows []row, suits func(row) bool) (pairs []pilot) {
	first := map[string]row{}
	for _, r := range rows {
		if suits != nil && !suits(r) {
			continue
		}
		base, ok := first[r.place.Name]
		if !ok {
			first[r.place.Name] = r
			continue
		}
		pairs = append(pairs, pilot{r, base, r.name, base.name})
	}
	return pairs
}

// againstUnperturbed pairs the rows of sweeps with the same player without a perturbation.
func againstUnperturbed(rows []row) (pairs []pilot) {
	bases := map[string]row{}
	for _, r := range rows {
		if r.Condition.Perturbation == noPerturbation {
			bases[r.commonKey] = r
		}
	}
	for _, r := range rows {
		if base, ok := bases[r.commonKey]; ok && r.Condition.Perturbation != noPerturbation {
			pairs = append(pairs, pilot{r, base, r.line + ", " + r.Condition.Perturbation, "unperturbed"})
		}
	}
	return pairs
}

// scoredPlaces lists the presets of rows whose metric is a score.
func scoredPlaces(rows []row, runs []NamedRun) (out []string) {
	byKey := protocols(runs)
	for _, r := range rows {
		p, ok := byKey[r.Condition.Preset.Key()]
		if ok && strings.HasPrefix(p.definition.Metric.Primary, "score-") {
			out = table.AppendNew(out, r.place.Name)
		}
	}
	return out
}

// assumedMark marks a share that the pilot does not show.
const assumedMark = "?"

func planCells(p scoring.VarianceSources, bound stats.Components, difference float64) []table.Cell {
	seeds := float64(p.Seeds)
	needed := table.None()
	if n, ok := bound.Seeds(difference); ok {
		needed = table.Int(n)
	}
	limit := 0.0 // on fixed tasks enough seeds show any difference
	if !bound.Fixed {
		limit = bound.Smallest(math.Inf(1))
	}
	decoding := table.Percent(bound.DecodingShare(seeds))
	if !p.Separated && p.Task > 0 {
		decoding = decoding.Marked(assumedMark)
	}
	return []table.Cell{
		table.Int(p.N), table.Int(p.Seeds), decoding, table.Percent(bound.Smallest(seeds)), table.Percent(limit),
		table.Percent(bound.Power(difference, seeds)), needed, table.Int(bound.Tasks(difference, seeds)),
	}
}
