package presets

import (
	"strings"
	"testing"

	"heldout/configs"
	"heldout/envs/sharedtest"
	"heldout/scoring/table"
)

// Every field in which presets differ has a subject, and every word a text.
func TestPresetSubjects(t *testing.T) {
	parts := sharedtest.Must(listedParts())(t)
	for i := range parts {
		differences := sharedtest.Must(configs.DiffPresets(&parts[0].Preset, &parts[i].Preset))(t)
		for _, d := range differences {
			if d.Changes() && subjectOf(d.Field) == "" {
				t.Errorf("%s of %s has no subject", d.Field, parts[i].ID(false))
			}
		}
	}
	for _, form := range configs.AgentForms() {
		if words().Forms[form] == "" {
			t.Errorf("the form %s has no text", form)
		}
	}
	for _, answer := range configs.OnFailures() {
		if words().Failures[answer] == "" {
			t.Errorf("the answer %s has no text", answer)
		}
	}
}

// A difference that words do not tell is told by its field.
func TestUntoldDifferences(t *testing.T) {
	unseen := sharedtest.Must(configs.FindPresets("eto-alfworld:unseen", nil))(t)
	d := sharedtest.Must(Pair([]string{"", ""}, unseen, unseen))(t)
	changed := *d.common[0].presets[1]
	changed.Reply.Normalise = []string{"lower"}
	d.parts[1], d.common[0].presets[1] = []configs.Preset{changed}, &changed
	d.common[0].differs = sharedtest.Must(configs.DiffPresets(d.common[0].presets[0], &changed))(t)
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

// What heldout preset show prints of every preset is its file.
func TestPresetsArePrintable(t *testing.T) {
	names := configs.PresetNames()
	for _, name := range names {
		text := sharedtest.Must(configs.PresetText(name))(t)
		sharedtest.Equal(t, table.PrintableLines(string(text))+"\n", string(text), name, "is printed in another way")
	}
}

// The parts of a series are named by its ends, and both lists have every part.
func TestList(t *testing.T) {
	parts := sharedtest.Must(listedParts())(t)
	sharedtest.Equal(t, partsText([]listedPart{part("seed-1"), part("seed-2"), part("seed-3"), part("dev")}),
		"seed-1…3, dev", "a series is")
	short := sharedtest.Must(List(false))(t)
	if len(short.Programs[0].Rows) != len(parts) || len(short.Rows) == 0 || len(short.Rows) >= len(parts) {
		t.Errorf("%d and %d rows for %d parts", len(short.Rows), len(short.Programs[0].Rows), len(parts))
	}
}

func part(name string) (p listedPart) {
	p.Env.Part = name
	return p
}

// A preset with one part compares with itself; with another one it does not, and files that are not there count.
func TestPair(t *testing.T) {
	of := func(name string) []configs.Preset {
		return sharedtest.Must(configs.FindPresets(name, nil))(t)
	}
	pair := func(a, b string) (Difference, error) { return Pair([]string{a, b}, of(a), of(b)) }
	alike := sharedtest.Must(pair("agentrefine:alfworld", "agentrefine:alfworld"))(t)
	if _, same := alike.Verdict(); !same {
		t.Error("a protocol differs from itself")
	}
	other := sharedtest.Must(pair("agentrefine", "agentboard"))(t)
	if text, same := other.Verdict(); same || len(other.Table(true).Rows) == 0 || other.Table(false).Notes[0] != text {
		t.Errorf("%q, %d fields", text, len(other.Table(true).Rows))
	}
	if _, err := pair("agentrefine", "eto-alfworld:unseen"); err == nil ||
		!strings.Contains(err.Error(), "preset agentrefine has several parts; choose one") {
		t.Errorf("parts without a counterpart: %v", err)
	}
	text, failed := Explain(of("eto-alfworld"), t.TempDir())
	if failed == 0 || !strings.Contains(text, "at commit ") {
		t.Errorf("%d files are missing: %s", failed, text)
	}
}

// What all parts have needs no name of a part, nor does what most have; the rest is named.
func TestTextsOfParts(t *testing.T) {
	var texts []partText
	for _, part := range []string{"pddl", "babyai", "jericho"} {
		texts = append(texts, partText{"all", part}, partText{"all too", part})
	}
	two := []partText{{"two", "pddl"}, {"two", "babyai"}}
	texts = append(texts, two...)
	want := []string{"all", "all too", "pddl, babyai: two"}
	sharedtest.Same(t, byParts(texts, 3, false), want)
	want[2] = "two"
	sharedtest.Same(t, byParts(texts, 3, true), want, "named")
	if got := byParts(two, 3, false); got[0] != "two" {
		t.Errorf("what most have is %q", got)
	}
}

func TestHistoryOfPresets(t *testing.T) {
	for _, c := range []struct {
		form            string
		pairs, segments int
		want            string
	}{
		{configs.React, 0, 0, "all turns that fit"}, {configs.Single, 0, 0, "what the template has"},
		{configs.Single, 3, 0, "the last 3 turns"}, {configs.React, 0, 9, "all turns that fit, fewer than 9 segments"},
	} {
		p := &configs.Preset{}
		p.Agent.Form, p.Agent.Pairs, p.Agent.Filter.Segments = c.form, c.pairs, c.segments
		if got := tellHistory(p); !strings.HasPrefix(got, c.want) {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// The files of a preset of one's own are in no repository, and nothing fetches them.
func TestExplainOwnFiles(t *testing.T) {
	own := configs.Preset{Name: "mine", Prompt: configs.PresetPrompt{Files: []configs.PresetFile{{Path: "a.yaml"}}}}
	want := "a.yaml\n  SHA-256: not known\n--originals names the folder that has them.\n"
	if text, failed := Explain([]configs.Preset{own}, ""); text != want || failed != 0 {
		t.Errorf("%d failed: %q, want %q", failed, text, want)
	}
}
