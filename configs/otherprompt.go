package configs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"heldout/envs/datafile"
)

// otherForms are forms of prompt files that presets alone read.
var otherForms = map[string]string{
	"react-json":      "an object of texts, as ReAct's prompts are",
	"agentbench-json": "an object of conversations, as AgentBench's prompts are",
	"eto":             "a list of conversations, as ETO's examples are",
}

// notPrompt reports a file in a form that only presets read, or in none. JSON that is
// neither is nil: it may be AgentBoard's.
func notPrompt(file string, b []byte) error {
	b = bytes.TrimSpace(b)
	isJSON := json.Valid(b)
	switch {
	case path.Ext(file) == ".txt":
		return fmt.Errorf("%s: a prompt is YAML, with a plain text under types and instruction: see heldout help prompts",
			file)
	case path.Ext(file) == ".json" && !isJSON: // which says where it ends
		return datafile.JSON(file, b, new(any))
	case !isJSON:
		return nil
	}
	form := ""
	var texts map[string]string
	var lists map[string][]json.RawMessage
	switch {
	case b[0] == '[':
		form = "eto"
	case json.Unmarshal(b, &texts) == nil && len(texts) > 0 && texts["instruction"] == "":
		form = "react-json"
	case json.Unmarshal(b, &lists) == nil && len(lists) > 0:
		form = "agentbench-json"
	default:
		return nil
	}
	reading, err := presetsReading(form)
	if err != nil {
		return err
	}
	return fmt.Errorf("%s: %s, is not a prompt of heldout or AgentBoard; --preset NAME --originals DIR reads such files, "+
		"where NAME is %s", file, otherForms[form], strings.Join(reading, " or "))
}

// presetsReading lists the presets whose prompts have that form.
func presetsReading(form string) (out []string, err error) {
	for _, name := range PresetNames() {
		p, err := LoadPreset(name)
		if err != nil {
			return nil, err
		}
		if p.Prompt.Format == form {
			out = append(out, name)
		}
	}
	return out, nil
}
