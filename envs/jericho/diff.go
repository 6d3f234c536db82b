package jericho

import (
	"slices"

	"heldout/envs/engine/zmachine"
)

// diff holds the meaningful changes of a step in order of occurrence; spec §9.1.
type diff struct {
	Moves  []zmachine.Pair
	Sets   []zmachine.Pair
	Clears []zmachine.Pair
	// RAM holds address and new value of the special bytes that changed.
	RAM []zmachine.Pair
}

func (s *storySession) changes() diff {
	d := diff{
		Moves: exclude(s.machine.Changes(zmachine.Moved), func(p zmachine.Pair) bool {
			return slices.Contains(s.game.Ignored.Moved, p[0])
		}),
		Sets:   exclude(s.machine.Changes(zmachine.Gained), s.game.Ignored.Sets.match),
		Clears: exclude(s.machine.Changes(zmachine.Lost), s.game.Ignored.Clears.match),
	}
	for i, addr := range s.game.Special {
		if b := s.machine.Byte(addr); b != s.lastSpecial[i] {
			d.RAM = append(d.RAM, zmachine.Pair{uint16(addr), uint16(b)})
		}
	}
	return d
}

// exclude returns the pairs that are not ignored; nil if there are none.
func exclude(pairs []zmachine.Pair, ignored func(zmachine.Pair) bool) (out []zmachine.Pair) {
	for _, p := range pairs {
		if !ignored(p) {
			out = append(out, p)
		}
	}
	return out
}

func (d *diff) empty() bool {
	return len(d.Moves) == 0 && len(d.Sets) == 0 && len(d.Clears) == 0 && len(d.RAM) == 0
}

func (d *diff) equal(e *diff) bool {
	return slices.Equal(d.Moves, e.Moves) && slices.Equal(d.Sets, e.Sets) &&
		slices.Equal(d.Clears, e.Clears) && slices.Equal(d.RAM, e.RAM)
}
