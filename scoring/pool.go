package scoring

import (
	"maps"
	"reflect"
	"slices"

	"heldout/scoring/record"
)

// Joins reports whether two scores are of one condition on the same tasks, with other
// seeds each: then they are parts of one score.
func (s *Score) Joins(other *Score) bool {
	if s.About != other.About || slices.ContainsFunc(s.Seeds, func(seed int64) bool {
		return slices.Contains(other.Seeds, seed)
	}) {
		return false
	}
	return s.Condition.Key() == other.Condition.Key() && reflect.DeepEqual(s.Environment, other.Environment)
}

// Join returns the score over the seeds of scores that join.
func Join(scores ...*Score) *Score {
	first := scores[0]
	s := newScore(first.Condition, first.Environment, first.About)
	s.withSteps = true
	at := map[string]*task{}
	for i := range s.tasks {
		at[s.tasks[i].key] = &s.tasks[i]
	}
	for _, of := range scores {
		s.withSteps = s.withSteps && of.withSteps
		s.Seeds = append(s.Seeds, of.Seeds...)
		s.Planned, s.Finished = s.Planned+of.Planned, s.Finished+of.Finished
		s.chains = append(s.chains, of.chains...)
		s.Spent = s.Spent.Plus(of.Spent)
		addCounts(s.Unfinished, of.Unfinished)
		addCounts(s.LaterUnfinished, of.LaterUnfinished)
		for _, t := range of.tasks {
			for _, p := range t.played {
				at[t.key].played = append(at[t.key].played, p)
				s.Replies.add(p.attempt)
			}
		}
	}
	s.compute()
	return s
}

func addCounts(to, from map[record.Outcome]int) {
	for outcome, n := range maps.All(from) {
		to[outcome] += n
	}
}
