package configs

import (
	"bytes"
	_ "embed" // for a text
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"heldout/envs/datafile"
)

// Prompt is what an agent tells a model about an environment before the task.
type Prompt struct {
	React string `yaml:"react"` // says how a reply must look; it is for the react agent
	// Correction ends the prompt of the react agent after a reply without an action, which
	// the history then lacks; empty for heldout's own answer to such a reply.
	Correction string `yaml:"correction" json:",omitempty"`
	// Help names the action that lists what can be done, MoreHelp another action that
	// helps; they are for the act agent.
	Help     string `yaml:"help"`
	MoreHelp string `yaml:"more-help" json:",omitempty"`
	// Kept is how the history of the act agent holds an action: one of keptActions.
	Kept string `yaml:"kept" json:",omitempty"`
	// Openings replace goal and first observation of tasks by their type.
	Openings map[string]Opening `yaml:"openings" json:",omitempty"`
	// Types holds the instructions by task type; the key "" is for tasks of
	// any other type. A prompt that is a template may have none.
	Types map[string]Instructions `yaml:"types"`
	// Template is for agents that write one message per turn; nil if the prompt is
	// for others. Hashes of prompts leave an absent field out.
	Template *Template `yaml:"template" json:",omitempty"`
	// Handover stands before the task, behind examples, unless the agent has such a text.
	Handover string `yaml:"handover" json:",omitempty"`
}

// Opening is how a task begins in a prompt that has texts of its own for that.
type Opening struct {
	Goal        string `yaml:"goal"`
	Observation string `yaml:"observation"`
}

// keptActions are the values of Prompt.Kept, named after the environments whose actions
// AgentBoard changes before it notes them; empty for actions as they were read.
//
//   - alfworld: "in" and "on" of "put" become "in/on", and a full stop at the end goes
//   - jericho: up to the first comma, the first full stop, and 20 words
func keptActions() []string { return []string{KeptALFWorld, KeptJericho} }

// The values of Prompt.Kept. Where KeptPut is another word, that stands behind KeptALFWorld and a colon.
const (
	KeptALFWorld = "alfworld"
	KeptJericho  = "jericho"
	KeptPut      = "put"
)

// Instructions explain one task type.
type Instructions struct {
	// System is sent as a system message unless empty. Not every chat template has one.
	System string `yaml:"system"`
	// Instruction explains rules and actions. A system message may take its place.
	Instruction string    `yaml:"instruction"`
	Examples    []Example `yaml:"examples"` // worked episodes
}

// Example is a worked episode: given step by step, as one Text that is shown as it is, or as the turns of a chat.
type Example struct {
	Goal        string        `yaml:"goal"`
	Observation string        `yaml:"observation"`
	Steps       []ExampleStep `yaml:"steps"`
	Text        string        `yaml:"text"`
	Turns       []ChatMessage `yaml:"turns" json:",omitempty"`
}

// ChatMessage is a message of a chat.
type ChatMessage struct {
	Role    string `yaml:"role"` // User or Assistant
	Content string `yaml:"content"`
}

// The roles of turns.
const (
	User      = "user"
	Assistant = "assistant"
)

// ExampleStep is one step of an Example.
type ExampleStep struct {
	Thought     string `yaml:"thought"`
	Action      string `yaml:"action"`
	Observation string `yaml:"observation"`
}

// For returns the instructions for a task type.
func (p Prompt) For(taskType string) (Instructions, error) {
	if p.Template != nil && len(p.Types) == 0 {
		return Instructions{}, nil
	}
	if in, ok := p.Types[taskType]; ok {
		return in, nil
	}
	if in, ok := p.Types[""]; ok {
		return in, nil
	}
	return Instructions{}, fmt.Errorf("the prompt has no section for task type %q; it has %s",
		taskType, strings.Join(slices.Sorted(maps.Keys(p.Types)), ", "))
}

// Hash is the SHA-256, in hex, of what a prompt says, however its file is written.
func (p Prompt) Hash() (string, error) { return HashJSON(p) }

// PromptVersions are the versions of the embedded prompts, the default first.
// Results with prompts of different versions do not compare.
//
//   - v1: the first version
//   - v2: plain English, 2026-11
//   - v3: v2 with a correction that is no observation, 2026-11
func PromptVersions() []string { return []string{"v2", "v3", "v1"} }

//go:embed prompts/v3/correction.txt
var correctionV3 string

// loadedPrompts are embedded prompts that were read, by file: a check asks for them with every run.
var loadedPrompts sync.Map

// LoadPrompt returns the embedded prompt of an environment; version is one of PromptVersions, or a name that
// presets have for a prompt in another form. Prompts are shared: nobody changes what they hold.
func LoadPrompt(env, version string) (Prompt, error) {
	if version == "v3" {
		p, err := LoadPrompt(env, "v2")
		p.Correction = correctionV3
		return p, err
	}
	file := path.Join("prompts", version, env+".yaml")
	if p, ok := loadedPrompts.Load(file); ok {
		return p.(Prompt), nil
	}
	b, err := files.ReadFile(file)
	if err != nil {
		return Prompt{}, fmt.Errorf("prompt %s does not cover environment %s; give one with --prompt", version, env)
	}
	p, err := parsePrompt(file, version, b)
	if err == nil {
		loadedPrompts.Store(file, p)
	}
	return p, err
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
	b, err := datafile.Text(file, b)
	if err != nil {
		return p, err
	}
	if err := notPrompt(file, b); err != nil {
		return p, err
	}
	var own struct{ Types, Template any } // which may be JSON, too
	isJSON := bytes.HasPrefix(bytes.TrimSpace(b), []byte("{"))
	if isJSON && (json.Unmarshal(b, &own) != nil || own.Types == nil && own.Template == nil) {
		p, err = parseAgentBoardPrompt(file, b)
	} else {
		err = decode(file, b, &p)
	}
	if err != nil {
		return Prompt{}, err
	}
	err = p.complete(file, version)
	return p, err
}

// InstructionsPrompt makes a prompt of instructions by task type, in a form of our prompts.
func InstructionsPrompt(version string, instructions map[string]string) (Prompt, error) {
	p := Prompt{Types: map[string]Instructions{}}
	for kind, text := range instructions {
		p.Types[kind] = Instructions{Instruction: text}
	}
	form := version
	if version == "v3" {
		form, p.Correction = "v2", correctionV3
	}
	err := p.complete("the environment's instructions", form)
	return p, err
}

// complete adds what a prompt leaves out, and checks it.
func (p *Prompt) complete(file, version string) error {
	if p.React == "" && p.Template == nil {
		text, err := files.ReadFile(path.Join("prompts", version, "react.txt"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // prompts of other forms have none
			return err
		}
		p.React = string(text)
	}
	if p.Help == "" && p.Template == nil {
		p.Help = "check valid actions"
	}
	return p.check(file)
}

func (p Prompt) check(file string) error {
	if len(p.Types) == 0 && p.Template == nil {
		return fmt.Errorf("%s: the prompt has no types section", file)
	}
	if p.Template != nil {
		if err := p.Template.Check(); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	if p.Kept != "" && !slices.Contains(keptActions(), p.Kept) {
		return fmt.Errorf("%s: kept is %.50q, want one of %s", file, p.Kept, strings.Join(keptActions(), ", "))
	}
	for _, name := range slices.Sorted(maps.Keys(p.Types)) {
		in := p.Types[name]
		if strings.TrimSpace(in.Instruction+in.System) == "" {
			return fmt.Errorf("%s: the instruction of task type %q is empty", file, name)
		}
		for i, ex := range in.Examples {
			if err := ex.check(); err != nil {
				return fmt.Errorf("%s: example %d of task type %q %w", file, i+1, name, err)
			}
		}
	}
	return nil
}

// check reports an example that is not in exactly one form.
func (ex Example) check() error {
	forms := 0
	for _, present := range []bool{ex.Text != "", len(ex.Steps) > 0, len(ex.Turns) > 0} {
		if present {
			forms++
		}
	}
	if forms != 1 {
		return errors.New("needs either a text, steps or turns")
	}
	for i, turn := range ex.Turns {
		if turn.Role != User && turn.Role != Assistant {
			return fmt.Errorf("has the role %.20q in turn %d; there are user and assistant", turn.Role, i+1)
		}
	}
	return nil
}
