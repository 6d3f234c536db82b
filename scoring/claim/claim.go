// Package claim derives what results say. A claim is a value: what is said of which
// models, with the numbers that it stands on. Titles, verdicts, letters, bold cells,
// exit codes and tables render claims, and none derives its own.
//
// Differences are tested in families (FamilyName), which share the error of 5 % of all that is
// said (stats.Correct). Intervals have the levels of the steps that decide the tests, so that an
// interval holds 0 if and only if the difference is not significant.
package claim

import (
	"strings"

	"heldout/scoring"
	"heldout/scoring/stats"
	"heldout/scoring/table"
)

// Level is the confidence level of intervals, and 1-Level the level of the tests of a family.
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
	// significant, is not, or they are not compared, which Reason says. A loss has one subject.
	Differs        ClaimKind = "significant"
	NotSignificant ClaimKind = "not significant"
	NotCompared    ClaimKind = "not compared"
	// Best: the first subject is significantly above all others. Undecided: none is; the
	// highest comes first. Leading of them are significantly above the rest.
	Best      ClaimKind = "best"
	Undecided ClaimKind = "best not decided"
	// Unreadable: the share of replies without an action.
	Unreadable ClaimKind = "unreadable replies"
	// Trained: the environments whose data a model was trained on.
	Trained ClaimKind = "trained on"
	// Unscored: a model has no held-out score, which Reason says.
	Unscored ClaimKind = "no held-out score"
)

// FamilyName names a family of tests, which ask one question.
type FamilyName string

// The families. Primary is the question about the held-out score if there is one, else about the only
// environment, and after several trials about the last of them; Second are all other differences
// of models. Of a sweep, Unperturbed are the differences without a perturbation, Averages those of the
// averages over all conditions, Losses what each model loses under the perturbations of the
// interface, and LossDifferences how these losses differ.
const (
	Primary         FamilyName = "primary"
	Second          FamilyName = "second"
	Unperturbed     FamilyName = "unperturbed"
	Averages        FamilyName = "averages"
	Losses          FamilyName = "losses"
	LossDifferences FamilyName = "differences of losses"
)

// shares are the parts of the error that families have while others are open.
var shares = map[FamilyName]float64{Primary: 0.8, Second: 0.2, Unperturbed: 0.3, Averages: 0.3, Losses: 0.3,
	LossDifferences: 0.1}

// Family is the family of tests that a difference belongs to.
type Family struct {
	Name FamilyName
	// Tests counts its tests; 0 if there is none.
	Tests int
}

// Subject is a model of a claim.
type Subject struct {
	Name string
	// Value is its rate as a fraction, Perturbed the rate under perturbations.
	Value, Perturbed float64
	// Seeds counts its seeds, FewestSeeds the seeds of the environment with the fewest, if it
	// stands for several. Trainings counts its trainings; 0 for one that stands for itself.
	Seeds, FewestSeeds, Trainings int
	// Seedless: it plays the same with every seed. EqualSeeds: so it did here, all results are equal.
	Seedless, EqualSeeds bool
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
	// Perturbations are the perturbations of a claim about losses, whose subjects have their rates without them
	// as Value and with them as Perturbed, or of an average.
	Perturbations []string
	// Tasks counts the tasks with results, Fewest the tasks of the subject that has fewest.
	Tasks, Fewest int
	// Estimate is a rate, a difference or a share, as a fraction; NaN if there is none.
	Estimate float64
	// Interval is the estimate's, and of a difference one that agrees with its family; nil
	// if there is none. Alone is the interval that a difference has by itself.
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
	// Protocols says what differs between the subjects besides the models; empty if nothing is known to.
	Protocols string
	// Leading counts the subjects of Undecided that are significantly above all that follow; all if none are.
	Leading int
	// Bounded: with the missing episodes as failures or as successes, a pair that is not
	// compared differs significantly either way, by Interval.
	Bounded bool

	// Part of Total are the replies of Unreadable. Touched of Unsolved episodes have one, and
	// Estimate is the rate if these had been solved.
	Part, Total       int
	Touched, Unsolved int
	// Environments are the environments of Trained, by their names.
	Environments []Scope
}

// Compared reports whether the claim is a comparison, also one that was not made.
func (c Claim) Compared() bool {
	return c.Kind == Differs || c.Kind == NotSignificant || c.Kind == NotCompared
}

// Reversed is a comparison of two subjects the other way round; other claims stay.
func (c Claim) Reversed() Claim {
	if len(c.Subjects) != 2 || !c.Compared() {
		return c
	}
	flip := func(i *stats.Interval) *stats.Interval {
		if i == nil {
			return nil
		}
		return &stats.Interval{Low: 0 - i.High, High: 0 - i.Low}
	}
	c.Subjects = []Subject{c.Subjects[1], c.Subjects[0]}
	c.Estimate, c.Interval, c.Alone = 0-c.Estimate, flip(c.Interval), flip(c.Alone)
	return c
}

// Worse reports whether the first of two subjects is not shown to be as good as demanded: it is significantly below the
// second, by more than the margin if there is one, or they are not compared.
func (c Claim) Worse() bool {
	if c.Kind == NotCompared {
		return true
	}
	if c.Margin > 0 {
		return c.Interval.High < -c.Margin
	}
	return c.Kind == Differs && c.Estimate < 0
}

// direction is 1 if the first subject is shown to be above the second, -1 if it is below, else 0.
func (c Claim) direction() int {
	switch {
	case c.Kind != Differs && !c.Bounded || c.Interval == nil:
		return 0
	case c.Interval.Low > 0:
		return 1
	}
	return -1
}

// model is the name of the first subject.
func (c Claim) model() string { return c.Subjects[0].Name }

// Rivals are the names of all subjects but the first.
func (c Claim) Rivals() string {
	return strings.Join(table.Keys(c.Subjects[1:], func(s Subject) string { return s.Name }), ", ")
}
