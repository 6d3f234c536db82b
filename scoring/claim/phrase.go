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
func (c Claim) tested() string { return c.bounds(c.Interval) }

func (c Claim) bounds(i *stats.Interval) string {
	return fmt.Sprintf("%s, p %s", limits(i), table.Probability(c.P).Text)
}

// corrected says how many tests a family has, if there are several.
func (f Family) corrected() string {
	if f.Tests < 2 {
		return ""
	}
	return ", " + table.Counted(f.Tests, "test")
}

// topic says which rate a claim is about, where it was reached, and under which conditions.
func (c Claim) topic() string {
	text := c.Rate + " on " + c.Place.Title
	if c.Place.Name == HeldOut.Name {
		text = c.Rate + ", held-out score"
	}
	switch c.Family.Name {
	case Unperturbed:
		return "Unperturbed " + text
	case Averages:
		return fmt.Sprintf("%s, average over none and %s", text, Brief(c.Perturbations))
	case Losses:
		return fmt.Sprintf("%s under %s", text, Brief(c.Perturbations))
	case LossDifferences:
		return fmt.Sprintf("Change of %s under %s", text, Brief(c.Perturbations))
	}
	if len(c.Perturbations) > 0 { // of unreadable replies
		return fmt.Sprintf("%s under %s", text, Brief(c.Perturbations))
	}
	return text
}

// basis says on how many tasks and seeds a claim stands.
func (c Claim) basis() string {
	parts := []string{table.Counted(c.Tasks, "task")}
	if 0 < c.Fewest && c.Fewest < c.Tasks {
		parts[0] = fmt.Sprintf("%d to %d tasks", c.Fewest, c.Tasks)
	}
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
	group := func(equal bool) bool {
		return slices.ContainsFunc(subjects, func(s Subject) bool {
			return s.Seeds > 0 && !s.Seedless &&
				s.EqualSeeds == equal
		})
	}
	switch low, high := SeedRange(subjects); {
	case high == 0:
		return ""
	case low > 1 && low == high && group(true) && !group(false):
		return fmt.Sprintf("%d equal seeds", high)
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

// mostRates is how many models a list names; it counts the others.
const mostRates = 4

// rates lists models with their rates: a few, and how many others there are. The last of an
// alternative follows "or".
func rates(subjects []Subject, last string) string {
	parts := table.Each(subjects[:min(mostRates, len(subjects))], Subject.rated)
	if rest := len(subjects) - mostRates; rest > 0 {
		return table.List(append(parts, table.Counted(rest, "other")))
	}
	n := max(0, len(parts)-2)
	return strings.Join(append(parts[:n:n], strings.Join(parts[n:], last)), ", ")
}

// rated is a model with its rate.
func (s Subject) rated() string { return s.Name + " " + number(s.Value) }

// equality says that a difference counts as none.
func (c Claim) equality() string { return fmt.Sprintf("within %g points", 100*c.Margin) }

// verdict says in the words of tests what a comparison shows.
func (c Claim) verdict() string {
	switch {
	case c.Kind == NotCompared && c.Bounded:
		amount, whatever := c.wording()
		return fmt.Sprintf("%s is %s %s", c.Subjects[0].Name, amount, whatever)
	case c.Kind == NotCompared:
		return fmt.Sprintf("%s (%s)", NotCompared, c.Reason)
	case c.Kind == Differs && c.Equal:
		return "significant, but " + c.equality()
	case c.Kind == NotSignificant && c.Equal:
		return "not significant, equal " + c.equality()
	case c.Kind == NotSignificant:
		return "not significant" + c.power()
	}
	return string(c.Kind)
}

// wording says what missing episodes cannot change: by how much the first subject is higher or lower, and of which
// episodes that does not depend.
func (c Claim) wording() (amount, whatever string) {
	word, low, high := "higher", c.Interval.Low, c.Interval.High
	if c.direction() < 0 {
		word, low, high = "lower", 0-high, 0-low
	}
	missing := 0
	for _, s := range c.Subjects {
		missing += s.Planned - s.Finished
	}
	whatever = fmt.Sprintf("whatever the %d missing episodes are", missing)
	if missing == 1 {
		whatever = "whatever the missing episode is"
	}
	return fmt.Sprintf("%s by %s to %s points", word, number(low), number(high)), whatever
}

// power says which true difference would have been found.
func (c Claim) power() string {
	if math.IsInf(c.Sensitivity, 1) {
		return " (too little data for 80% power)"
	}
	return fmt.Sprintf(" (80%% power at %s points)", number(c.Sensitivity))
}

// powers say which true differences would have been found.
func powers(claims []Claim) string {
	compare := func(a, b Claim) int { return cmp.Compare(a.Sensitivity, b.Sensitivity) }
	low, high := slices.MinFunc(claims, compare), slices.MaxFunc(claims, compare)
	switch {
	case number(low.Sensitivity) == number(high.Sensitivity):
		return low.power()
	case math.IsInf(high.Sensitivity, 1):
		return fmt.Sprintf(" (80%% power at %s points or none)", number(low.Sensitivity))
	}
	return fmt.Sprintf(" (80%% power at %s to %s points)", number(low.Sensitivity), number(high.Sensitivity))
}

// also says behind a sentence what differs besides the models.
func (c Claim) also() string {
	if c.Protocols == "" {
		return ""
	}
	return "; " + c.Protocols
}

// Brief names perturbations: P1 to P4 if they are numbered in order.
func Brief(names []string) string {
	const limit = 4
	switch n := len(names); {
	case n > 2 && numbered(names):
		return names[0] + " to " + names[n-1]
	case n > limit:
		return table.Counted(n, "perturbation")
	}
	return table.List(names)
}

func numbered(names []string) bool {
	var first int
	_, err := fmt.Sscanf(names[0], "P%d", &first)
	for i, name := range names {
		if err != nil || name != fmt.Sprintf("P%d", first+i) {
			return false
		}
	}
	return true
}
