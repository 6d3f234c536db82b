package claim

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"heldout/scoring"
	"heldout/scoring/table"
)

// Sweep is a model in a place under the conditions of a sweep.
type Sweep struct {
	Place Scope
	// Conditions are the conditions under which some model was planned, the first without a perturbation.
	Conditions []Condition
}

// Condition is a condition of a sweep.
type Condition struct {
	// Name is the perturbation's, Rules a hash of its rules.
	Name, Rules string
	// Interface: it changes the interface, and not the model. Averaged: it is one of those whose rates are averaged.
	Interface, Averaged bool
	// Score is nil if the model was not planned under it.
	Score *scoring.Score
}

// swept is what a model reached under the perturbations of a place; nil without any.
func (m Model) swept(p Scope) *Sweep {
	for i := range m.Sweeps {
		if m.Sweeps[i].Place.Name == p.Name {
			return &m.Sweeps[i]
		}
	}
	return nil
}

// base is without a perturbation; nil if it was not planned.
func (s *Sweep) base() *scoring.Score { return s.Conditions[0].Score }

// The kinds of conditions that questions are about.
func interfaceOnly(c Condition) bool { return c.Interface }
func averagedOnly(c Condition) bool  { return c.Averaged }

// conditions are the planned conditions of a kind, except the one without a perturbation.
func (s *Sweep) conditions(accept func(Condition) bool) []Condition {
	if s == nil {
		return nil
	}
	return table.Filter(s.Conditions[1:], func(c Condition) bool { return accept(c) && c.Score != nil })
}

// perturbations names the conditions of a kind, scores are those under them.
func (s *Sweep) perturbations(accept func(Condition) bool) []string {
	return table.Keys(s.conditions(accept), func(c Condition) string { return c.Name })
}

func (s *Sweep) scores(accept func(Condition) bool) []*scoring.Score {
	return table.Each(s.conditions(accept), func(c Condition) *scoring.Score { return c.Score })
}

// lacks says what is missing of the conditions of a kind and of the one without a perturbation;
// empty if nothing is.
func (s *Sweep) lacks(accept func(Condition) bool) string {
	if s.base() == nil {
		return "not planned without a perturbation"
	}
	var absent, parts []string
	for i, c := range s.Conditions {
		place := "under " + c.Name
		if i == 0 {
			place = "without a perturbation"
		}
		switch {
		case i > 0 && !accept(c):
		case c.Score == nil:
			absent = append(absent, c.Name)
		case !c.Score.Complete():
			parts = append(parts, fmt.Sprintf("%d of %d episodes %s", c.Score.Finished, c.Score.Planned, place))
		}
	}
	if absent != nil {
		return "not planned under " + strings.Join(absent, ", ")
	}
	return strings.Join(parts, ", ")
}

// average is a model with its average over conditions, if there are results for each.
func (r *Results) average(out Subject, s *Sweep) Subject {
	if s == nil || s.base() == nil {
		return out
	}
	scores := append([]*scoring.Score{s.base()}, s.scores(averagedOnly)...)
	sum := 0.0
	for _, score := range scores {
		sum += r.Rate.Select(score).Mean
		out.Finished, out.Planned = out.Finished+score.Finished, out.Planned+score.Planned
	}
	out.Seeds = s.base().SeedCount()
	if !slices.ContainsFunc(s.Conditions, func(c Condition) bool { return c.Averaged && c.Score == nil }) {
		out.Value = sum / float64(len(scores))
	}
	return out
}

// compareAverages compares the averages of two models over the conditions of a sweep.
func compareAverages(a, b Model, p Scope) (c scoring.Comparison, err error) {
	first, two := a.swept(p), b.swept(p)
	if err := sameConditions(a, first, b, two, averagedOnly); err != nil {
		return c, err
	}
	return scoring.CompareMean(append(first.scores(averagedOnly), first.base()),
		append(two.scores(averagedOnly), two.base())...)
}

// sameConditions says why two models cannot be compared under the conditions of a kind.
func sameConditions(a Model, first *Sweep, b Model, two *Sweep, accept func(Condition) bool) error {
	for _, m := range []struct {
		name  string
		sweep *Sweep
	}{{a.Name, first}, {b.Name, two}} {
		if m.sweep == nil {
			return fmt.Errorf("%s was not planned under perturbations", m.name)
		}
		if reason := m.sweep.lacks(accept); reason != "" {
			return fmt.Errorf("%s: %s", m.name, reason)
		}
	}
	sameRules := func(c, d Condition) bool { return c.Rules == d.Rules }
	switch {
	case !slices.Equal(first.perturbations(accept), two.perturbations(accept)):
		return fmt.Errorf("%s and %s have different perturbations", a.Name, b.Name)
	case !slices.EqualFunc(first.conditions(accept), two.conditions(accept), sameRules):
		return fmt.Errorf("%s and %s have perturbations of one name with different rules", a.Name, b.Name)
	}
	return nil
}

// losses compare each model under the perturbations of the interface with itself without.
func (r *Results) losses() (tests []test) {
	for _, m := range r.Models {
		for i := range m.Sweeps {
			s := &m.Sweeps[i]
			if !r.Competes(m) || len(s.scores(interfaceOnly)) == 0 {
				continue
			}
			t := r.loss(m, s)
			if reason := s.lacks(interfaceOnly); reason != "" {
				t.claim.Reason = reason
			} else {
				t.take(scoring.CompareMean(s.scores(interfaceOnly), s.base()))
			}
			tests = append(tests, t)
		}
	}
	return tests
}

// take takes a comparison, or says why there is none.
func (t *test) take(compared scoring.Comparison, err error) {
	if err != nil {
		t.claim.Reason = err.Error()
	} else if t.change, t.tested = t.rate.change(compared); !t.tested {
		t.claim.Reason = "differences of grounding are not tested"
	}
}

// loss is the claim about a model under perturbations, without a comparison.
func (r *Results) loss(m Model, s *Sweep) test {
	subject := Subject{Name: m.Name, Value: math.NaN(), Perturbed: math.NaN()}
	t := test{rate: r.Rate, claim: Claim{Rate: r.Measure(s.Place), Place: s.Place,
		Perturbations: s.perturbations(interfaceOnly), Family: Family{Name: Losses}}}
	if base := s.base(); base != nil {
		subject.Value, subject.Seeds, subject.EqualSeeds = r.Rate.Select(base).Mean, base.SeedCount(), base.EqualSeeds()
		subject.Finished, subject.Planned = base.Finished, base.Planned
		t.claim.Tasks = base.Tasks()
	}
	sum, scores := 0.0, s.scores(interfaceOnly)
	for _, score := range scores {
		sum += r.Rate.Select(score).Mean
		subject.Finished, subject.Planned = subject.Finished+score.Finished, subject.Planned+score.Planned
	}
	subject.Perturbed = sum / float64(len(scores))
	t.claim.Subjects = []Subject{subject}
	return t
}

// lossDifferences compare the losses of two models in a place.
func (r *Results) lossDifferences() (tests []test) {
	r.eachPair(func(a, b Model) {
		for i := range b.Sweeps {
			first, two := a.swept(b.Sweeps[i].Place), &b.Sweeps[i]
			if first == nil || len(first.scores(interfaceOnly)) == 0 || len(two.scores(interfaceOnly)) == 0 {
				continue
			}
			t, u := r.loss(a, first), r.loss(b, two)
			t.claim.Family.Name, t.claim.Subjects = LossDifferences, append(t.claim.Subjects, u.claim.Subjects...)
			t.claim.Fewest, t.claim.Tasks = taskRange(t.claim.Tasks, u.claim.Tasks)
			t.claim.Protocols = r.otherProtocols(two.Place, a, b)
			if err := sameConditions(a, first, b, two, interfaceOnly); err != nil {
				t.claim.Reason = err.Error()
			} else {
				t.take(scoring.CompareChanges(first.scores(interfaceOnly), first.base(), two.scores(interfaceOnly),
					two.base()))
			}
			tests = append(tests, t)
		}
	})
	return tests
}

// retries compare players after their last trial.
func (r *Results) retries() (tests []test) {
	for _, retry := range r.Retries {
		if retry.Against == nil {
			continue
		}
		t := test{rate: r.Rate, claim: retry.claim(r.Rate)}
		t.claim.Family.Name = Primary
		t.claim.Subjects = append(t.claim.Subjects, retry.Against.subject(r.Rate))
		t.claim.Fewest, t.claim.Tasks = taskRange(t.claim.Tasks, retry.Against.First.Tasks())
		if retry.Score == nil || retry.Against.Score == nil {
			t.claim.Reason = "results of trials that are due are missing"
		} else {
			t.take(scoring.Compare(retry.Score, retry.Against.Score))
		}
		tests = append(tests, t)
	}
	return tests
}

// claim is about what the player reached.
func (r Retry) claim(rate Rate) Claim {
	c := Claim{Kind: kindOf(r.First), Subjects: []Subject{r.subject(rate)}, Place: r.Place, Tasks: r.First.Tasks(),
		Rate: afterTrials(rate.NameIn(r.Place), r.Trials), Estimate: math.NaN(), P: math.NaN()}
	if r.Score != nil {
		c.Estimate, c.Interval = rate.Select(r.Score).Mean, rate.Select(r.Score).Interval
	}
	return c
}
