package refinement

import "heldout/scoring/record"

// Marked is the test of old forms for perturbations whose steps say themselves which
// form their action has.
func Marked(string) bool { return false }

// relearn counts the actions in the old and in the new way, and looks for the first
// one that writes the form of the first old one in the new way.
func (c *Counts) relearn(steps []record.Step) {
	first, form := 0, ""
	var errors uint16
	for i, s := range steps {
		if s.NewForm != "" && !s.Erroneous() && !c.Adapted {
			c.Adapted, c.Adapting = true, errors
		}
		if s.Erroneous() || s.OldForm != "" { // Jericho's layer calls no command invalid
			errors++
		}
		if s.NewForm != "" {
			c.NewUses++
		}
		if s.NewForm != "" && s.NewForm == form && !c.Relearning.Recovered {
			c.Relearning = Spell{uint16(i - first), true}
		}
		if s.OldForm == "" {
			continue
		}
		c.OldUses++
		if !c.Refused {
			c.Refused, first, form = true, i, s.OldForm
			c.Relearning.Steps = uint16(len(steps) - 1 - i)
		}
	}
}

// OldFormUse is the share of the actions of changed forms that are written in the old
// way.
func OldFormUse() Measure {
	return Measure{"old_form_use", "old form, of changed ones", Share, func(c *Counts) (num, den float64) {
		return float64(c.OldUses), float64(c.OldUses) + float64(c.NewUses)
	}}
}

// AdaptationCost is the mean number of errors, actions in an old form included, before the
// first valid action in a new form, over solved episodes that have one.
func AdaptationCost() Measure {
	return Measure{"adaptation_cost", "adaptation cost", Steps, where(
		func(c *Counts) bool { return c.Solved && c.Adapted },
		func(c *Counts) (num, den float64) { return float64(c.Adapting), 1 })}
}

// Unlearned is the share of the episodes with an action in an old form that have not
// written that form in the new way so many steps later, by the estimator of Kaplan
// and Meier; it has no Of.
func Unlearned(steps int) Measure {
	m := Unrecovered(steps)
	m.Key, m.Name = "old_form_"+m.Key, "old form "+m.Name
	return m
}

// RelearningSurvival is Survival for the time from the first action in an old form.
func (c *Counts) RelearningSurvival() (atRisk, ended []uint16) {
	var spells Spells
	if c.Refused {
		spells.add(c.Relearning)
	}
	return spells.Counts()
}
