package configs

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"heldout/envs/sharedtest"
)

// Every embedded preset can be read, and each of its parts has a hash of its own.
func TestPresets(t *testing.T) {
	names := PresetNames()
	if len(names) == 0 {
		t.Fatal("no preset is embedded")
	}
	seen := map[string]string{}
	for _, name := range names {
		p, err := LoadPreset(name)
		if err != nil {
			t.Error(err)
			continue
		}
		sharedtest.Equal(t, p.Name, name, "file", "has the preset")
		sharedtest.Equal(t, len(p.Source.Commit), 40, name, p.Source.Commit)
		parts, err := p.Split()
		if err != nil {
			t.Error(err)
		}
		for _, one := range parts {
			hash := sharedtest.Must(one.Hash())(t)
			sharedtest.Equal(t, len(hash), 64, one.ID(false), hash)
			sharedtest.Equal(t, seen[hash], "", "the preset with the hash of", one.ID(false))
			seen[hash] = one.ID(false)
		}
	}
}

// minimal is a preset with nothing that can be left out.
const minimal = `preset: my-own
version: 1
title: mine
status: adapted
deviations: [everything]
env:
  name: alfworld
  tasks: {count: 3}
  limit: {steps: 30, counts: replies}
actions-shown: {when: never}
agent: {form: react}
reply: {parser: agentrefine}
prompt: {built-in: v2}
decoding: {temperature: 0, top-p: 1, max-tokens: 512}
metric: {primary: success, aggregate: mean-over-tasks}
`

func mustHash(t *testing.T, text string) string {
	t.Helper()
	p := sharedtest.Must(ParsePreset("f", []byte(text)))(t)
	all := sharedtest.Must(p.Split())(t)
	return sharedtest.Must(all[0].Hash())(t)
}

// The hash depends on what the file says, not on how it is written.
func TestPresetHash(t *testing.T) {
	base := mustHash(t, minimal)
	same := strings.Replace(minimal, "agent: {form: react}", "agent:\n  form: \"react\" # a comment", 1)
	sharedtest.Equal(t, mustHash(t, same), base, "the same protocol has another hash")
	for _, change := range [][2]string{{"steps: 30", "steps: 31"}, {"temperature: 0", "temperature: 0.1"},
		{"version: 1", "version: 2"}, {"success,", "progress,"}} {
		if mustHash(t, strings.Replace(minimal, change[0], change[1], 1)) == base {
			t.Errorf("%s does not change the hash", change[1])
		}
	}
}

func TestBadPresets(t *testing.T) {
	for _, c := range sharedtest.Cases[struct{ From, To, Want string }](t, "bad-presets.yaml") {
		_, err := ParsePreset("f", []byte(strings.Replace(minimal, c.From, c.To, 1)))
		sharedtest.Fails(t, err, c.Want, c.To)
	}
}

func FuzzParsePreset(f *testing.F) {
	f.Add([]byte(minimal))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := ParsePreset("f", b)
		if err != nil {
			return
		}
		hash, err := p.Hash()
		if again, err2 := p.Hash(); err != nil || err2 != nil || hash != again {
			t.Error(hash, again, err, err2)
		}
	})
}

// Published results name only parts that exist.
func TestPresetResults(t *testing.T) {
	names := PresetNames()
	rows := 0
	for _, name := range names {
		r, err := LoadPresetResults(name)
		if err != nil {
			t.Error(err)
		}
		p := sharedtest.Must(LoadPreset(name))(t)
		if whole := fmt.Sprintf("%s@%d", p.Name, p.Version); len(r.Rows) > 0 && r.Preset != whole {
			t.Errorf("%s: the results are of %q", whole, r.Preset)
		}
		for _, row := range r.Rows {
			rows++
			if row.Part != "" && !slices.Contains(p.PartNames(), row.Part) {
				t.Errorf("%s: %s is of the part %q", name, row.Model, row.Part)
			}
		}
	}
	if rows == 0 {
		t.Error("there are no published results")
	}
}

// A definition in a record is read as what was played.
func TestDefinitionsAreReadBack(t *testing.T) {
	for _, name := range PresetNames() {
		p := sharedtest.Must(LoadPreset(name))(t)
		want := sharedtest.Must(p.Canonical())(t)
		var read Preset
		if err := json.Unmarshal(want, &read); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		sharedtest.Equal(t, string(sharedtest.Must(read.Canonical())(t)), string(want), name)
	}
}
