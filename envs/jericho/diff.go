package jericho

import (
	"slices"

	"heldout/envs/engine/zmachine"
)

// diff holds the meaningful changes of a step, each in order of occurrence: the moves, the attributes that were set and
// those that were cleared, and address and new value of the special bytes that changed; spec §9.1.
type diff [4][]zmachine.Pair

func (s *storySession) changes() diff {
	d := diff{
		exclude(s.machine.Changes(zmachine.Moved), func(p zmachine.Pair) bool {
			return slices.Contains(s.game.Ignored.Moved, p[0])
		}),
		exclude(s.machine.Changes(zmachine.Gained), s.game.Ignored.Sets.match),
		exclude(s.machine.Changes(zmachine.Lost), s.game.Ignored.Clears.match),
	}
	for i, addr := range s.game.Special {
		if b := s.machine.Byte(addr); b != s.lastSpecial[i] {
			d[3] = append(d[3], zmachine.Pair{uint16(addr), uint16(b)})
		}
	}
	return d
}

// exclude returns the pairs that are not ignored.
func exclude(pairs []zmachine.Pair, ignored func(zmachine.Pair) bool) []zmachine.Pair {
	return slices.DeleteFunc(slices.Clone(pairs), ignored)
}

func (d *diff) equal(e *diff) bool {
	return slices.EqualFunc(d[:], e[:], func(a, b []zmachine.Pair) bool { return slices.Equal(a, b) })
}
