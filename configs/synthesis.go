package configs

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"
)

// Synthesis are the prompts that have a model write scripts and trajectories (AgentRefine, Fu et al. 2025).
type Synthesis struct {
	Script     ScriptPrompt     `yaml:"script" json:"script"`
	Trajectory TrajectoryPrompt `yaml:"trajectory" json:"trajectory"`
}

// ScriptPrompt asks for the script of an environment that fits a persona.
type ScriptPrompt struct {
	Instruction string          `yaml:"instruction" json:"instruction"`
	Examples    []ScriptExample `yaml:"examples" json:"examples"`
	// Retry follows the persona if a script was rejected; {message} says why.
	Retry string `yaml:"again" json:"again"`
}

// ScriptExample is a persona with its script, a JSON object.
type ScriptExample struct {
	Persona string `yaml:"persona" json:"persona"`
	Script  string `yaml:"script" json:"script"`
}

// TrajectoryPrompt asks for a whole game by a script.
type TrajectoryPrompt struct {
	// Instruction may hold {min-errors} and {success-text}.
	Instruction string            `yaml:"instruction" json:"instruction"`
	Example     TrajectoryExample `yaml:"example" json:"example"`
	// Retry follows the script if a game must be written again; {message} says why.
	Retry string `yaml:"again" json:"again"`
	// Continue follows the script if the game goes on after {turns}, a JSON list;
	// {message} says why the rest was rejected, {next} is the number of the next turn.
	Continue string `yaml:"continue" json:"continue"`
}

// TrajectoryExample is a script with a trajectory, a JSON list.
type TrajectoryExample struct {
	Script     string `yaml:"script" json:"script"`
	Trajectory string `yaml:"trajectory" json:"trajectory"`
}

// SynthesisVersion is the version of the embedded prompts for synthesis.
const SynthesisVersion = "v2"

// LoadSynthesis returns the embedded prompts for synthesis.
func LoadSynthesis() (Synthesis, error) {
	return ours[Synthesis](path.Join("prompts", "synth", SynthesisVersion+".yaml"))
}

func (s Synthesis) check() error {
	t := s.Trajectory
	if err := needTexts(
		needed{"script: instruction", s.Script.Instruction, nil},
		needed{"script: again", s.Script.Retry, []string{"{message}"}},
		needed{"trajectory: instruction", t.Instruction, nil},
		needed{"trajectory: again", t.Retry, []string{"{message}"}},
		needed{"trajectory: continue", t.Continue, []string{"{turns}", "{message}"}},
	); err != nil {
		return err
	}
	for i, ex := range s.Script.Examples {
		if strings.TrimSpace(ex.Persona) == "" || strings.TrimSpace(ex.Script) == "" {
			return fmt.Errorf("script: example %d needs a persona and a script", i+1)
		}
	}
	if (strings.TrimSpace(t.Example.Script) == "") != (strings.TrimSpace(t.Example.Trajectory) == "") {
		return errors.New("trajectory: the example needs a script and a trajectory")
	}
	return nil
}

// needed is a text that a prompt must have, with what must stand in it.
type needed struct {
	field, text string
	holds       []string
}

func needTexts(texts ...needed) error {
	for _, n := range texts {
		if strings.TrimSpace(n.text) == "" {
			return fmt.Errorf("%s is missing or empty", n.field)
		}
		for _, part := range n.holds {
			if !strings.Contains(n.text, part) {
				return fmt.Errorf("%s has no %s", n.field, part)
			}
		}
	}
	return nil
}

// HashJSON is the SHA-256, in hex, of a value as JSON.
func HashJSON(v any) (string, error) {
	b, err := json.Marshal(v)
	return hash(b), err
}

// hash is the SHA-256, in hex.
func hash(b []byte) string {
	return fmt.Sprintf("%x", sha256.Sum256(b))
}
