package scoring

import (
	"math"
	"slices"

	"heldout/scoring/refinement"
	"heldout/scoring/stats"
)

// OldForms says how a model writes actions whose forms a perturbation writes
// differently, and how soon it learns to.
type OldForms struct {
	// Old and New count the actions of such forms by the way that they are written.
	Old, New int
	// Use is the share of Old among both: of their sums per task.
	Use Measured
	// Episodes counts the episodes with a result, Refused those with an action in an old form, and Relearned how
	// many of these write its form in the new way later. The others are censored at their end.
	Episodes, Refused, Relearned int
	// Survival are the shares of refused episodes that do so within the steps of
	// refinement.SurvivalSteps, by the estimator of Kaplan and Meier.
	Survival []Measured
	// Median is the number of steps within which half of them do; 0 if fewer than half
	// do within the last of these steps, or if there are too few to say.
	Median int
}

// ComputeOldForms pools scores of one environment and player, such as those under
// several perturbations of one family. It is nil if they have no such actions.
func ComputeOldForms(scores []*Score) *OldForms {
	pool := pooled(scores)
	counts := pool.counts()
	var o OldForms
	for _, task := range counts {
		for _, c := range task {
			o.add(c)
		}
	}
	if o.Old+o.New == 0 {
		return nil
	}
	o.Use = pool.measured(refinement.OldFormUse(), counts)
	for _, steps := range refinement.SurvivalSteps {
		l, err := stats.Survival(counts, (*refinement.Counts).RelearningSurvival, steps)
		o.Survival = append(o.Survival, opposite(pool.bounded(refinement.Unlearned(steps), l, err)))
	}
	o.Median = median(counts)
	return &o
}

// AdaptationCost estimates refinement.AdaptationCost over scores of one environment and player, such as those under
// several perturbations. It is nil without scores, and without the steps of episodes.
func AdaptationCost(scores []*Score) *Measured {
	if len(scores) == 0 {
		return nil
	}
	pool := pooled(scores)
	counts := pool.counts()
	if counts == nil {
		return nil
	}
	m := pool.measured(refinement.AdaptationCost(), counts)
	return &m
}

// pooled joins the results of scores by task.
func pooled(scores []*Score) *Score {
	byKey := map[string]taskResults{}
	for _, s := range scores {
		for _, t := range s.tasks {
			t.results = slices.Concat(byKey[t.key].results, t.results)
			byKey[t.key] = t
		}
	}
	pool := *scores[0]
	pool.tasks = sorted(byKey)
	return &pool
}

func (o *OldForms) add(c *refinement.Counts) {
	o.Episodes++
	o.Old += int(c.OldUses)
	o.New += int(c.NewUses)
	if c.Refused {
		o.Refused++
	}
	if c.Relearning.Recovered {
		o.Relearned++
	}
}

// opposite is one less a share.
func opposite(m Measured) Measured {
	m.Value = 1 - m.Value
	if m.Interval != nil {
		m.Interval = &stats.Interval{Low: 1 - m.Interval.High, High: 1 - m.Interval.Low}
	}
	m.linear = nil
	return m
}

// median is the first step at which at most half of the spells last longer.
func median(counts [][]*refinement.Counts) int {
	longest := refinement.SurvivalSteps[len(refinement.SurvivalSteps)-1]
	for steps := 1; steps <= longest; steps++ {
		l, err := stats.Survival(counts, (*refinement.Counts).RelearningSurvival, steps)
		if err != nil || math.IsNaN(l.Value) {
			return 0
		}
		if l.Value <= 0.5 {
			return steps
		}
	}
	return 0
}
