package configs

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"heldout/envs/datafile"
)

// The limits of the examples in a prompt file.
const (
	maxExamples = 64 // per task type
	maxTurns    = 1000
)

// promptFormats are the values of PresetPrompt.Format, with the files that each one needs:
//
//   - react-json: one JSON object of texts, ReAct's. The keys are react_KIND_N for
//     ALFWorld's kinds of tasks, or Key names one text for all tasks.
//   - eto: ETO's instruction as plain text, and its example: a JSON list of turns,
//     or a list of such lists.
//   - agentbench-json: one JSON object of such lists by the kind of task.
//   - agentboard: AgentBoard's JSON, and for Jericho the program that has goals and first
//     observations of its games.
//   - template: a prompt in heldout's own YAML.
func promptFormats() []string {
	return []string{"react-json", "eto", "agentbench-json", "agentboard", "template"}
}

// PromptFile is a file that a prompt is read from.
type PromptFile struct {
	Name    string
	Content []byte
}

// CheckHash reports a file that is not the one that a preset names.
func (f PresetFile) CheckHash(name string, content []byte) error {
	if got := hash(content); !strings.HasPrefix(got, f.SHA256) {
		return fmt.Errorf("%s is not the %s of the source: its SHA-256 is %s, want %s", name, f.Path, got, f.SHA256)
	}
	return nil
}

// ReadPrompt reads the prompt of a preset from the files that it lists, in that
// order. It refuses files with other hashes.
func (p PresetPrompt) ReadPrompt(found []PromptFile) (Prompt, error) {
	if len(found) != len(p.Files) {
		return Prompt{}, fmt.Errorf("the prompt needs %d files, not %d: %s", len(p.Files), len(found),
			strings.Join(p.paths(), ", "))
	}
	for i, f := range found {
		if err := p.Files[i].CheckHash(f.Name, f.Content); err != nil {
			return Prompt{}, err
		}
	}
	return p.parse(found)
}

func (p PresetPrompt) paths() (out []string) {
	for _, f := range p.Files {
		out = append(out, f.Path)
	}
	return out
}

func (p PresetPrompt) parse(files []PromptFile) (out Prompt, err error) {
	if p.Format == "" { // there are only texts
		if out.Template = p.Template; p.System != "" || p.Instruction != "" || p.Template == nil {
			out.Types = map[string]Instructions{"": p.instructions()}
		}
		out.Handover = p.Handover
		return out, out.check("prompt")
	}
	want := 1
	if p.Format == "eto" {
		want = 2
	}
	if len(files) != want && (p.Format != "agentboard" || len(files) != 2) {
		return out, fmt.Errorf("format %s: there are %d files, want %d", p.Format, len(files), want)
	}
	first := files[0]
	switch p.Format {
	case "react-json":
		out.Types, err = p.parseReActJSON(first.Content)
	case "eto":
		out.Types, err = parseETO(first.Content, files[1].Content)
	case "agentbench-json":
		out.Types, err = p.parseAgentBench(first.Content)
	case "agentboard":
		return p.parseAgentBoard(files)
	case "template":
		return ParsePrompt(first.Name, first.Content)
	default:
		return out, fmt.Errorf("unknown prompt format %q; there are %s", p.Format, strings.Join(promptFormats(), ", "))
	}
	if err != nil {
		return Prompt{}, fmt.Errorf("%s: not of the format %s: %w", strings.Join(names(files), ", "), p.Format, err)
	}
	out.Handover = p.Handover
	return out, out.check(first.Name)
}

// instructions is what the preset itself says.
func (p PresetPrompt) instructions() Instructions {
	return Instructions{System: p.System, Instruction: p.Instruction}
}

func names(files []PromptFile) (out []string) {
	for _, f := range files {
		out = append(out, f.Name)
	}
	return out
}

// parseReActJSON reads ReAct's texts. Those of a kind of task are examples, by number.
func (p PresetPrompt) parseReActJSON(b []byte) (map[string]Instructions, error) {
	var texts map[string]string
	if err := datafile.Unmarshal(b, &texts); err != nil {
		return nil, err
	}
	if p.Key != "" {
		text, ok := texts[p.Key]
		if !ok {
			return nil, fmt.Errorf("the key %q is missing", p.Key)
		}
		in := p.instructions()
		in.Examples = []Example{{Text: text}}
		return map[string]Instructions{"": in}, nil
	}
	types := map[string]Instructions{}
	for _, kind := range slices.Sorted(maps.Keys(alfworldKinds)) {
		in := p.instructions()
		for len(in.Examples) < maxExamples {
			text, ok := texts["react_"+kind+"_"+strconv.Itoa(len(in.Examples))]
			if !ok {
				break
			}
			in.Examples = append(in.Examples, Example{Text: text})
		}
		if len(in.Examples) == 0 {
			return nil, fmt.Errorf("the key react_%s_0 is missing", kind)
		}
		types[alfworldKinds[kind]] = in
	}
	return types, nil
}

func parseETO(instruction, examples []byte) (map[string]Instructions, error) {
	in := Instructions{Instruction: string(instruction)}
	var lists []json.RawMessage
	if err := datafile.Unmarshal(examples, &lists); err != nil {
		return nil, err
	}
	if len(lists) > 0 && !strings.HasPrefix(strings.TrimSpace(string(lists[0])), "[") {
		lists = []json.RawMessage{examples} // one example
	}
	if len(lists) == 0 || len(lists) > maxExamples {
		return nil, fmt.Errorf("there are %d examples, want 1 to %d", len(lists), maxExamples)
	}
	for _, list := range lists {
		turns, err := parseTurns(list)
		if err != nil {
			return nil, err
		}
		in.Examples = append(in.Examples, Example{Turns: turns})
	}
	return map[string]Instructions{"": in}, nil
}

func (p PresetPrompt) parseAgentBench(b []byte) (map[string]Instructions, error) {
	var lists map[string]json.RawMessage
	if err := datafile.Unmarshal(b, &lists); err != nil {
		return nil, err
	}
	types := map[string]Instructions{}
	for _, key := range slices.Sorted(maps.Keys(lists)) {
		typ, ok := taskType(key)
		if !ok {
			return nil, fmt.Errorf("there are examples for %.40q; known are %s", key,
				strings.Join(slices.Sorted(maps.Keys(alfworldKinds)), ", "))
		}
		turns, err := parseTurns(lists[key])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		in, found := types[typ]
		if !found {
			in = p.instructions()
		}
		if in.Examples = append(in.Examples, Example{Turns: turns}); len(in.Examples) > maxExamples {
			return nil, fmt.Errorf("%s: there are more than %d examples", key, maxExamples)
		}
		types[typ] = in
	}
	return types, nil
}

// taskType returns ALFWorld's task type of a key: the type itself, or the name of
// its kind with or without "react_" before and a number after it.
func taskType(key string) (string, bool) {
	kind := strings.TrimPrefix(key, "react_")
	if i := strings.LastIndex(kind, "_"); i >= 0 {
		if _, err := strconv.Atoi(kind[i+1:]); err == nil {
			kind = kind[:i]
		}
	}
	if typ, ok := alfworldKinds[kind]; ok {
		return typ, true
	}
	return key, slices.Contains(slices.Collect(maps.Values(alfworldKinds)), key)
}

// fileTurn is a turn as files write it: a text, or an object with one of two names. The
// originals do not read who speaks: user and assistant take turns.
type fileTurn struct {
	Content, Value *string
}

func parseTurns(b []byte) ([]ChatMessage, error) {
	var list []json.RawMessage
	if err := datafile.Unmarshal(b, &list); err != nil {
		return nil, err
	}
	if len(list) == 0 || len(list) > maxTurns {
		return nil, fmt.Errorf("an example has %d turns, want 1 to %d", len(list), maxTurns)
	}
	var out []ChatMessage
	for i, raw := range list {
		text, err := turnText(raw)
		if err != nil {
			return nil, fmt.Errorf("turn %d: %w", i+1, err)
		}
		out = append(out, ChatMessage{[]string{User, Assistant}[i%2], text})
	}
	return out, nil
}

func turnText(raw json.RawMessage) (text string, err error) {
	if json.Unmarshal(raw, &text) == nil {
		return text, nil
	}
	var t fileTurn
	switch err := datafile.Unmarshal(raw, &t); {
	case err != nil:
		return "", err
	case t.Content != nil && t.Value == nil:
		return *t.Content, nil
	case t.Value != nil && t.Content == nil:
		return *t.Value, nil
	}
	return "", errTurn
}

var errTurn = errors.New(`want a text, or an object with content`)
