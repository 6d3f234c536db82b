package claim

import (
	"cmp"
	"math"
	"slices"

	"heldout/scoring"
	"heldout/scoring/stats"
	"heldout/scoring/table"
)

// Set is all that results say.
type Set struct {
	*Results
	// Comparisons are the comparisons of all families, one after the other.
	Comparisons []Claim
	// Best says for each place in which several models were compared which one is best.
	Best []Claim
	// Rates are what each model reached in each place.
	Rates []Claim
	// Trained, Unscored and Unreadable are about single models.
	Trained, Unscored, Unreadable []Claim

	pairs   map[pairKey]Claim           // the comparisons of two models, in both directions
	letters map[place]map[string]string // by model
}

type pairKey struct {
	place
	a, b string
}

// Derive derives all claims of results.
func Derive(r *Results) *Set {
	s := &Set{Results: r, pairs: map[pairKey]Claim{}, letters: map[place]map[string]string{}}
	tests := r.retries()
	if !r.retried() {
		tests = slices.Concat(r.pairs(), r.losses(), r.lossDifferences())
	}
	s.Comparisons = settle(tests, r.Margin)
	if !r.retried() {
		s.rank()
	}
	s.Rates = table.Each(r.Retries, func(retry Retry) Claim { return retry.claim(r.Rate) })
	for _, m := range r.Models {
		for _, p := range r.Columns() {
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
	return slices.Concat(s.Comparisons, s.Best, s.Rates, s.Trained, s.Unscored, s.Unreadable)
}

// Family is the comparisons of a family.
func (s *Set) Family(name FamilyName) []Claim { return ofFamily(s.Comparisons, name) }

func ofFamily(claims []Claim, name FamilyName) []Claim {
	return table.Filter(claims, func(c Claim) bool { return c.Family.Name == name })
}

// Families are those that have tests, in their order.
func (s *Set) Families() []Family {
	tested := table.Filter(s.Comparisons, func(c Claim) bool { return c.Family.Tests > 0 })
	return table.Keys(tested, func(c Claim) Family { return c.Family })
}

// Swept reports whether a model played under perturbations.
func (r *Results) Swept() bool {
	return slices.ContainsFunc(r.Models, func(m Model) bool { return len(m.Sweeps) > 0 })
}

// eachPair goes through the pairs of models that are compared, in the order of the table: the second is subtracted,
// which is the reference, or the earlier one.
func (r *Results) eachPair(do func(a, b Model)) {
	for j, b := range r.Models {
		for _, a := range r.Models[:j] {
			a, b := a, b
			if a.Name == r.Reference || b.Name != r.Reference && a.Position < b.Position {
				a, b = b, a
			}
			if r.Competes(a) && r.Competes(b) && (r.Reference == "" || b.Name == r.Reference) {
				do(a, b)
			}
		}
	}
}

// pairs are the pairs of models that are compared, by place.
func (r *Results) pairs() (tests []test) {
	scored := false
	for _, p := range r.questions() {
		r.eachPair(func(a, b Model) {
			if t, ok := r.pair(a, b, p); ok {
				tests, scored = append(tests, t), scored || p == HeldOut && t.tested
			}
		})
	}
	for i := range tests {
		tests[i].claim.Family.Name = r.family(tests[i].claim.Place, scored)
	}
	// the primary question is the held-out score, which is the last place
	slices.SortStableFunc(tests, func(a, b test) int {
		return cmp.Compare(rankOf(a.claim.Family.Name), rankOf(b.claim.Family.Name))
	})
	return tests
}

func rankOf(name FamilyName) int {
	return slices.Index([]FamilyName{Primary, Second, Unperturbed, Averages}, name)
}

// family is the one of the differences in a place; scored: there are tests of the held-out score.
func (r *Results) family(p Scope, scored bool) FamilyName {
	switch {
	case p.Averaged:
		return Averages
	case r.Swept():
		return Unperturbed
	case scored && p == HeldOut, !scored && len(r.Places) == 1:
		return Primary
	}
	return Second
}

// rank makes comparisons of two models quick to find, and says which one is best.
func (s *Set) rank() {
	for _, c := range s.Comparisons {
		if len(c.Subjects) == 2 && c.Family.Name != LossDifferences {
			a, b := c.Subjects[0].Name, c.Subjects[1].Name
			s.pairs[pairKey{c.Place.key(), a, b}], s.pairs[pairKey{c.Place.key(), b, a}] = c, c.Reversed()
		}
	}
	for _, p := range s.questions() {
		s.letters[p.key()] = s.lettered(p)
		if c, ok := s.best(p); ok {
			s.Best = append(s.Best, c)
		}
	}
}

// Find returns the comparison of two models in a place, seen from the first one.
func (s *Set) Find(p Scope, a, b string) (Claim, bool) {
	c, ok := s.pairs[pairKey{p.key(), a, b}]
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

// best says which model is best in a place; false if none are compared there, or all with one.
func (s *Set) best(p Scope) (Claim, bool) {
	subjects := s.ranked(p)
	if len(subjects) < 2 || s.Reference != "" {
		return Claim{}, false
	}
	c := Claim{Kind: Undecided, Subjects: subjects, Rate: s.Measure(p), Place: p, Estimate: subjects[0].Value,
		P:       math.NaN(),
		Leading: s.leading(p, subjects)}
	if c.Leading == 1 {
		c.Kind = Best
	}
	compared := false
	for _, claim := range s.Comparisons {
		if claim.Place == p && len(claim.Subjects) == 2 && claim.Family.Name != LossDifferences {
			c.Tasks, c.Family, c.Perturbations = max(c.Tasks, claim.Tasks), claim.Family, claim.Perturbations
			compared = compared || claim.Kind != NotCompared || claim.Bounded
			if claim.Kind == NotCompared {
				c.Reason = cmp.Or(c.Reason, claim.Reason)
			}
		}
	}
	models := table.Each(subjects, s.player)
	c.Fewest, _ = taskRange(table.Each(models, func(m Model) int { return s.tasks(m, p) })...)
	c.Protocols = s.otherProtocols(p, models...)
	return c, compared
}

// leading counts the subjects, the highest of which come first, that are all significantly
// above all that follow; it is the number of subjects if there are none.
func (s *Set) leading(p Scope, subjects []Subject) int {
	better := func(a, b Subject) bool {
		c, ok := s.Find(p, a.Name, b.Name)
		return ok && c.Kind == Differs && c.Estimate > 0
	}
	for n := 1; n < len(subjects); n++ {
		if !slices.ContainsFunc(subjects[:n], func(a Subject) bool {
			return slices.ContainsFunc(subjects[n:], func(b Subject) bool { return !better(a, b) })
		}) {
			return n
		}
	}
	return len(subjects)
}

// Letters are the letters of the models in a place: models that share a letter do not differ significantly. A model
// that is not compared with all others that have letters has none; there are none if nobody is compared.
func (s *Set) Letters(p Scope) map[string]string { return s.letters[p.key()] }

// Unlettered says behind a prefix why models that have all their results are not compared, if nothing else says it:
// there are several, and others have letters, or no model has one.
func (s *Set) Unlettered(prefix string) []string {
	incomplete := func(of Subject) bool { return of.Finished < of.Planned }
	for _, c := range s.Comparisons {
		letters := s.Letters(c.Place)
		unlettered := func(of Subject) bool { return letters[of.Name] == "" }
		if c.Kind == NotCompared && (len(letters) > 0 || len(s.Best) == 0) && s.competing() > 2 && !s.retried() &&
			slices.ContainsFunc(c.Subjects, unlettered) && !slices.ContainsFunc(c.Subjects, incomplete) {
			return []string{prefix + c.verdict()}
		}
	}
	return nil
}

func (s *Set) lettered(p Scope) map[string]string {
	subjects := s.ranked(p)
	lacks := func(a, b string) bool {
		c, ok := s.Find(p, a, b)
		return !ok || c.Kind == NotCompared
	}
	var members []Subject
	for _, subject := range subjects {
		compared := func(o Subject) bool { return !lacks(subject.Name, o.Name) }
		if slices.ContainsFunc(subjects, compared) && len(table.Filter(members, compared)) == len(members) {
			members = append(members, subject)
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
	for _, subject := range subjects {
		if letters[subject.Name] == "" {
			return nil
		}
		if best := letters[subject.Name][0] == 'a'; best {
			out[subject.Name] = true
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
	for _, subject := range subjects {
		if subject.Name == model {
			ok = true
			continue
		}
		c, found := s.Find(p, model, subject.Name)
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
	if m.swept(p) != nil {
		c.Family.Name = Unperturbed
	}
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
