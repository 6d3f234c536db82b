package scoring

import (
	"reflect"
	"slices"
)

// Joins reports whether two scores are for one condition on the same tasks, with
// other seeds each: then they are parts of one score.
func (s *Score) Joins(o *Score) bool {
	if s.About != o.About || slices.ContainsFunc(s.Seeds, func(seed int64) bool {
		return slices.Contains(o.Seeds, seed)
	}) {
		return false
	}
	return s.Condition.Key() == o.Condition.Key() && reflect.DeepEqual(s.Environment, o.Environment)
}

// Join returns the score over the seeds of scores that join.
func Join(scores ...*Score) *Score {
	first := scores[0]
	s := newScore(first.Condition, first.Environment, first.About)
	s.withSteps = true
	byKey := map[string]*taskResults{}
	for i := range s.tasks {
		byKey[s.tasks[i].key] = &s.tasks[i]
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
			for _, p := range t.results {
				byKey[t.key].results = append(byKey[t.key].results, p)
				s.Replies.add(p.attempt)
			}
		}
	}
	s.compute()
	return s
}

func addCounts[K comparable](dst, src map[K]int) {
	for of, n := range src {
		dst[of] += n
	}
}
