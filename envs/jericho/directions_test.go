package jericho

import (
	"slices"
	"testing"

	"heldout/envs/engine/zmachine"
	"heldout/envs/sharedtest"
)

// A story that knows only the short forms of directions is asked for those.
func TestShortDirections(t *testing.T) {
	image := slices.Clone(lowlightImage)
	story := sharedtest.Must(zmachine.Load(image))(t)
	templates := []string{"north", "take OBJ", "north OBJ", "south"}
	sharedtest.Same(t, understood(templates, story), templates, "a story that knows both:")
	for _, w := range zmachine.New(story, zmachine.Options{}).Dictionary() {
		if w.Text == "north" {
			image[w.Address+1] ^= 0x20 // another letter
		}
	}
	story = sharedtest.Must(zmachine.Load(image))(t)
	sharedtest.Same(t, understood(templates, story), []string{"n", "take OBJ", "north OBJ", "south"},
		"a story that does not know north:")
}

// The benchmark's games understand the long forms.
func TestOfficialDirections(t *testing.T) {
	for i := range games {
		sharedtest.Same(t, understood(words().Basic, officialStory(t, &games[i])), words().Basic, games[i].Name)
	}
}
