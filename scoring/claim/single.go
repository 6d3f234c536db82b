package claim

import (
	"cmp"
	"math"
	"slices"

	"heldout/scoring"
)

// single adds the claims that are about one model.
func (s *Set) single(m Model) {
	subject := Subject{Name: m.Name, Value: math.NaN()}
	if len(m.Trained) > 0 {
		s.Trained = append(s.Trained, Claim{Kind: Trained, Subjects: []Subject{subject}, Environments: m.Trained,
			Estimate: math.NaN(), P: math.NaN()})
	}
	if m.HeldOut == nil && m.Unscored != "" {
		s.Unscored = append(s.Unscored, Claim{Kind: Unscored, Subjects: []Subject{subject}, Place: HeldOut,
			Reason: m.Unscored, Estimate: math.NaN(), P: math.NaN()})
	}
	if m.Baseline {
		return
	}
	for _, p := range s.Places {
		if score := m.Scores[p.Name]; score != nil {
			s.unreadable(m, p, score, nil)
		}
	}
	for _, sweep := range m.Sweeps {
		for _, c := range sweep.Conditions[1:] {
			if c.Interface && c.Score != nil {
				s.unreadable(m, sweep.Place, c.Score, []string{c.Name})
			}
		}
	}
}

// unreadable says how many replies had no action, if any had none.
func (s *Set) unreadable(m Model, p Scope, score *scoring.Score, perturbations []string) {
	u := score.Unreadable()
	if u.Unread == 0 {
		return
	}
	model := Subject{Name: m.Name, Value: s.Rate.Select(score).Mean, Seeds: score.SeedCount(), Finished: score.Finished,
		Planned: score.Planned}
	c := Claim{Kind: Unreadable, Subjects: []Subject{model}, Rate: s.Measure(p), Place: p, Perturbations: perturbations,
		Tasks: score.Tasks(), Part: u.Unread, Total: u.Replies, Touched: u.Touched, Unsolved: u.Unsolved,
		Estimate: Pick(s.Rate, u.Success, u.Progress), P: math.NaN()}
	s.Unreadable = append(s.Unreadable, c)
}

// Share is the share of unreadable replies.
func (c Claim) Share() float64 { return float64(c.Part) / float64(c.Total) }

// MostUnreadable is the claim with the largest share of unreadable replies; ok is false if all could be read.
func (s *Set) MostUnreadable() (worst Claim, ok bool) {
	if len(s.Unreadable) == 0 {
		return worst, false
	}
	share := func(a, b Claim) int { return cmp.Compare(a.Share(), b.Share()) }
	return slices.MaxFunc(s.Unreadable, share), true
}
