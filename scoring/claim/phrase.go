package claim

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"heldout/scoring/stats"
	"heldout/scoring/table"
)

// number writes a rate in percent.
func number(rate float64) string { return table.Percent(rate).Text }

// points writes a difference with its sign and its unit.
func points(difference float64) string { return table.Points(difference).Text + " points" }

// limits writes an interval of rates or differences.
func limits(i *stats.Interval) string {
	return fmt.Sprintf("95%% CI %s to %s", number(i.Low), number(i.High))
}

// tested is what a difference stands on: its interval and its probability.
func (c Claim) tested() string {
	text := fmt.Sprintf("%s, p %s", limits(c.Interval), table.Probability(c.P).Text)
	if c.Family.Tests > 1 {
		text += fmt.Sprintf(" of %d tests", c.Family.Tests)
	}
	return text
}

// topic says which rate a claim is about and where it was reached.
func (c Claim) topic() string {
	if c.Place.Name == HeldOut.Name {
		return c.Rate + ", held-out score"
	}
	return c.Rate + " on " + c.Place.Title
}

// basis says on how many tasks and seeds a claim stands.
func (c Claim) basis() string {
	parts := []string{table.Counted(c.Tasks, "task")}
	if text := seeds(c.Subjects); text != "" {
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

// seeds says how many seeds models have, or how many trainings.
func seeds(subjects []Subject) string {
	if slices.ContainsFunc(subjects, func(s Subject) bool { return s.Trainings > 0 }) {
		return trainings(subjects)
	}
	return SeedsText(subjects)
}

// SeedRange is the smallest and the largest number of seeds; 0 if there is none. Players that play the same with
// every seed count only where there are no others.
func SeedRange(subjects []Subject) (low, high int) {
	low = math.MaxInt
	for _, seedless := range []bool{false, true} {
		for _, s := range subjects {
			if n := s.Seeds; s.Seedless == seedless && n > 0 {
				low, high = min(low, n, cmp.Or(s.FewestSeeds, n)), max(high, n)
			}
		}
		if high > 0 {
			return low, high
		}
	}
	return 0, 0
}

// SeedsText says how many seeds models have.
func SeedsText(subjects []Subject) string {
	switch low, high := SeedRange(subjects); {
	case high == 0:
		return ""
	case low < high:
		return fmt.Sprintf("%d to %d seeds", low, high)
	default:
		return table.Counted(high, "seed")
	}
}

// trainings says how many trainings arms have.
func trainings(subjects []Subject) string {
	low, high := math.MaxInt, 0
	for _, s := range subjects {
		n := max(1, s.Trainings)
		low, high = min(low, n), max(high, n)
	}
	if low == high {
		return table.Counted(high, "training") + " each"
	}
	return fmt.Sprintf("%d to %d trainings", low, high)
}

// rates lists models with their rates: a few, and how many others there are.
func rates(subjects []Subject) string {
	const limit = 4
	var parts []string
	for _, s := range subjects[:min(limit, len(subjects))] {
		parts = append(parts, s.rated())
	}
	if n := len(subjects) - limit; n > 0 {
		parts = append(parts, table.Counted(n, "other"))
		return table.List(parts)
	}
	return strings.Join(parts, ", ")
}

// rated is a model with its rate.
func (s Subject) rated() string { return s.Name + " " + number(s.Value) }

// verdict says in the words of tests what a comparison shows.
func (c Claim) verdict() string {
	equality := fmt.Sprintf("within %g points", 100*c.Margin)
	switch {
	case c.Kind == NotCompared:
		text := "not compared (" + c.Reason + ")"
		if c.Bounded {
			text += fmt.Sprintf("; counted as failures or as successes, the missing episodes leave the difference "+
				"significant (%s to %s points)", number(c.Interval.Low), number(c.Interval.High))
		}
		return text
	case c.Kind == Differs && c.Equal:
		return "significant, but " + equality
	case c.Kind == NotSignificant && c.Equal:
		return "not significant, equal " + equality
	}
	return string(c.Kind)
}

// found says which true difference, or loss, would have been found.
func (c Claim) found() string {
	noun := "difference"
	if len(c.Perturbations) > 0 {
		noun = "loss"
	}
	if math.IsInf(c.Sensitivity, 1) {
		return fmt.Sprintf("no true %s would have been found with a probability of 80%%: %s are too few", noun,
			table.Counted(c.Tasks, "task"))
	}
	return fmt.Sprintf("a true %s of %s points would have been found with a probability of 80%%", noun,
		number(c.Sensitivity))
}
