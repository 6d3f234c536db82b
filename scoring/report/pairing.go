package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"heldout/scoring"
	"heldout/scoring/claim"
	"heldout/scoring/column"
	"heldout/scoring/stats"
	"heldout/scoring/table"
)

// pairing collects the comparisons of a table that readers ask for by name: they are a family of tests of its own.
type pairing struct {
	comparisons []scoring.Comparison
	labels      [][]table.Field
	// settled are the comparisons, by their number, that are claims about a rate.
	settled map[int]claim.Claim
	rate    claim.Rate
	failed  []string // what could not be compared, and why
}

// pairedNote says how tables estimate differences of rates.
func (p *pairing) pairedNote() string {
	return "seeds averaged within each task first. " + p.intervalNote()
}

// intervalNote says what the intervals of differences are.
func (p *pairing) intervalNote() string {
	about, atMost := stats.TheseKinds, false
	for _, c := range p.comparisons {
		about, atMost = c.About, atMost || c.AtMost
	}
	added := "; two tasks that differ by ±1/√seeds are added (Bonett and Price 2012)"
	switch {
	case about == stats.TheseTasks && atMost:
		added = "; at most as wide, because one seed does not separate luck from difficulty"
	case about == stats.TheseTasks:
		added = ""
	}
	return "95% CI: Student's t interval, for " + facts().Questions[about].Difference + added + "."
}

func (p *pairing) add(c scoring.Comparison, label ...table.Field) {
	p.comparisons, p.labels = append(p.comparisons, c), append(p.labels, label)
}

// take adds the comparison of two rows, or says why there is none.
func (p *pairing) take(pair pilot, c scoring.Comparison, err error, fields ...table.Field) {
	if err != nil {
		p.failed = append(p.failed, pair.cannot(err))
		return
	}
	p.add(c, append([]table.Field{pair.row.envCol(), pair.row.modelCol(), column.Against.Val(pair.against)},
		fields...)...)
}

// family corrects differences as a family of tests: each gets its corrected probability and
// the interval that agrees with it. Those without a probability stay.
func family(diffs []stats.Difference) []stats.Difference {
	var ps []float64
	for _, d := range diffs {
		if !math.IsNaN(d.P) {
			ps = append(ps, d.P)
		}
	}
	corrected := holm(ps)
	out := slices.Clone(diffs)
	for i, d := range diffs {
		if !math.IsNaN(d.P) {
			out[i] = d.AtLevel(corrected[0].Level)
			out[i].P, corrected = corrected[0].P, corrected[1:]
		}
	}
	return out
}

// holm corrects the probabilities of a family alone.
func holm(ps []float64) []stats.Corrected {
	return stats.Correct([]stats.Family{{Share: 1, Ps: ps}}, claim.Level)[0]
}

// fill fills the table. Its notes begin with the legend, and end with more.
func (p *pairing) fill(t *table.Table, notes []string, legend ...string) {
	lines, only := slices.Clone(p.labels), make([][]string, len(p.labels))
	for _, rate := range sweptRates {
		var changes []stats.Difference
		var otherKinds []float64
		for i, c := range p.comparisons {
			change := claim.Pick(rate, c.Success, c.Progress)
			if decided, ok := p.settled[i]; ok && rate == p.rate { // it belongs to another family
				change.Interval, change.P = *decided.Interval, math.NaN()
			}
			changes, otherKinds = append(changes, change.Difference), append(otherKinds, change.NewKindsP)
		}
		otherKind, head := holm(otherKinds), claim.Pick(rate, column.SuccessChange, column.ProgressChange)
		chance := claim.Pick(rate, column.SuccessP, column.ProgressP)
		for i, d := range family(changes) {
			if decided, ok := p.settled[i]; ok && rate == p.rate {
				d.P = decided.P
			}
			lines[i] = append(lines[i], column.Tasks.Val(d.N), head.Val(d.Mean, d.Low, d.High),
				chance.Val(d.P))
			if p.comparisons[i].About == stats.TheseKinds && d.P < significant && otherKind[i].P >= significant {
				only[i] = append(only[i], string(rate))
			}
		}
	}
	for _, line := range lines {
		t.Add(line...)
	}
	t.Notes = p.failed
	if n := len(p.comparisons); n > 0 {
		separate := ", SR and PR separately"
		if m := len(p.settled); m > 0 {
			separate += fmt.Sprintf(" (of %s %d: p and interval of the other %d are the verdict's)", p.rate, n-m, m)
		}
		t.Notes = slices.Concat(legend, []string{decided(n, separate)},
			p.onlyTheseKinds(only), p.failed, notes)
	}
}

// significant is the p value below which a table says that there is a difference.
const significant = 1 - claim.Level

// decided says what p values and intervals of n comparisons decide. separate says what is corrected separately.
func decided(n int, separate string) string {
	if n < 2 {
		return "p: two-sided, below 0.05 if and only if the interval excludes 0."
	}
	return fmt.Sprintf("p: two-sided, corrected for %d comparisons of this table (Holm)%s. Intervals have the levels "+
		"of its steps: p is below 0.05 if and only if the interval excludes 0.", n, separate)
}

// onlyTheseKinds names the rates of comparisons whose difference is significant, after correction, for
// tasks of these kinds but not for other kinds.
func (p *pairing) onlyTheseKinds(rates [][]string) (notes []string) {
	for i, names := range rates {
		if names == nil {
			continue
		}
		label := strings.Join(table.Each(p.labels[i], table.Field.Text), ", ")
		notes = append(notes, fmt.Sprintf(
			"%s: the difference of %s holds for tasks of these kinds; %d kinds are too few to say so of other kinds.",
			label, strings.Join(names, " and "), p.comparisons[i].Kinds))
	}
	return notes
}
