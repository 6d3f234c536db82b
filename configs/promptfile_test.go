package configs

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"heldout/envs/sharedtest"
)

const (
	reactTexts = `{"react_put_0": "put A", "react_put_1": "put B", "react_clean_0": "c", "react_heat_0": "h", "react_cool_0": "o",
		"react_examine_0": "e", "react_puttwo_0": "two", "act_put_0": "never", "webthink_simple6": "six"}`
	turnsText = `[{"role": "user", "content": "do it"}, {"role": "assistant", "content": "Action: go"}]`
	mixedText = `[{"role": "assistant", "content": "do it"}, {"from": "gpt", "content": "Action: go"}]`
	fromText  = `[{"from": "human", "value": "do it"}, {"from": "gpt", "value": "Action: go"}]`
)

var turns = []ChatMessage{{Role: "user", Content: "do it"}, {Role: "assistant", Content: "Action: go"}}

// prompted describes files with these contents.
func prompted(format string, contents ...string) (p PresetPrompt, found []PromptFile) {
	p = PresetPrompt{Format: format, Instruction: "Play.", Handover: "Now you."}
	for _, c := range contents {
		sum := sha256.Sum256([]byte(c))
		p.Files = append(p.Files, PresetFile{Path: "original/" + format, SHA256: hex.EncodeToString(sum[:])[:16]})
		found = append(found, PromptFile{Name: "mine.json", Content: []byte(c)})
	}
	return p, found
}

func TestReadPrompt(t *testing.T) {
	one := func(in Instructions) map[string]Instructions {
		return map[string]Instructions{"": in}
	}
	for _, c := range []struct {
		name, format string
		key          string
		contents     []string
		want         map[string]Instructions
	}{
		{"one text", "react-json", "webthink_simple6", []string{reactTexts},
			one(Instructions{Instruction: "Play.", Examples: []Example{{Text: "six"}}})},
		{"turns", "eto", "", []string{"Be good.\n", turnsText},
			one(Instructions{Instruction: "Be good.\n", Examples: []Example{{Turns: turns}}})},
		{"other names", "eto", "", []string{"Be good.", mixedText},
			one(Instructions{Instruction: "Be good.", Examples: []Example{{Turns: turns}}})},
		{"lists of turns", "eto", "", []string{"Be good.", "[" + fromText + "," + turnsText + "]"},
			one(Instructions{Instruction: "Be good.", Examples: []Example{
				{Turns: turns}, {Turns: turns}}})},
		{"by kind", "agentbench-json", "", []string{
			`{"put": ["do it", "Action: go"], "react_heat_0": ` + turnsText + `}`},
			map[string]Instructions{
				"pick_and_place_simple":         {Instruction: "Play.", Examples: []Example{{Turns: turns}}},
				"pick_heat_then_place_in_recep": {Instruction: "Play.", Examples: []Example{{Turns: turns}}},
			}},
	} {
		p, found := prompted(c.format, c.contents...)
		p.Key = c.key
		got, err := p.ReadPrompt(found)
		if diff := cmp.Diff(c.want, got.Types); diff != "" || err != nil || got.Handover != "Now you." {
			t.Errorf("%s: %v, handover %q (-want +got):\n%s", c.name, err, got.Handover, diff)
		}
	}
}

func TestReadReActsKinds(t *testing.T) {
	p, found := prompted("react-json", reactTexts)
	got := sharedtest.Must(p.ReadPrompt(found))(t)
	sharedtest.Equal(t, len(got.Types), 6, "types")
	want := []Example{{Text: "put A"}, {Text: "put B"}}
	sharedtest.Same(t, got.Types["pick_and_place_simple"].Examples, want)
}

func TestReadPromptRefuses(t *testing.T) {
	for _, c := range sharedtest.Cases[struct {
		Name, Format, Want string
		Contents           []string
	}](t, "read-prompt-refuses.yaml") {
		p, found := prompted(c.Format, c.Contents...)
		sharedtest.Fails(t, sharedtest.Err(p.ReadPrompt(found)), c.Want, c.Name)
	}
	p, found := prompted("eto", "Be good.", turnsText)
	found[1].Content = []byte(turnsText + "\n")
	if _, err := p.ReadPrompt(found); err == nil || !strings.Contains(err.Error(),
		"mine.json is not the original/eto of the source") || !strings.Contains(err.Error(), p.Files[1].SHA256) {
		t.Errorf("another file: %v", err)
	}
	sharedtest.Fails(t, sharedtest.Err(p.ReadPrompt(found[:1])), "needs 2 files", "a missing file")
}

// A template is a prompt without types.
func TestParseTemplate(t *testing.T) {
	p, err := ParsePrompt("f", []byte("template:\n  next: \"see {observation}\"\n"))
	if err != nil || p.Template == nil || p.Template.Next != "see {observation}" {
		t.Fatalf("%+v, %v", p, err)
	}
	sharedtest.Must(p.For("any"))(t)
	sharedtest.Fails(t, sharedtest.Err(ParsePrompt("f", []byte("template:\n  next: see\n"))), "{observation}")
}

// Fields that a prompt does not have are no part of its hash: hashes of runs from
// before they existed stay the same.
func TestPromptHashesAreOld(t *testing.T) {
	for version, want := range map[string]string{"v2": "e73d58fd", "v3": "8af6ba2a"} {
		p := sharedtest.Must(LoadPrompt("alfworld", version))(t)
		sum := sha256.Sum256(sharedtest.Must(json.Marshal(p))(t))
		sharedtest.Equal(t, hex.EncodeToString(sum[:4]), want, "the prompt", version, "of alfworld has the hash")
	}
}

// Reading never panics, and what is read can be checked.
func FuzzReadPrompt(f *testing.F) {
	f.Add("react-json", []byte(reactTexts))
	f.Add("eto", []byte(turnsText))
	f.Add("agentbench-json", []byte(`{"put": ["a", "b"]}`))
	f.Add("template", []byte("template: {next: \"{observation}\"}"))
	f.Fuzz(func(t *testing.T, format string, b []byte) {
		contents := []string{string(b)}
		if format == "eto" {
			contents = []string{"Be good.", string(b)}
		}
		p, found := prompted(format, contents...)
		got, err := p.ReadPrompt(found)
		if err == nil && len(got.Types) == 0 && got.Template == nil {
			t.Error("a prompt without content")
		}
	})
}
