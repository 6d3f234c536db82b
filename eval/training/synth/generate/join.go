package generate

import (
	"encoding/json"
	"slices"

	"heldout/eval/training/synth"
)

// alike is the least similarity of turns that are told again in other words: the actions
// have a form, so they stay the same.
const alike = 0.5

// join returns the game that the kept turns and a continuation make. The number of the
// continuation's first turn says where it belongs, and it replaces the kept turns from
// there on: repeated is their number. There are two exceptions, in which its turns are
// renumbered: a game told again from its start with numbers that go on, and a continuation
// whose numbers begin anew.
func join(kept, more []json.RawMessage) (turns []json.RawMessage, repeated int, renumbered bool) {
	whole := append(slices.Clip(slices.Clone(kept)), more...)
	if len(kept) == 0 {
		return whole, 0, false
	}
	old, err := readAll(kept)
	fresh, broken := readAll(more)
	if err != nil || broken != nil && len(fresh) == 0 {
		return whole, 0, false // the verification says what is wrong
	}
	first, last := &fresh[0], &old[len(old)-1]
	at := first.Number - old[0].Number
	fits := first.Master != last.Master
	begins := first.Master == old[0].Master
	switch again := begins && similarity(old, fresh) >= alike && opens(old, first); {
	case at == len(kept) && again:
		return numbered(more, old[0].Number-first.Number), len(kept), true
	case at == 0 && fits && !again:
		return append(slices.Clip(slices.Clone(kept)), numbered(more, last.Number+1-first.Number)...), 0, true
	case at >= 0 && at < len(kept):
		return append(slices.Clip(slices.Clone(kept[:at])), more...), len(kept) - at, false
	}
	return whole, 0, false
}

// opens reports whether a turn is more like the first turn of a game than like later ones.
func opens(game []synth.Turn, t *synth.Turn) bool {
	nearest, most := 0, 0.0
	for i := range game {
		if game[i].Master == t.Master {
			if j := jaccard(wordSet(&game[i]), wordSet(t)); j > most {
				nearest, most = i, j
			}
		}
	}
	return nearest == 0
}

// readAll reads turns up to the first that cannot be read, and returns why it cannot.
func readAll(raw []json.RawMessage) (out []synth.Turn, err error) {
	for _, r := range raw {
		t, err := synth.ReadTurn(r)
		if err != nil {
			return out, err
		}
		out = append(out, t)
	}
	return out, nil
}

// numbered adds to the numbers of turns.
func numbered(turns []json.RawMessage, shift int) (out []json.RawMessage) {
	for _, raw := range turns {
		out = append(out, synth.Renumber(raw, shift))
	}
	return out
}

// similarity is how alike two tellings are, in [0,1]: the mean over the turns that both
// have of the Jaccard similarity of the words of action or observation; 0 for turns of
// different roles.
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
	for _, w := range words(text) {
		out = append(out, uint32(hashOf([]string{w})))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// next is the number of the turn that follows verified turns.
func next(kept []json.RawMessage) int {
	t, err := synth.ReadTurn(kept[len(kept)-1])
	if err != nil {
		return len(kept) + 1 // they are verified
	}
	return t.Number + 1
}
