package main

import (
	"testing"

	"heldout/configs"
)

// preset show prints every preset as its file has it.
func TestPresetsArePrintable(t *testing.T) {
	names, err := configs.PresetNames()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := presetFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if shownPreset(text) != string(text) {
			t.Errorf("%s is printed in another way", name)
		}
	}
}
