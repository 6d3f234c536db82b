package configs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
)

// Prompt is what an agent tells a model about an environment before the task.
type Prompt struct {
	// React says how a reply must look; it is for the react agent.
	React string `yaml:"react"`
	// Help names the action that lists what can be done; it is for the act
	// agent.
	Help string `yaml:"help"`
	// Types holds the instructions by task type; the key "" is for tasks of
	// any other type.
	Types map[string]Instructions `yaml:"types"`
}

// Instructions explain one task type.
type Instructions struct {
	// System is sent as a system message if it is not empty. Not every chat template
	// supports one.
	System string `yaml:"system"`
	// Instruction explains the rules and the actions.
	Instruction string `yaml:"instruction"`
	// Examples are worked episodes.
	Examples []Example `yaml:"examples"`
}

// Example is a worked episode: given step by step, or as one Text that is shown
// as it is.
type Example struct {
	Goal        string        `yaml:"goal"`
	Observation string        `yaml:"observation"`
	Steps       []ExampleStep `yaml:"steps"`
	Text        string        `yaml:"text"`
}

// ExampleStep is one step of an Example.
type ExampleStep struct {
	Thought     string `yaml:"thought"`
	Action      string `yaml:"action"`
	Observation string `yaml:"observation"`
}

// For returns the instructions for a task type.
func (p Prompt) For(taskType string) (Instructions, error) {
	if in, ok := p.Types[taskType]; ok {
		return in, nil
	}
	if in, ok := p.Types[""]; ok {
		return in, nil
	}
	return Instructions{}, fmt.Errorf("the prompt has no section for task type %q; it has %s",
		taskType, strings.Join(slices.Sorted(maps.Keys(p.Types)), ", "))
}

// PromptVersions are the versions of the embedded prompts, the newest first.
// Results with prompts of different versions do not compare.
//
//   - v2: plain English, 2026-11
//   - v1: the first version
func PromptVersions() []string { return []string{"v2", "v1"} }

// LoadPrompt returns the embedded prompt of an environment; version is one of
// PromptVersions.
func LoadPrompt(env, version string) (Prompt, error) {
	file := path.Join("prompts", version, env+".yaml")
	b, err := files.ReadFile(file)
	if err != nil {
		return Prompt{}, fmt.Errorf("there is no prompt %s for environment %s; give one with --prompt", version, env)
	}
	return parsePrompt(file, version, b)
}

// ParsePrompt reads a prompt from YAML, or from AgentBoard's JSON, in which every
// task type has examples, an instruction and a system message. ParsePrompt fills
// in the reply format and the help action if the file does not give them.
func ParsePrompt(file string, b []byte) (Prompt, error) {
	return parsePrompt(file, PromptVersions()[0], b)
}

// parsePrompt takes the form of a reply from that version of our prompts.
func parsePrompt(file, version string, b []byte) (Prompt, error) {
	var p Prompt
	var err error
	if strings.HasPrefix(string(bytes.TrimSpace(b)), "{") {
		p, err = parseAgentBoardPrompt(file, b)
	} else {
		err = decode(file, b, &p)
	}
	if err != nil {
		return Prompt{}, err
	}
	if p.React == "" {
		text, err := files.ReadFile(path.Join("prompts", version, "react.txt"))
		if err != nil {
			return Prompt{}, err
		}
		p.React = string(text)
	}
	if p.Help == "" {
		p.Help = "check valid actions"
	}
	return p, p.check(file)
}

// check reports sections without content.
func (p Prompt) check(file string) error {
	if len(p.Types) == 0 {
		return fmt.Errorf("%s: the prompt has no types section", file)
	}
	for _, name := range slices.Sorted(maps.Keys(p.Types)) {
		in := p.Types[name]
		if strings.TrimSpace(in.Instruction) == "" {
			return fmt.Errorf("%s: the instruction of task type %q is empty", file, name)
		}
		for i, ex := range in.Examples {
			if (ex.Text == "") == (len(ex.Steps) == 0) {
				return fmt.Errorf("%s: example %d of task type %q needs either a text or steps", file, i+1, name)
			}
		}
	}
	return nil
}

// strictJSON decodes one JSON value, and nothing after it, into v.
func strictJSON(b []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return fmt.Errorf("there is more after the JSON value")
	}
	return nil
}
