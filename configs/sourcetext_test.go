package configs

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"heldout/envs/sharedtest"
)

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func TestSourceText(t *testing.T) {
	notebook := `{"cells": [{"cell_type": "markdown", "source": 1}, {"cell_type": "code", "source": ["x = (\n", "  'a'\n", "  'b')"]},
		{"cell_type": "code", "source": "y = 'c'"}]}`
	for _, c := range []struct {
		name, content string
		text          SourceText
		want          string
	}{
		{"a literal", "x = 1\ny = f('one', 'two')\n", SourceText{Recipe: "python", Lines: "2"}, "two"},
		{"joined literals", "y = ('one'\n 'two')\n", SourceText{Recipe: "python", Lines: "1-2"}, "onetwo"},
		{"beside a slot", `' a{{b}}\nc\n'`, SourceText{Recipe: "python", Lines: "1"}, "\nc"},
		{"part of an f-string", `f"a{x}b{y}"`, SourceText{Recipe: "python", Lines: "1"}, "b"},
		{"a notebook", notebook, SourceText{Recipe: "notebook"}, "ab"},
		{"a notebook's text", notebook, SourceText{Recipe: "notebook"}, "c"},
		{"JSON", `{"a": [{"b": "no"}, {"b": "yes"}]}`, SourceText{Recipe: "json", Path: "a/1/b"}, "yes"},
		{"a list", `{"a": ["x", "y"]}`, SourceText{Recipe: "json", Path: "a"}, "xy"},
		{"YAML", "a:\n  - b: |\n      yes\n", SourceText{Recipe: "yaml", Path: "a/*/b"}, "yes\n"},
		{"a file", "all\n", SourceText{Recipe: "file"}, "all\n"},
	} {
		c.text.File, c.text.SHA256 = "f", hashOf(c.want)[:16]
		sharedtest.Equal(t, sharedtest.Must(c.text.Read([]byte(c.content)))(t), c.want, c.name)
		c.text.SHA256 = hashOf(c.want + "!")
		if got, err := c.text.Read([]byte(c.content)); err == nil || !strings.Contains(err.Error(), "another version") {
			t.Errorf("%s of another version: %q, %v", c.name, got, err)
		}
	}
	for _, c := range []struct{ recipe, content, want string }{
		{"json", "{", "f: "}, {"yaml", "a: *b", "f: "}, {"python", "'", "no end"},
		{"notebook", `{"cells": [{"cell_type": "code", "source": 1}]}`, "cell 1"},
		{"file", "\xff", "not UTF-8"},
	} {
		x := SourceText{File: "f", Recipe: c.recipe, Lines: "1", Path: "a", SHA256: hashOf("")}
		sharedtest.Fails(t, sharedtest.Err(x.Read([]byte(c.content))), c.want, c.recipe)
	}
}

const withTexts = `
preset: mine
version: 1
title: t
status: adapted
deviations: [d]
texts:
  said: {file: a.py, lines: 3, sha256: "0123456789abcdef"}
  other: {file: b.json, sha256: "0123456789abcdef"}
env:
  name: alfworld
  limit: {steps: 1, counts: replies}
  parts: [{part: one, tasks: {count: 1}}, {part: two, tasks: {count: 1}, prompt: {instruction: "{text:other}"}}]
actions-shown: {when: never}
agent: {form: chat, acknowledge: "<{text:said}>"}
reply: {parser: whole-reply, on-failure: send-empty}
prompt: {instruction: "Do it."}
decoding: {temperature: 0, top-p: 1, max-tokens: 1, extra-body: {presence_penalty: 0.0}}
metric: {primary: success, aggregate: mean-over-tasks}
`

func TestTextsOfPresets(t *testing.T) {
	whole := sharedtest.Must(ParsePreset("f", []byte(withTexts)))(t)
	one := sharedtest.Must(whole.Select("one"))(t)
	if len(one.Texts) != 1 || one.Texts["said"].File != "a.py" {
		t.Errorf("the part one has the texts %v, want only its own", one.Texts)
	}
	text := "a \"quoted\" {reply}\n{text:other}"
	filled, err := one.Filled(map[string]string{"said": text})
	if want := "<" + text + ">"; err != nil || filled.Agent.Acknowledge != want {
		t.Errorf("%q, %v, want %q", filled.Agent.Acknowledge, err, want)
	}
	sharedtest.Equal(t, one.Agent.Acknowledge, "<{text:said}>", "filling a preset changes it")
	for was, want := range map[string]string{
		`lines: 3`: "texts.said.lines", `b.json`: "texts.other.lines", `file: a.py`: "texts.said.file",
		`"<{text:said}>"`: "names no text", `0.0}`: "extra",
	} {
		by := map[string]string{
			`lines: 3`: `lines: 3-1`, `b.json`: `b.json, lines: 1`, `file: a.py`: `file: ../a.py`, `"<{text:said}>"`: `"{text:none}"`, `0.0}`: `.nan}`,
		}[was]
		if _, err := ParsePreset("f", []byte(strings.Replace(withTexts, was, by, 1))); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", by, err, want)
		}
	}
}

func FuzzSourceText(f *testing.F) {
	f.Add("python", []byte(`f"a{x}b" "c"`), "1-2")
	f.Add("notebook", []byte(`{"cells": [{"cell_type": "code", "source": ["'a'"]}]}`), "")
	f.Add("json", []byte(`{"a": ["b"]}`), "a/*")
	f.Add("yaml", []byte("a: [b]"), "a/0")
	f.Fuzz(func(t *testing.T, recipe string, content []byte, place string) {
		x := SourceText{File: "f", Recipe: recipe, Lines: place, Path: place, SHA256: hashOf("c")}
		if text, err := x.Read(content); err == nil && text != "c" {
			t.Errorf("%q is not the text of that hash", text)
		}
	})
}

// A text that Python's str.format could fill, and a template cannot, is named with its file and line.
func TestSlotsOfTexts(t *testing.T) {
	template := &Template{Slots: PythonSlots, Next: "{text:next}"}
	p := Preset{Prompt: PresetPrompt{Template: template},
		Texts: map[string]SourceText{"next": {File: "prompts/a.py", Lines: "27"}}}
	for text, want := range sharedtest.Table[string](t, "slots.yaml") {
		if err := p.CheckText("next", text); (err == nil) != (want == "") || err != nil &&
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
