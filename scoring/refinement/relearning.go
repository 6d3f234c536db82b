package refinement

import (
	"fmt"
	"regexp"
	"strings"

	"heldout/scoring/record"
)

// Marked is the test of old forms for perturbations whose steps say themselves which form their action has.
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

// OldFormUse is the share of the actions of changed forms that are written in the old way.
func OldFormUse() Measure {
	return Measure{"old_form_use", "old form, of changed ones", Share, func(c *Counts) (num, den float64) {
		return float64(c.OldUses), float64(c.OldUses) + float64(c.NewUses)
	}}
}

// AdaptationCost is the mean number of errors, actions in an old form included, before the
// first valid action in a new form, over solved episodes that have one.
func AdaptationCost() Measure {
	return Measure{"adaptation_cost", "adaptation cost", Steps, restricted(
		func(c *Counts) bool { return c.Solved && c.Adapted },
		func(c *Counts) (num, den float64) { return float64(c.Adapting), 1 })}
}

// Unlearned is the share of the episodes with an action in an old form that have not written that form in the new
// way so many steps later, by the estimator of Kaplan and Meier; it has no Of.
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

// Spell is the time from an error.
type Spell struct {
	Steps uint16 // until recovery, or until the end of the episode
	// Recovered is false if the episode ended before.
	Recovered bool
}

// longestSpell is the last step at which spells are counted.
const longestSpell = 10

// Spells counts the spells of an episode at each step from 1 to longestSpell: those
// that are under way before it, and those that end at it with a recovery.
type Spells struct{ AtRisk, Ended [longestSpell]uint16 }

// Counts are both, by step.
func (s *Spells) Counts() (atRisk, ended []uint16) { return s.AtRisk[:], s.Ended[:] }

func (s *Spells) add(spell Spell) {
	for step := range min(longestSpell, int(spell.Steps)) {
		s.AtRisk[step]++
	}
	if spell.Recovered && int(spell.Steps) <= longestSpell {
		s.Ended[spell.Steps-1]++
	}
}

// slot is a slot of a quoted template.
var slot = regexp.MustCompile(`\\\{([^{}]*)\\\}`)

// OldForm returns a test of whether an action is in a form that the perturbation replaces: it fits an old template
// and no new one, or it has a name as the environment itself writes names. It is nil if the perturbation changes
// neither actions nor names. The error says that the record's regular expressions cannot be read.
func OldForm(r *record.Rules) (func(action string) bool, error) {
	if r == nil || len(r.Actions) == 0 && r.Names == "" {
		return nil, nil
	}
	var olds, news []string
	for old, current := range r.Actions {
		olds, news = append(olds, fullMatch(old)), append(news, fullMatch(current))
	}
	patterns := make([]*regexp.Regexp, 0, 4)
	for _, p := range []string{alternation(olds), alternation(news), nameIn(r.OwnNames, r.NameParts),
		nameIn(r.Names, r.NameParts)} {
		compiled, err := regexp.Compile(p)
		if err != nil {
			return nil, fmt.Errorf("the rules of the perturbation are damaged: %w", err)
		}
		patterns = append(patterns, compiled)
	}
	old, current, ownName, name := patterns[0], patterns[1], patterns[2], patterns[3]
	return func(action string) bool {
		action = strings.TrimSpace(action)
		return old.MatchString(action) && !current.MatchString(action) ||
			ownName.MatchString(name.ReplaceAllString(action, "_"))
	}, nil
}

// nothing is a pattern that matches no text.
const nothing = `[^\s\S]`

func alternation(patterns []string) string {
	if len(patterns) == 0 {
		return nothing
	}
	return strings.Join(patterns, "|")
}

// fullMatch is the pattern of actions that fit a template from end to end.
func fullMatch(template string) string {
	return `(?i:^` + slot.ReplaceAllLiteralString(regexp.QuoteMeta(template), `.+`) + `$)`
}

// nameIn is the pattern of names in a text that are written like the template.
func nameIn(template string, parts map[string]string) string {
	if template == "" {
		return nothing
	}
	return `(?i:\b` + slot.ReplaceAllStringFunc(regexp.QuoteMeta(template), func(s string) string {
		return parts[slot.FindStringSubmatch(s)[1]]
	}) + `\b)`
}
