package configs

import (
	"fmt"
	"regexp"
	"strings"
)

// Thoughts are sentences for players that act without thinking, such as an expert. In
// each, {goal}, {action} and {observation} stand for the goal of the task, the action that
// follows and the last observation. Of several, one is drawn.
type Thoughts struct {
	// First are for the first step, Next for the others. Progress are for a step after
	// one that made progress, Wrong for one after an action that was not carried out.
	First    []string `yaml:"first" json:"first"`
	Next     []string `yaml:"next" json:"next"`
	Progress []string `yaml:"progress" json:"progress"`
	Wrong    []string `yaml:"wrong" json:"wrong"`
}

// LoadThoughts returns the embedded sentences.
func LoadThoughts() (Thoughts, error) {
	return ours[Thoughts]("prompts/thoughts/v1.yaml")
}

var thoughtSlot = regexp.MustCompile(`\{[^{}]*\}`)

const mostThoughts = 1000

func (t Thoughts) check() error {
	for name, list := range map[string][]string{"first": t.First, "next": t.Next, "progress": t.Progress,
		"wrong": t.Wrong} {
		if len(list) == 0 || len(list) > mostThoughts {
			return fmt.Errorf("%s has %d sentences, want 1 to %d", name, len(list), mostThoughts)
		}
		for _, sentence := range list {
			for _, slot := range thoughtSlot.FindAllString(sentence, -1) {
				if slot != "{goal}" && slot != "{action}" && slot != "{observation}" {
					return fmt.Errorf("%s: unknown slot %s; the slots are {goal}, {action} and {observation}", name, slot)
				}
			}
			if strings.TrimSpace(sentence) == "" {
				return fmt.Errorf("%s has an empty sentence", name)
			}
		}
	}
	return nil
}

// Hash is the SHA-256, in hex, of the sentences.
func (t Thoughts) Hash() (string, error) { return HashJSON(t) }

// ThinkPrompt is the prompt that has a model write what an expert thinks.
type ThinkPrompt struct {
	// Instruction says how. Goal, history and action follow it.
	Instruction string `yaml:"instruction" json:"instruction"`
}

// LoadThink returns the embedded prompt for thoughts.
func LoadThink() (ThinkPrompt, error) {
	return ours[ThinkPrompt]("prompts/think/v1.yaml")
}

func (t ThinkPrompt) check() error { return needTexts(needed{"instruction", t.Instruction, nil}) }
