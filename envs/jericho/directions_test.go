package jericho

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"heldout/envs/engine/zmachine"
)

// A story that knows only the short forms of directions is asked for those.
func TestShortDirections(t *testing.T) {
	image := slices.Clone(lowlightImage)
	story, err := zmachine.Load(image)
	if err != nil {
		t.Fatal(err)
	}
	templates := []string{"north", "take OBJ", "north OBJ", "south"}
	if d := cmp.Diff(templates, understood(templates, story)); d != "" {
		t.Error("a story that knows both:", d)
	}
	for _, w := range zmachine.New(story, zmachine.Options{}).Dictionary() {
		if w.Text == "north" {
			image[w.Address+1] ^= 0x20 // another letter
		}
	}
	if story, err = zmachine.Load(image); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"n", "take OBJ", "north OBJ", "south"}, understood(templates, story)); d != "" {
		t.Error("a story that does not know north:", d)
	}
}

// The benchmark's games understand the long forms.
func TestOfficialDirections(t *testing.T) {
	for i := range games {
		if d := cmp.Diff(basicActions, understood(basicActions, officialStory(t, &games[i]))); d != "" {
			t.Errorf("%s: %s", games[i].Name, d)
		}
	}
}
