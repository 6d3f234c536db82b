// Package claim derives what results say. A claim is a value: what is said of which
// models, with the numbers that it stands on. Titles, verdicts, letters, bold cells,
// exit codes and tables render claims, and none derives its own.
//
// Differences are tested in two families. The primary question is tested by itself: the
// held-out score if there is one, else the only environment; under perturbations the mean
// change of each model, and after several trials the last of them. All other comparisons of
// the screen are the second family. Each family is corrected by Holm's procedure, and the
// intervals of its differences have the levels of its steps, so that an interval holds 0 if
// and only if the difference is not significant.
package claim

import (
	"strings"

	"heldout/scoring"
	"heldout/scoring/stats"
)

// Level is the confidence level of intervals, and 1-Level that of the tests of a family.
const Level = scoring.Level

// ClaimKind says what a claim says.
type ClaimKind string

// The kinds of claims.
const (
	// Rated: what a model reached. Preliminary: so far, since episodes are not played yet.
	// Incomplete: all were tried, and some have no result.
	Rated       ClaimKind = "rate"
	Preliminary ClaimKind = "preliminary"
	Incomplete  ClaimKind = "incomplete"
	// Differs, NotSignificant and NotCompared compare the first subject with the second: the difference is
	// significant, is not, or they are not compared, which Reason says. With perturbations
	// (Under) they compare the change of the first with that of the second, or with none if
	// it is alone.
	Differs        ClaimKind = "significant"
	NotSignificant ClaimKind = "not significant"
	NotCompared    ClaimKind = "not compared"
	// Best: the first subject is significantly above all others. Undecided: none is; the
	// highest comes first.
	Best      ClaimKind = "best"
	Undecided ClaimKind = "best not decided"
	// Unreadable: the share of replies without an action.
	Unreadable ClaimKind = "unreadable replies"
	// Trained: the environments whose data a model was trained on.
	Trained ClaimKind = "trained on"
	// Unscored: a model has no held-out score, which Reason says.
	Unscored ClaimKind = "no held-out score"
)

// FamilyName names a family of tests.
type FamilyName string

// The families.
const (
	Primary FamilyName = "primary"
	Second  FamilyName = "second"
)

// Family is the family of tests that a difference belongs to.
type Family struct {
	Name FamilyName
	// Tests counts its tests; 0 if there is none.
	Tests int
}

// Subject is a model of a claim.
type Subject struct {
	Name string
	// Value is its rate as a fraction, Perturbed that under perturbations.
	Value, Perturbed float64
	// Seeds counts its seeds, FewestSeeds those of the environment with the fewest, if it
	// stands for several. Trainings counts its trainings; 0 for one that stands for itself.
	Seeds, FewestSeeds, Trainings int
	// Seedless: it plays the same with every seed.
	Seedless bool
	// Finished and Planned count its episodes.
	Finished, Planned int
}

// Claim is what is said of results.
type Claim struct {
	Kind     ClaimKind
	Subjects []Subject
	// Rate is the name of what is measured, such as SR, Place where.
	Rate  string
	Place Scope
	// Perturbations are the perturbations of a claim about changes; the subjects then have their
	// rates without them as Value, and with them as Perturbed.
	Perturbations []string
	// Tasks counts the tasks with results.
	Tasks int
	// Estimate is a rate, a difference or a share, as a fraction; NaN if there is none.
	Estimate float64
	// Interval is that of the estimate, and of a difference one that agrees with its
	// family; nil if there is none. Alone is the interval that a difference has by itself.
	Interval, Alone *stats.Interval
	// P is corrected for the family, AloneP is not; NaN without a test.
	P, AloneP float64
	Family    Family
	// Sensitivity is the smallest true difference that would be found with a probability
	// of 80 %; infinite if none would be, NaN without a test.
	Sensitivity float64
	// Equal: the interval of the difference lies within Margin on both sides of 0.
	Equal  bool
	Margin float64
	// Reason says why there is no comparison or no score.
	Reason string
	// Bounded: with the missing episodes as failures or as successes, a pair that is not
	// compared differs significantly either way, by Interval.
	Bounded bool

	// Part of Total are the replies of Unreadable. Touched of Unsolved episodes have one, and
	// Estimate is the rate if these had been solved.
	Part, Total       int
	Touched, Unsolved int
	// Environments are those of Trained, by their names.
	Environments []Scope
}

// Significant reports whether the claim says that there is a difference.
func (c Claim) Significant() bool {
	return c.Kind == Differs || c.Bounded
}

// Compared reports whether the claim is a comparison, also one that was not made.
func (c Claim) Compared() bool {
	return c.Kind == Differs || c.Kind == NotSignificant || c.Kind == NotCompared
}

// Reversed is a comparison with its subjects the other way round.
func (c Claim) Reversed() Claim {
	flip := func(i *stats.Interval) *stats.Interval {
		if i == nil {
			return nil
		}
		return &stats.Interval{Low: -i.High, High: -i.Low}
	}
	c.Subjects = []Subject{c.Subjects[1], c.Subjects[0]}
	c.Estimate, c.Interval, c.Alone = -c.Estimate, flip(c.Interval), flip(c.Alone)
	return c
}

// Rivals are the names of all subjects but the first.
func (c Claim) Rivals() string {
	var names []string
	for _, s := range c.Subjects[1:] {
		names = append(names, s.Name)
	}
	return strings.Join(names, ", ")
}
