package generate

import (
	"encoding/json"
	"slices"

	"heldout/eval/training/synth"
	"heldout/scoring/table"
)

// minSimilarity is the least similarity of turns that are told again in other words: the actions
// have a form, so they stay the same.
const minSimilarity = 0.5

// join returns the game that the kept turns and a continuation make. The number of the continuation's first turn
// says where it belongs, and it replaces the kept turns from there on: repeated is their number. There are two
// exceptions, in which its turns are renumbered: a game told again from its start with numbers that go on, and a
// continuation whose numbers begin anew.
func join(verified, continued []json.RawMessage) (turns []json.RawMessage, repeated int, renumbered bool) {
	joined := append(slices.Clip(slices.Clone(verified)), continued...)
	if len(verified) == 0 {
		return joined, 0, false
	}
	old, fresh := readAll(verified), readAll(continued)
	if len(old) < len(verified) || len(fresh) == 0 {
		return joined, 0, false // the verification says what is wrong
	}
	first, last := &fresh[0], &old[len(old)-1]
	offset := first.Number - old[0].Number
	fits := first.Master != last.Master
	begins := first.Master == old[0].Master
	switch restarts := begins && similarity(old, fresh) >= minSimilarity && opens(old, first); {
	case offset == len(verified) && restarts:
		return numbered(continued, old[0].Number-first.Number), len(verified), true
	case offset == 0 && fits && !restarts:
		return append(slices.Clip(slices.Clone(verified)), numbered(continued, last.Number+1-first.Number)...), 0, true
	case offset >= 0 && offset < len(verified):
		return append(slices.Clip(slices.Clone(verified[:offset])), continued...), len(verified) - offset, false
	}
	return joined, 0, false
}

// opens reports whether a turn is more like the first turn of a game than like later ones.
func opens(game []synth.Turn, t *synth.Turn) bool {
	nearest, highest := 0, 0.0
	for i := range game {
		if game[i].Master == t.Master {
			if j := jaccard(wordSet(&game[i]), wordSet(t)); j > highest {
				nearest, highest = i, j
			}
		}
	}
	return nearest == 0
}

// readAll reads turns up to the first that cannot be read.
func readAll(raw []json.RawMessage) (out []synth.Turn) {
	for _, r := range raw {
		t, err := synth.ReadTurn(r)
		if err != nil {
			break
		}
		out = append(out, t)
	}
	return out
}

// numbered adds to the numbers of turns.
func numbered(turns []json.RawMessage, shift int) []json.RawMessage {
	return table.Each(turns, func(raw json.RawMessage) json.RawMessage { return synth.Renumber(raw, shift) })
}

// similarity is how alike two tellings are, in [0,1]: the mean over the turns that both have of the Jaccard
// similarity of the words of action or observation; 0 for turns of different roles.
func similarity(a, b []synth.Turn) float64 {
	n := min(len(a), len(b))
	sum := 0.0
	for i := range n {
		if a[i].Master == b[i].Master {
			sum += jaccard(wordSet(&a[i]), wordSet(&b[i]))
		}
	}
	return sum / float64(max(n, 1))
}

// wordSet is the words of an action or observation, hashed and sorted, each once.
func wordSet(t *synth.Turn) (out []uint32) {
	text := t.Action
	if t.Master {
		text = t.Observation
	}
	out = table.Each(words(text), func(w string) uint32 { return uint32(hashOf([]string{w})) })
	slices.Sort(out)
	return slices.Compact(out)
}

// next is the number of the turn that follows verified turns.
func next(verified []json.RawMessage) int {
	t, err := synth.ReadTurn(verified[len(verified)-1])
	if err != nil {
		return len(verified) + 1 // they are verified
	}
	return t.Number + 1
}
