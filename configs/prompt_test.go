package configs

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"heldout/envs/sharedtest"
)

func TestLoadPromptPDDL(t *testing.T) {
	p := sharedtest.Must(LoadPrompt("pddl", PromptVersions()[0]))(t)
	want := []string{"barman", "blockworld", "gripper", "tyreworld"}
	sharedtest.Same(t, slices.Sorted(maps.Keys(p.Types)), want, "types")
	if !strings.Contains(p.React, "Thought:") || !strings.Contains(p.React, "Action:") {
		t.Errorf("react does not show the form of a reply: %q", p.React)
	}
	sharedtest.Equal(t, p.Help, "check valid actions", "help")
	for name, in := range p.Types {
		if len(in.Examples) == 0 {
			t.Errorf("%s has no example", name)
		}
	}
}

func TestLoadPromptUnknown(t *testing.T) {
	_, err := LoadPrompt("chess", PromptVersions()[0])
	if err == nil || !strings.Contains(err.Error(), "chess") || !strings.Contains(err.Error(), "--prompt") {
		t.Errorf("error %v, want one that names the environment and --prompt", err)
	}
}

// TestParsePromptAgentBoard reads both forms of AgentBoard's prompt files, with texts of our own.
func TestParsePromptAgentBoard(t *testing.T) {
	for _, c := range sharedtest.Cases[struct {
		Name, JSON string
		Want       map[string]Instructions
	}](t, "agentboard-prompts.yaml") {
		t.Run(c.Name, func(t *testing.T) {
			p := sharedtest.Must(ParsePrompt("mine.json", []byte(c.JSON)))(t)
			sharedtest.Same(t, p.Types, c.Want, "types")
			if p.React == "" || p.Help == "" {
				t.Errorf("react %q, help %q; both are filled in", p.React, p.Help)
			}
		})
	}
}

func TestParsePromptYAML(t *testing.T) {
	p := sharedtest.Must(ParsePrompt("mine.yaml", []byte(`
react: Think, then act.
help: look around
types:
  "":
    system: Be quick.
    instruction: Find the exit.
    examples:
      - goal: Leave.
        observation: You see a door.
        steps:
          - {thought: A door., action: open door, observation: You are out.}
      - text: You see a door.
`)))(t)
	want := Prompt{
		React: "Think, then act.", Help: "look around",
		Types: map[string]Instructions{"": {
			System: "Be quick.", Instruction: "Find the exit.",
			Examples: []Example{
				{
					Goal: "Leave.", Observation: "You see a door.",
					Steps: []ExampleStep{{
						Thought: "A door.", Action: "open door", Observation: "You are out."}},
				},
				{Text: "You see a door."},
			},
		}},
	}
	sharedtest.Same(t, p, want)
}

func TestPromptFor(t *testing.T) {
	p := Prompt{Types: map[string]Instructions{
		"maze": {Instruction: "Find the exit."}, "hanoi": {Instruction: "Move the discs."},
	}}
	sharedtest.Equal(t, sharedtest.Must(p.For("maze"))(t).Instruction, "Find the exit.", "maze")
	sharedtest.Fails(t, sharedtest.Err(p.For("chess")), `"chess"; it has hanoi, maze`, "chess")
	p.Types[""] = Instructions{Instruction: "Play."}
	if in, err := p.For("chess"); err != nil || in.Instruction != "Play." {
		t.Errorf("chess, with a section for any type: %q, %v", in.Instruction, err)
	}
}

func TestParsePromptErrors(t *testing.T) {
	for _, c := range sharedtest.Cases[struct {
		Name, Text string
		Want       []string
	}](t, "parse-prompt-errors.yaml") {
		t.Run(c.Name, func(t *testing.T) {
			_, err := ParsePrompt("mine", []byte(c.Text))
			if err == nil {
				t.Fatal("no error")
			}
			for _, w := range append(c.Want, "mine:") {
				sharedtest.Contains(t, err.Error(), w, "the error")
			}
		})
	}
}

// FuzzParsePrompt reads any bytes. What is read can be shown to a model. It
// starts from small files, for fuzzing shortens what it finds.
func FuzzParsePrompt(f *testing.F) {
	f.Add(
		[]byte(
			"help: look\ntypes:\n  \"\":\n    instruction: |\n      Go.\n    examples:\n    - text: Go\n    - " +
				"steps:\n      - action: go\n"))
	f.Add([]byte("types: {maze: {instruction: Go., examples: [{text: Go}, {steps: [{action: go}]}]}}"))
	f.Add([]byte("types:\n  maze: &m\n    instruction: Go.\n  hanoi: *m\n"))
	f.Add([]byte(`{"maze": {"examples": ["a", "b"], "instruction": "Go.", "system_msg": "Be quick."}}`))
	f.Add([]byte(`{"examples": "a", "instruction": "Go."}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := ParsePrompt("fuzz", b)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "fuzz") {
				t.Errorf("the error does not name the file: %v", err)
			}
			return
		}
		if p.React == "" || p.Help == "" || len(p.Types) == 0 {
			t.Errorf("react %q, help %q, %d types", p.React, p.Help, len(p.Types))
		}
		for name, in := range p.Types {
			if strings.TrimSpace(in.Instruction+in.System) == "" {
				t.Errorf("%q has no instruction, and no system message", name)
			}
			for i, ex := range in.Examples {
				if (ex.Text == "") == (len(ex.Steps) == 0) {
					t.Errorf("example %d of %q: text %q, %d steps", i, name, ex.Text, len(ex.Steps))
				}
			}
		}
	})
}
