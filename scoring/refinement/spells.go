package refinement

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
