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

// pairing collects the comparisons of a table that readers ask for by name: they are a
// family of tests of its own.
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
	var about stats.Question
	atMost := false
	for _, c := range p.comparisons {
		about, atMost = c.About, atMost || c.AtMost
	}
	words, more := "new tasks of these kinds",
		"; two tasks that differ by ±1/√seeds are added (Bonett and Price 2012)"
	switch {
	case about == stats.TheseTasks && atMost:
		words, more = "other decodings of these tasks",
			"; at most as wide, because one seed does not separate luck from difficulty"
	case about == stats.TheseTasks:
		words, more = "other decodings of these tasks", ""
	case about == stats.NewKinds:
		words = "other kinds like these"
	}
	return "95% CI: Student's t interval, for " + words + more + "."
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
func (p *pairing) fill(t *table.Table, more []string, legend ...string) {
	var successes, progresses []stats.Difference
	tests := len(p.comparisons)
	for i, c := range p.comparisons {
		success, progress := c.Success.Difference, c.Progress.Difference
		if of, ok := p.settled[i]; ok { // it belongs to another family
			settled := &success
			if tests--; p.rate == claim.Progress {
				settled = &progress
			}
			settled.Interval, settled.P = *of.Interval, math.NaN()
		}
		successes, progresses = append(successes, success), append(progresses, progress)
	}
	successes, progresses = family(successes), family(progresses)
	for i := range p.comparisons {
		s, g := &successes[i], &progresses[i]
		if of, ok := p.settled[i]; ok && p.rate == claim.Progress {
			g.P = of.P
		} else if ok {
			s.P = of.P
		}
		t.Add(append(p.labels[i], column.Compared.Val(s.N), column.SuccessChange.Val(s.Mean, s.Low, s.High),
			column.SuccessChange.P.Val(s.P), column.ProgressChange.Val(g.Mean, g.Low, g.High),
			column.ProgressChange.P.Val(g.P))...)
	}
	t.Notes = p.failed
	if len(p.comparisons) > 0 {
		t.Notes = slices.Concat(legend, []string{decided(tests, ", SR and PR separately")},
			p.onlyTheseKinds(successes, progresses), p.failed, more)
	}
}

// significant is the p value below which a table says that there is a difference.
const significant = 1 - claim.Level

// decided says what p values and intervals of n comparisons decide. separate says what is
// corrected separately.
func decided(n int, separate string) string {
	if n < 2 {
		return "p: two-sided, below 0.05 if and only if the interval excludes 0."
	}
	return fmt.Sprintf("p: two-sided, corrected for %d comparisons of this table (Holm)%s. Intervals have the levels "+
		"of its steps: p is below 0.05 if and only if the interval excludes 0.", n, separate)
}

// onlyTheseKinds names the rows whose difference is significant, after correction, for
// tasks of these kinds but not for other kinds.
func (p *pairing) onlyTheseKinds(successes, progresses []stats.Difference) (notes []string) {
	var otherSuccess, otherProgress []float64
	for _, c := range p.comparisons {
		otherSuccess, otherProgress = append(otherSuccess, c.Success.NewKindsP),
			append(otherProgress, c.Progress.NewKindsP)
	}
	newSuccess, newProgress := holm(otherSuccess), holm(otherProgress)
	for i, c := range p.comparisons {
		if c.About != stats.TheseKinds {
			continue
		}
		var label, names []string
		for _, field := range p.labels[i] {
			label = append(label, field.Text())
		}
		for _, d := range []struct {
			rate      string
			p, otherP float64
		}{{"SR", successes[i].P, newSuccess[i].P}, {"PR", progresses[i].P, newProgress[i].P}} {
			if d.p < significant && d.otherP >= significant {
				names = append(names, d.rate)
			}
		}
		if names != nil {
			notes = append(notes,
				fmt.Sprintf(
					"%s: the difference of %s holds for tasks of these kinds; %d kinds are too few to say so of other kinds.",
					strings.Join(label, ", "), strings.Join(names, " and "), c.Kinds))
		}
	}
	return notes
}
