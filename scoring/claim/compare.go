package claim

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"heldout/scoring"
	"heldout/scoring/record"
	"heldout/scoring/stats"
	"heldout/scoring/table"
)

// test is a comparison before its family is known.
type test struct {
	claim  Claim
	rate   Rate
	change scoring.Change
	// bounds are the differences with the missing episodes of the first as failures and
	// those of the second as successes, and the other way round; nil if none are missing.
	bounds *[2]scoring.Change
	// tested: there is a probability.
	tested bool
}

// p is the probability of a test. Missing episodes count as what speaks most against a difference.
func (t test) p() float64 {
	if t.bounds == nil {
		return t.change.P
	}
	low, high := t.bounds[0], t.bounds[1]
	if low.Centre*high.Centre <= 0 {
		return 1
	}
	return max(low.P, high.P)
}

// intervalAt is the interval of a level.
func (t test) intervalAt(level float64) *stats.Interval {
	if t.bounds != nil {
		return &stats.Interval{Low: t.bounds[0].AtLevel(level).Low, High: t.bounds[1].AtLevel(level).High}
	}
	in := t.change.AtLevel(level).Interval
	return &in
}

// settle corrects the tests of all families and returns their claims.
func settle(tests []test, margin float64) (claims []Claim) {
	byFamily := table.Grouped(tests, func(t test) FamilyName { return t.claim.Family.Name })
	var families []stats.Family
	for _, family := range byFamily {
		f := stats.Family{Share: shares[family[0].claim.Family.Name]}
		for _, t := range family {
			if t.tested {
				f.Ps = append(f.Ps, t.p())
			}
		}
		families = append(families, f)
	}
	for i, corrected := range stats.Correct(families, Level) {
		for _, t := range byFamily[i] {
			c := t.claim
			c.Family.Tests, c.Margin = len(families[i].Ps), margin
			if t.tested {
				c, corrected = t.settled(c, corrected[0]), corrected[1:]
			} else {
				nan := math.NaN()
				c.Kind, c.Estimate, c.P, c.AloneP, c.Sensitivity = NotCompared, nan, nan, nan, nan
			}
			claims = append(claims, c)
		}
	}
	return claims
}

// settled is the claim with what the test shows.
func (t test) settled(c Claim, corrected stats.Corrected) Claim {
	c.AloneP, c.P = t.p(), corrected.P
	c.Interval, c.Alone = t.intervalAt(corrected.Level), t.intervalAt(Level)
	found := c.P < 1-Level
	if t.bounds != nil {
		c.Kind, c.Estimate, c.Sensitivity = NotCompared, math.NaN(), math.NaN()
		if c.Bounded = found; !found {
			c.Interval, c.Alone = nil, nil
		}
		return c
	}
	c.Kind, c.Estimate = NotSignificant, t.change.Mean
	if found {
		c.Kind = Differs
	}
	c.Sensitivity = t.change.Sensitivity(corrected.Level)
	c.Equal = c.Margin > 0 && c.Interval.Low >= -c.Margin && c.Interval.High <= c.Margin
	return c
}

// pair compares two models in a place; false if none of them was planned there, or if one
// of several models was not: a table shows that.
func (r *Results) pair(a, b Model, p Scope) (test, bool) {
	first, second := r.subject(a, p), r.subject(b, p)
	t := test{rate: r.Rate, claim: Claim{Subjects: []Subject{first, second}, Rate: r.Measure(p), Place: p,
		Protocols: r.otherProtocols(p, a, b)}}
	t.claim.Fewest, t.claim.Tasks = taskRange(r.tasks(a, p), r.tasks(b, p))
	if p.Averaged {
		t.claim.Perturbations = a.swept(p).perturbations(averagedOnly)
	}
	direct := r.Reference != "" || r.competing() == 2
	if first.Planned == 0 && second.Planned == 0 || !direct && (first.Planned == 0 || second.Planned == 0) {
		return t, false
	}
	c, err := r.compare(a, b, p)
	if t.take(c, err); err == nil {
		return t, true
	}
	if errors.Is(err, scoring.ErrIncomplete) && p.Name != HeldOut.Name && !p.Averaged {
		t.bounds = r.bounds(a.Scores[p.Name], b.Scores[p.Name])
		t.tested = t.bounds != nil
	}
	t.claim.Reason = r.reason(a, b, p, err)
	return t, true
}

var errAbsent = errors.New("no results")

func (r *Results) compare(a, b Model, p Scope) (c scoring.Comparison, err error) {
	switch first, second := a.Scores[p.Name], b.Scores[p.Name]; {
	case p.Averaged:
		return compareAverages(a, b, p)
	case p.Name == HeldOut.Name && (a.HeldOut == nil || b.HeldOut == nil):
		return c, errAbsent
	case p.Name == HeldOut.Name && a.Arm != nil && b.Arm != nil:
		return scoring.CompareHeldOutTrainings(r.Weights, a.Arm, b.Arm)
	case p.Name == HeldOut.Name:
		return scoring.CompareHeldOut(r.Weights, a.Scores, b.Scores)
	case first == nil || second == nil || first.Finished == 0 || second.Finished == 0:
		return c, errAbsent
	case a.Arm != nil && b.Arm != nil:
		return scoring.CompareTrainings(a.Arm[p.Name], b.Arm[p.Name])
	default:
		return scoring.Compare(first, second)
	}
}

// mostMissing is the largest share of the planned episodes that may be missing for a pair to
// be compared with the missing ones at their worst for either.
const mostMissing = 0.1

// bounds compares two scores with missing episodes at their worst for either; nil if too
// many are missing, or if they cannot be compared all the same.
func (r *Results) bounds(a, b *scoring.Score) *[2]scoring.Change {
	for _, s := range []*scoring.Score{a, b} {
		if float64(s.Planned-s.Finished) > mostMissing*float64(s.Planned) {
			return nil
		}
	}
	low, err1 := scoring.Compare(a.Supposing(0), b.Supposing(1))
	high, err2 := scoring.Compare(a.Supposing(1), b.Supposing(0))
	if err1 != nil || err2 != nil {
		return nil
	}
	lowest, ok := r.Rate.change(low)
	highest, _ := r.Rate.change(high)
	if !ok {
		return nil
	}
	return &[2]scoring.Change{lowest, highest}
}

// unplayed counts the planned episodes that were not tried to their end.
func unplayed(s *scoring.Score) int { return s.Unfinished[""] + s.Unfinished[record.Cancelled] }

// reason says why two models are not compared.
func (r *Results) reason(a, b Model, p Scope, err error) string {
	switch {
	case p.Averaged:
		return err.Error()
	case errors.Is(err, errAbsent) && p.Name == HeldOut.Name:
		for _, m := range []Model{a, b} {
			if m.HeldOut == nil {
				return unscored(m)
			}
		}
	case errors.Is(err, errAbsent):
		for _, m := range []Model{a, b} {
			if s := m.Scores[p.Name]; s == nil {
				return m.Name + " was not planned there"
			} else if s.Finished == 0 {
				return fmt.Sprintf("%s has 0 of %d episodes", m.Name, s.Planned)
			}
		}
	case errors.Is(err, scoring.ErrIncomplete):
		var parts []string
		for _, m := range []Model{a, b} {
			if s := m.Scores[p.Name]; s != nil && !s.Complete() {
				parts = append(parts, fmt.Sprintf("%s has %d of %d episodes", m.Name, s.Finished, s.Planned))
			}
		}
		return strings.Join(parts, ", ")
	case errors.Is(err, scoring.ErrOtherTasks):
		return fmt.Sprintf("%s and %s played different tasks", a.Name, b.Name)
	}
	return err.Error()
}

// unscored says why a model has no held-out score.
func unscored(m Model) string {
	if m.Unscored == "" {
		return m.Name + " has no held-out score"
	}
	return fmt.Sprintf("%s has no held-out score: %s", m.Name, m.Unscored)
}
