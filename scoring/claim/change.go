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
			if reason := c.lacks(); reason != "" {
				t.claim.Reason = reason
			} else if compared, err := scoring.CompareMean(c.Perturbed, c.Base); err != nil {
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
	subject := Subject{Name: m.Name, Value: math.NaN(), Perturbed: math.NaN()}
	t := test{claim: Claim{Rate: r.Measure(c.Place), Place: c.Place, Perturbations: c.Names}}
	if c.Base != nil {
		subject.Value, subject.Seeds = r.Rate.Select(c.Base).Mean, len(c.Base.Seeds)
		subject.Finished, subject.Planned = c.Base.Finished, c.Base.Planned
		t.claim.Tasks = c.Base.Tasks()
	}
	sum := 0.0
	for _, s := range c.Perturbed {
		sum += r.Rate.Select(s).Mean
		subject.Finished, subject.Planned = subject.Finished+s.Finished, subject.Planned+s.Planned
	}
	subject.Perturbed = sum / float64(len(c.Perturbed))
	t.claim.Subjects = []Subject{subject}
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
	for i, s := range append([]*scoring.Score{c.Base}, c.Perturbed...) {
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

func (r *Results) changesOf(a Model, first Changed, b Model, second Changed) test {
	t, u := r.change(a, first), r.change(b, second)
	t.claim.Subjects = append(t.claim.Subjects, u.claim.Subjects...)
	switch reason, also := first.lacks(), second.lacks(); {
	case reason != "":
		t.claim.Reason = a.Name + ": " + reason
	case also != "":
		t.claim.Reason = b.Name + ": " + also
	case !slices.Equal(first.Names, second.Names):
		t.claim.Reason = fmt.Sprintf("%s and %s have different perturbations", a.Name, b.Name)
	case !slices.Equal(first.Rules, second.Rules):
		t.claim.Reason = fmt.Sprintf("%s and %s have perturbations of one name with different rules", a.Name, b.Name)
	default:
		compared, err := scoring.CompareChanges(first.Perturbed, first.Base, second.Perturbed, second.Base)
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
func (r Retry) claim(rate Rate) Claim {
	c := Claim{Kind: kindOf(r.First), Subjects: []Subject{r.subject(rate)}, Place: r.Place, Tasks: r.First.Tasks(),
		Rate: afterTrials(rate.NameIn(r.Place), r.Trials), Estimate: math.NaN(), P: math.NaN()}
	if r.Score != nil {
		c.Estimate, c.Interval = rate.Select(r.Score).Mean, rate.Select(r.Score).Interval
	}
	return c
}
