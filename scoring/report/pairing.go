package report

import (
	"fmt"
	"slices"
	"strings"

	"heldout/scoring"
	"heldout/scoring/column"
	"heldout/scoring/stats"
	"heldout/scoring/table"
)

// pairing collects the comparisons for one table.
type pairing struct {
	comparisons []scoring.Comparison
	labels      [][]table.Field
	failed      []string // what could not be compared, and why
}

// pairedNote says how tables estimate differences of rates.
func (p *pairing) pairedNote() string {
	return "seeds averaged within each task first. " + p.intervalNote()
}

// intervalNote says what the intervals of differences are.
func (p *pairing) intervalNote() string {
	const note = "95% low, high: Student's t interval"
	var about stats.Question
	atMost := false
	for _, c := range p.comparisons {
		about, atMost = c.About, atMost || c.AtMost
	}
	switch {
	case about == stats.TheseTasks && atMost:
		return note +
			", for other decodings of these tasks; at most as wide, because with one seed luck cannot be told from " +
			"difficulty."
	case about == stats.TheseTasks:
		return note + ", for other decodings of these tasks."
	case about == stats.NewKinds:
		return note +
			", for other kinds like these; two tasks that differ by ±1/√seeds are added (Bonett and Price 2012)."
	}
	return note +
		", for new tasks of these kinds; two tasks that differ by ±1/√seeds are added (Bonett and Price 2012)."
}

func (p *pairing) add(c scoring.Comparison, label ...table.Field) {
	p.comparisons, p.labels = append(p.comparisons, c), append(p.labels, label)
}

// take adds the comparison of two rows, or says why there is none.
func (p *pairing) take(of pilot, c scoring.Comparison, err error, more ...table.Field) {
	if err != nil {
		p.failed = append(p.failed, of.cannot(err))
		return
	}
	p.add(c, append([]table.Field{of.row.where(), of.row.who(), column.Against.Is(of.against)}, more...)...)
}

// fill fills the table.
func (p *pairing) fill(t *table.Table) {
	var successP, progressP []float64
	for _, c := range p.comparisons {
		successP, progressP = append(successP, c.Success.P), append(progressP, c.Progress.P)
	}
	successP, progressP = stats.Holm(successP), stats.Holm(progressP)
	for i, c := range p.comparisons {
		t.Add(append(p.labels[i], column.Compared.Is(c.Success.N),
			column.SuccessChange.Is(c.Success.Mean, c.Success.Low, c.Success.High),
			column.SuccessChange.P.Is(successP[i]),
			column.ProgressChange.Is(c.Progress.Mean, c.Progress.Low, c.Progress.High),
			column.ProgressChange.P.Is(progressP[i]))...)
	}
	if n := len(p.comparisons); n > 0 {
		t.Notes = append(t.Notes, "p: two-sided, of the same t. "+decided(n, ratesApart))
	}
	t.Notes = slices.Concat(t.Notes, p.onlyTheseKinds(successP, progressP), p.failed)
}

// ratesApart says that each rate is corrected by itself.
const ratesApart = ", SR and PR separately"

// significant is the p value below which a table says that there is a difference.
const significant = 1 - scoring.Level

// decided says what p values and intervals of n comparisons decide: p is corrected
// for their number, intervals are not, so only p decides. Apart says what is
// corrected separately.
func decided(n int, apart string) string {
	if n < 2 {
		return "It is below 0.05 if and only if the interval excludes 0."
	}
	return fmt.Sprintf("It is corrected for %d comparisons (Holm)%s; intervals are not, each holds by itself. "+
		"A difference is significant where p is below 0.05; an interval that excludes 0 does not show that.", n, apart)
}

// onlyTheseKinds names the rows whose difference is significant, after correction, for
// tasks of these kinds but not for other kinds.
func (p *pairing) onlyTheseKinds(successP, progressP []float64) (notes []string) {
	var otherSuccess, otherProgress []float64
	for _, c := range p.comparisons {
		otherSuccess, otherProgress = append(otherSuccess, c.Success.NewKindsP),
			append(otherProgress, c.Progress.NewKindsP)
	}
	otherSuccess, otherProgress = stats.Holm(otherSuccess), stats.Holm(otherProgress)
	for i, c := range p.comparisons {
		if c.About != stats.TheseKinds {
			continue
		}
		var label, of []string
		for _, field := range p.labels[i] {
			label = append(label, field.Text())
		}
		for _, d := range []struct {
			rate     string
			p, other float64
		}{{"SR", successP[i], otherSuccess[i]}, {"PR", progressP[i], otherProgress[i]}} {
			if d.p < significant && d.other >= significant {
				of = append(of, d.rate)
			}
		}
		if of != nil {
			notes = append(notes,
				fmt.Sprintf(
					"%s: the difference of %s holds for tasks of these kinds; %d kinds are too few to say so of other kinds.",
					strings.Join(label, ", "), strings.Join(of, " and "), c.Kinds))
		}
	}
	return notes
}
