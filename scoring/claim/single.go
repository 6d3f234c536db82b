package claim

import (
	"math"

	"heldout/scoring"
)

// single adds the claims that are about one model.
func (s *Set) single(m Model) {
	one := Subject{Name: m.Name, Value: math.NaN()}
	if len(m.Trained) > 0 {
		s.Trained = append(s.Trained, Claim{Kind: Trained, Subjects: []Subject{one}, Environments: m.Trained,
			Estimate: math.NaN(), P: math.NaN()})
	}
	if m.HeldOut == nil && m.Unscored != "" {
		s.Unscored = append(s.Unscored, Claim{Kind: Unscored, Subjects: []Subject{one}, Place: HeldOut,
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
	for _, c := range m.Changes {
		for i, score := range c.Under {
			s.unreadable(m, c.Place, score, c.Names[i:i+1])
		}
	}
}

// unreadable says how many replies had no action, if any had none.
func (s *Set) unreadable(m Model, p Place, score *scoring.Score, under []string) {
	u := score.Unreadable()
	if u.Unread == 0 {
		return
	}
	of := Subject{Name: m.Name, Value: s.Rate.Of(score).Mean, Seeds: len(score.Seeds), Finished: score.Finished,
		Planned: score.Planned}
	c := Claim{Kind: Unreadable, Subjects: []Subject{of}, Rate: s.Measure(p), Place: p, Under: under,
		Tasks: score.Tasks(), Part: u.Unread, Of: u.Replies, Touched: u.Touched, Unsolved: u.Unsolved,
		Estimate: u.Success, P: math.NaN()}
	if s.Rate == Progress {
		c.Estimate = u.Progress
	}
	s.Unreadable = append(s.Unreadable, c)
}

// Share is the share of unreadable replies.
func (c Claim) Share() float64 { return float64(c.Part) / float64(c.Of) }

// MostUnreadable is the claim with the largest share of unreadable replies; ok is false if
// all could be read.
func (s *Set) MostUnreadable() (most Claim, ok bool) {
	for _, c := range s.Unreadable {
		if !ok || c.Share() > most.Share() {
			most, ok = c, true
		}
	}
	return most, ok
}
