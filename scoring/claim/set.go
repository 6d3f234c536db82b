package claim

import (
	"cmp"
	"math"
	"slices"

	"heldout/scoring"
	"heldout/scoring/stats"
)

// Set is all that results say.
type Set struct {
	*Results
	// Primary and Second are the comparisons of both families.
	Primary, Second []Claim
	// Best says for each place that several models were compared in who is best there.
	Best []Claim
	// Rates are what each model reached in each place.
	Rates []Claim
	// Trained, Unscored and Unreadable are about single models.
	Trained, Unscored, Unreadable []Claim

	pairs   map[pairKey]Claim            // the comparisons of two models, in both directions
	letters map[string]map[string]string // by place and model
}

type pairKey struct{ place, a, b string }

// Derive derives all claims of results.
func Derive(r *Results) *Set {
	s := &Set{Results: r}
	switch {
	case r.retried():
		s.Primary = settle(Primary, r.retries(), r.Margin)
	case r.Swept():
		s.Primary = settle(Primary, r.losses(), r.Margin)
		s.Second = settle(Second, r.lossesApart(), r.Margin)
	default:
		primary, second := r.pairs()
		s.Primary, s.Second = settle(Primary, primary, r.Margin), settle(Second, second, r.Margin)
		s.index()
		for _, p := range r.places() {
			s.letters[p.Name] = s.lettered(p)
			if c, ok := s.best(p); ok {
				s.Best = append(s.Best, c)
			}
		}
	}
	for _, of := range r.Retries {
		s.Rates = append(s.Rates, of.claim(r.Rate))
	}
	for _, m := range r.Models {
		for _, p := range r.places() {
			if c, ok := r.rated(m, p); ok {
				s.Rates = append(s.Rates, c)
			}
		}
		s.single(m)
	}
	return s
}

// Claims are all claims.
func (s *Set) Claims() []Claim {
	return slices.Concat(s.Primary, s.Second, s.Best, s.Rates, s.Trained, s.Unscored, s.Unreadable)
}

// Comparisons are the claims of both families.
func (s *Set) Comparisons() []Claim { return slices.Concat(s.Primary, s.Second) }

// Swept reports whether a model played under perturbations: the primary question is then
// what it loses by them.
func (r *Results) Swept() bool {
	return slices.ContainsFunc(r.Models, func(m Model) bool { return len(m.Changes) > 0 })
}

// pairs are the pairs of models that the families test.
func (r *Results) pairs() (primary, second []test) {
	tests := map[string][]test{}
	for _, p := range r.places() {
		for j, b := range r.Models {
			for _, a := range r.Models[:j] {
				a, b := a, b
				if a.Name == r.Reference { // it is subtracted
					a, b = b, a
				}
				if !r.Competes(a) || !r.Competes(b) || r.Reference != "" && b.Name != r.Reference {
					continue
				}
				if t, ok := r.pair(a, b, p); ok {
					tests[p.Name] = append(tests[p.Name], t)
				}
			}
		}
	}
	question := ""
	tested := func(t test) bool { return t.tested }
	if slices.ContainsFunc(tests[HeldOut.Name], tested) {
		question = HeldOut.Name
	} else if len(r.Places) == 1 {
		question = r.Places[0].Name
	}
	for _, p := range r.places() {
		if p.Name == question {
			primary = append(primary, tests[p.Name]...)
		} else {
			second = append(second, tests[p.Name]...)
		}
	}
	return primary, second
}

// index makes comparisons of two models quick to find.
func (s *Set) index() {
	s.pairs, s.letters = map[pairKey]Claim{}, map[string]map[string]string{}
	for _, c := range s.Comparisons() {
		a, b := c.Subjects[0].Name, c.Subjects[1].Name
		s.pairs[pairKey{c.Place.Name, a, b}] = c
		s.pairs[pairKey{c.Place.Name, b, a}] = c.Reversed()
	}
}

// Find returns the comparison of two models in a place, seen from the first one.
func (s *Set) Find(p Scope, a, b string) (Claim, bool) {
	c, ok := s.pairs[pairKey{p.Name, a, b}]
	return c, ok
}

// ranked are the models with a rate in a place that compete, the highest first.
func (s *Set) ranked(p Scope) (out []Subject) {
	for _, m := range s.Models {
		if subject := s.subject(m, p); s.Competes(m) && !math.IsNaN(subject.Value) {
			out = append(out, subject)
		}
	}
	slices.SortStableFunc(out, func(a, b Subject) int { return cmp.Compare(b.Value, a.Value) })
	return out
}

// best says who is best in a place; false if nobody is compared there, or all with one.
func (s *Set) best(p Scope) (Claim, bool) {
	subjects := s.ranked(p)
	if len(subjects) < 2 || s.Reference != "" {
		return Claim{}, false
	}
	c := Claim{Kind: Best, Subjects: subjects, Rate: s.Measure(p), Place: p, Estimate: subjects[0].Value, P: math.NaN()}
	compared := slices.ContainsFunc(s.Comparisons(), func(claim Claim) bool {
		return claim.Place == p && (claim.Kind == Differs || claim.Kind == NotSignificant || claim.Bounded)
	})
	for _, other := range subjects[1:] {
		claim, _ := s.Find(p, subjects[0].Name, other.Name)
		c.Tasks, c.Family = max(c.Tasks, claim.Tasks), claim.Family
		if better := claim.Kind == Differs && claim.Estimate > 0; !better {
			c.Kind = Undecided
		}
		if claim.Kind == NotCompared && c.Reason == "" {
			c.Reason = claim.Reason
		}
	}
	return c, compared
}

// Letters are those of the models in a place: models that share a letter do not differ
// significantly. A model that is not compared with all others that have letters has none;
// there are none if nobody is compared.
func (s *Set) Letters(p Scope) map[string]string { return s.letters[p.Name] }

func (s *Set) lettered(p Scope) map[string]string {
	subjects := s.ranked(p)
	lacks := func(a, b string) bool {
		c, ok := s.Find(p, a, b)
		return !ok || c.Kind == NotCompared
	}
	var members []Subject
	for _, of := range subjects {
		compared := slices.DeleteFunc(slices.Clone(subjects), func(o Subject) bool { return lacks(of.Name, o.Name) })
		if len(compared) > 0 && !slices.ContainsFunc(members, func(m Subject) bool { return lacks(of.Name, m.Name) }) {
			members = append(members, of)
		}
	}
	out := map[string]string{}
	if len(members) < 2 || s.Reference != "" {
		return out
	}
	for i, text := range stats.Letters(len(members), func(i, j int) bool {
		c, _ := s.Find(p, members[i].Name, members[j].Name)
		return c.Kind == Differs
	}) {
		out[members[i].Name] = text
	}
	return out
}

// Bold are the models of the best group of a place, which has the letter a: none if it is
// all of them, or if a model with a rate is not compared with all others.
func (s *Set) Bold(p Scope) map[string]bool {
	letters, out := s.Letters(p), map[string]bool{}
	subjects := s.ranked(p)
	for _, of := range subjects {
		if letters[of.Name] == "" {
			return nil
		}
		if best := letters[of.Name][0] == 'a'; best {
			out[of.Name] = true
		}
	}
	if len(out) == len(subjects) {
		return nil
	}
	return out
}

// Mark is what stands beside a rate: the letters of its model, or against a reference a word:
// better, worse, or ~ if the difference is not significant.
func (s *Set) Mark(p Scope, model string) string {
	if s.Reference == "" {
		return s.Letters(p)[model]
	}
	c, ok := s.Find(p, model, s.Reference)
	switch {
	case !ok || c.Kind == NotCompared:
		return ""
	case c.Kind == NotSignificant:
		return "~"
	case c.Estimate > 0:
		return "better"
	}
	return "worse"
}

// Ranks is the range of ranks that the comparisons of a place leave to a model: 1 plus the
// number of models that are significantly above it, to the number of all less those that
// are significantly below it. ok is false if it is not compared with all others.
func (s *Set) Ranks(p Scope, model string) (best, worst int, ok bool) {
	subjects := s.ranked(p)
	best, worst = 1, len(subjects)
	for _, other := range subjects {
		if other.Name == model {
			ok = true
			continue
		}
		c, found := s.Find(p, model, other.Name)
		switch {
		case !found || c.Kind == NotCompared:
			return 0, 0, false
		case c.Kind == Differs && c.Estimate < 0:
			best++
		case c.Kind == Differs:
			worst--
		}
	}
	return best, worst, ok
}

// rated says what a model reached in a place; false if nothing was planned there.
func (r *Results) rated(m Model, p Scope) (Claim, bool) {
	subject := r.subject(m, p)
	c := Claim{Kind: Rated, Subjects: []Subject{subject}, Rate: r.Measure(p), Place: p, Tasks: r.tasks(m, p),
		Estimate: subject.Value, P: math.NaN()}
	if p.Name == HeldOut.Name {
		if m.HeldOut == nil {
			return c, false
		}
		c.Interval = m.HeldOut.Interval
		return c, true
	}
	s := m.Scores[p.Name]
	if s == nil {
		return c, false
	}
	if c.Kind = kindOf(s); s.Misleads() {
		return c, true
	}
	c.Interval = r.Rate.Select(s).Interval
	if arm := m.Arm[p.Name]; arm.Score != nil {
		c.Interval = arm.Estimate(r.Rate.Select(s)).Interval
	}
	return c, true
}

// kindOf says how far the episodes of a score are.
func kindOf(s *scoring.Score) ClaimKind {
	switch {
	case s.Complete():
		return Rated
	case unplayed(s) > 0:
		return Preliminary
	}
	return Incomplete
}
