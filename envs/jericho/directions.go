package jericho

import (
	"slices"

	"heldout/envs/engine/zmachine"
)

// abbreviations are the short forms of directions.
var abbreviations = map[string]string{
	"north": "n", "south": "s", "west": "w", "east": "e", "up": "u", "down": "d",
	"northwest": "nw", "southwest": "sw", "northeast": "ne", "southeast": "se",
}

// flagDirection is set in the first data byte of an Infocom word for a direction.
const flagDirection = 0x10

// understood replaces directions that a story does not understand by their short
// forms, if it understands those: not all stories know both.
func understood(templates []string, story *zmachine.Story) []string {
	inform := informSerial(story.Serial())
	vocab := vocabulary{words: map[string]bool{}}
	for _, w := range zmachine.New(story, zmachine.Options{}).Dictionary() {
		vocab.length = max(vocab.length, len(w.Text))
		if inform || len(w.Data) > 0 && w.Data[0]&flagDirection != 0 {
			vocab.words[w.Text] = true
		}
	}
	out := slices.Clone(templates)
	for i, t := range out {
		if short := abbreviations[t]; short != "" && !vocab.knows(t) && vocab.knows(short) {
			out[i] = short
		}
	}
	return out
}
