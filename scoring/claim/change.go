package claim

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"heldout/scoring"
)

// losses compare each model under perturbations with itself without.
func (r *Results) losses() (tests []test) {
	for _, m := range r.Models {
		if !r.Competes(m) {
			continue
		}
		for _, c := range m.Changes {
			t := r.change(m, c)
			if why := c.lacks(); why != "" {
				t.claim.Reason = why
			} else if compared, err := scoring.CompareMean(c.Under, c.Base); err != nil {
				t.claim.Reason = err.Error()
			} else {
				t.change, t.tested = r.Rate.change(compared)
			}
			tests = append(tests, t)
		}
	}
	return tests
}

// change is the claim about a model under perturbations, without a comparison.
func (r *Results) change(m Model, c Changed) test {
	of := Subject{Name: m.Name, Value: math.NaN(), Perturbed: math.NaN()}
	t := test{claim: Claim{Rate: r.Measure(c.Place), Place: c.Place, Under: c.Names}}
	if c.Base != nil {
		of.Value, of.Seeds = r.Rate.Of(c.Base).Mean, len(c.Base.Seeds)
		of.Finished, of.Planned = c.Base.Finished, c.Base.Planned
		t.claim.Tasks = c.Base.Tasks()
	}
	sum := 0.0
	for _, s := range c.Under {
		sum += r.Rate.Of(s).Mean
		of.Finished, of.Planned = of.Finished+s.Finished, of.Planned+s.Planned
	}
	of.Perturbed = sum / float64(len(c.Under))
	t.claim.Subjects = []Subject{of}
	return t
}

// lacks says what is missing to compare a model with itself; empty if nothing is.
func (c Changed) lacks() string {
	if c.Base == nil {
		return "not planned without a perturbation"
	}
	if len(c.Lacking) > 0 {
		return "not planned under " + strings.Join(c.Lacking, ", ")
	}
	var parts []string
	for i, s := range append([]*scoring.Score{c.Base}, c.Under...) {
		name := "without a perturbation"
		if i > 0 {
			name = "under " + c.Names[i-1]
		}
		if !s.Complete() {
			parts = append(parts, fmt.Sprintf("%d of %d episodes %s", s.Finished, s.Planned, name))
		}
	}
	return strings.Join(parts, ", ")
}

// lossesApart compare the changes of two models in a place.
func (r *Results) lossesApart() (tests []test) {
	for j, b := range r.Models {
		for _, a := range r.Models[:j] {
			if !r.Competes(a) || !r.Competes(b) {
				continue
			}
			if r.Reference != "" && a.Name != r.Reference && b.Name != r.Reference {
				continue
			}
			for _, one := range a.Changes {
				for _, two := range b.Changes {
					if one.Place == two.Place {
						tests = append(tests, r.changesOf(a, one, b, two))
					}
				}
			}
		}
	}
	return tests
}

func (r *Results) changesOf(a Model, one Changed, b Model, two Changed) test {
	t, other := r.change(a, one), r.change(b, two)
	t.claim.Subjects = append(t.claim.Subjects, other.claim.Subjects...)
	switch why, also := one.lacks(), two.lacks(); {
	case why != "":
		t.claim.Reason = a.Name + ": " + why
	case also != "":
		t.claim.Reason = b.Name + ": " + also
	case !slices.Equal(one.Names, two.Names):
		t.claim.Reason = fmt.Sprintf("%s and %s have different perturbations", a.Name, b.Name)
	case !slices.Equal(one.Rules, two.Rules):
		t.claim.Reason = fmt.Sprintf("%s and %s have perturbations of one name with different rules", a.Name, b.Name)
	default:
		compared, err := scoring.CompareChanges(one.Under, one.Base, two.Under, two.Base)
		if err != nil {
			t.claim.Reason = fmt.Sprintf("%s and %s: %v", a.Name, b.Name, err)
			break
		}
		t.change, t.tested = r.Rate.change(compared)
	}
	return t
}

// retries compare players after their last trial.
func (r *Results) retries() (tests []test) {
	for _, of := range r.Retries {
		if of.Against == nil {
			continue
		}
		t := test{claim: of.claim(r.Rate)}
		t.claim.Subjects = append(t.claim.Subjects, of.Against.subject(r.Rate))
		t.claim.Tasks = max(t.claim.Tasks, of.Against.First.Tasks())
		if of.Score == nil || of.Against.Score == nil {
			t.claim.Reason = "results of trials that are due are missing"
		} else if compared, err := scoring.Compare(of.Score, of.Against.Score); err != nil {
			t.claim.Reason = err.Error()
		} else {
			t.change, t.tested = r.Rate.change(compared)
		}
		tests = append(tests, t)
	}
	return tests
}

// claim is about what the player reached.
func (of Retry) claim(rate Rate) Claim {
	c := Claim{Kind: kindOf(of.First), Subjects: []Subject{of.subject(rate)}, Place: of.Place, Tasks: of.First.Tasks(),
		Rate: afterTrials(rate.NameIn(of.Place), of.Trials), Estimate: math.NaN(), P: math.NaN()}
	if of.Score != nil {
		c.Estimate, c.Interval = rate.Of(of.Score).Mean, rate.Of(of.Score).Interval
	}
	return c
}
