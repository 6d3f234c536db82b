package configs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"heldout/configs/pysource"
	"heldout/envs/datafile"
)

// agentBoardPrompt is a section of AgentBoard's prompt files. Some have a flat file with one such section; its
// examples may be a string, a list, or, for ALFWorld, a list of pieces for each kind of task.
type agentBoardPrompt struct {
	Examples    agentBoardExamples `json:"examples"`
	Instruction string             `json:"instruction"`
	System      string             `json:"system_msg"`
}

// agentBoardExamples has texts, or the pieces of one text for each kind of task.
type agentBoardExamples struct {
	texts  []string
	byKind map[string][]string
}

// UnmarshalJSON implements json.Unmarshaler.
func (e *agentBoardExamples) UnmarshalJSON(b []byte) error {
	*e = agentBoardExamples{}
	var text string
	if json.Unmarshal(b, &text) == nil {
		if text != "" {
			e.texts = []string{text}
		}
		return nil
	}
	if bytes.HasPrefix(bytes.TrimSpace(b), []byte("{")) {
		return datafile.Unmarshal(b, &e.byKind)
	}
	return datafile.Unmarshal(b, &e.texts)
}

// alfworldKinds are ALFWorld's task types by their names in AgentBoard's prompt file.
var alfworldKinds = map[string]string{
	"put":     "pick_and_place_simple",
	"clean":   "pick_clean_then_place_in_recep",
	"heat":    "pick_heat_then_place_in_recep",
	"cool":    "pick_cool_then_place_in_recep",
	"examine": "look_at_obj_in_light",
	"puttwo":  "pick_two_obj_and_place",
}

// parseAgentBoard reads AgentBoard's prompt, and its games' openings from a second file.
func (p PresetPrompt) parseAgentBoard(files []PromptFile) (Prompt, error) {
	out, err := ParsePrompt(files[0].Name, files[0].Content)
	if err != nil {
		return out, err
	}
	out.MoreHelp, out.Kept = p.MoreHelp, p.History
	if len(files) == 2 {
		if out.Openings, err = parseOpenings(files[1].Content, p.Untold); err != nil {
			return out, fmt.Errorf("%s: %w", files[1].Name, err)
		}
	}
	return out, out.check(files[0].Name)
}

// parseOpenings reads the tables of AgentBoard's Jericho program. What they lack is untold.
func parseOpenings(program []byte, untold string) (map[string]Opening, error) {
	literals, err := pysource.Literals(string(program))
	if err != nil {
		return nil, err
	}
	goals, err := pysource.Table(literals, "game_goals")
	if err != nil {
		return nil, err
	}
	first, err := pysource.Table(literals, "game_init_obs")
	if err != nil {
		return nil, err
	}
	out := map[string]Opening{"": {untold, untold}}
	for game, text := range goals {
		out[game] = Opening{text, untold}
	}
	for game, text := range first {
		goal, ok := goals[game]
		if !ok {
			goal = untold
		}
		out[game] = Opening{goal, text}
	}
	return out, nil
}

func parseAgentBoardPrompt(file string, b []byte) (Prompt, error) {
	p := Prompt{Types: map[string]Instructions{}}
	// The form is detected before the strict decoding, so that an error is about the form that was meant.
	var flat struct{ Instruction *string }
	var sections map[string]agentBoardPrompt
	if json.NewDecoder(bytes.NewReader(b)).Decode(&flat) == nil && flat.Instruction != nil {
		var section agentBoardPrompt
		if err := datafile.JSON(file, b, &section, datafile.Closed); err != nil {
			return p, err
		}
		sections = map[string]agentBoardPrompt{"": section}
	} else if err := datafile.JSON(file, b, &sections, datafile.Closed); err != nil {
		return p, err
	}
	for _, name := range slices.Sorted(maps.Keys(sections)) {
		if err := sections[name].addTo(p.Types, name); err != nil {
			return p, fmt.Errorf("%s: %w", file, err)
		}
	}
	return p, nil
}

// addTo adds a section under its name or, where it has examples by kind of task,
// under the task types of the examples.
func (a agentBoardPrompt) addTo(types map[string]Instructions, name string) error {
	in := Instructions{System: a.System, Instruction: a.Instruction}
	if a.Examples.byKind == nil {
		for _, text := range a.Examples.texts {
			in.Examples = append(in.Examples, Example{Text: text})
		}
		types[name] = in
		return nil
	}
	for _, kind := range slices.Sorted(maps.Keys(a.Examples.byKind)) {
		typ, ok := alfworldKinds[kind]
		if !ok {
			return fmt.Errorf("there are examples for %q; known are %s", kind,
				strings.Join(slices.Sorted(maps.Keys(alfworldKinds)), ", "))
		}
		in.Examples = []Example{{Text: strings.Join(a.Examples.byKind[kind], "")}}
		types[typ] = in
	}
	return nil
}
