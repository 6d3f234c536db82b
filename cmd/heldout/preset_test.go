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

// Every field in which presets differ has a subject, and every word a text.
func TestPresetSubjects(t *testing.T) {
	parts, err := listedParts()
	if err != nil {
		t.Fatal(err)
	}
	for i := range parts {
		differences, err := configs.DiffPresets(&parts[0].Preset, &parts[i].Preset)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range differences {
			if d.Changes() && subjectOf(d.Field) == "" {
				t.Errorf("%s of %s has no subject", d.Field, parts[i].ID(false))
			}
		}
	}
	for _, form := range configs.AgentForms() {
		if formTexts[form] == "" {
			t.Errorf("the form %s has no text", form)
		}
	}
	for _, answer := range configs.OnFailures() {
		if failureTexts[answer] == "" {
			t.Errorf("the answer %s has no text", answer)
		}
	}
}

// A difference that words do not tell is told by its field.
func TestUntoldDifferences(t *testing.T) {
	d, err := newPresetPair([]string{"eto-alfworld:unseen", "eto-alfworld:unseen"})
	if err != nil {
		t.Fatal(err)
	}
	changed := *d.common[0].of[1]
	changed.Reply.Normalise = []string{"lower"}
	d.parts[1], d.common[0].of[1] = []configs.Preset{changed}, &changed
	if d.common[0].differs, err = configs.DiffPresets(d.common[0].of[0], &changed); err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, row := range d.subjects("").Rows {
		if row[1].Text == "≠" {
			told = append(told, row[0].Text+": "+row[3].Text)
		}
	}
	want := "reading: parser after-first-action; without an action, the model is told; normalise [\"lower\"]"
	if len(told) != 1 || told[0] != want {
		t.Errorf("%q, want %q", told, want)
	}
}
