package configs

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"strings"
)

// Synthesis are the prompts that have a model write scripts and trajectories
// (AgentRefine, Fu et al. 2025).
type Synthesis struct {
	Script     ScriptPrompt     `yaml:"script" json:"script"`
	Trajectory TrajectoryPrompt `yaml:"trajectory" json:"trajectory"`
}

// ScriptPrompt asks for the script of an environment that fits a persona.
type ScriptPrompt struct {
	Instruction string          `yaml:"instruction" json:"instruction"`
	Examples    []ScriptExample `yaml:"examples" json:"examples"`
	// Again follows the persona if a script was rejected; {message} says why.
	Again string `yaml:"again" json:"again"`
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
	// Again follows the script if a game must be written again; {message} says why.
	Again string `yaml:"again" json:"again"`
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
	return ours(path.Join("prompts", "synth", SynthesisVersion+".yaml"), ParseSynthesis)
}

// ParseSynthesis reads prompts for synthesis.
func ParseSynthesis(file string, b []byte) (Synthesis, error) {
	var s Synthesis
	if err := decode(file, b, &s); err != nil {
		return s, err
	}
	t := s.Trajectory
	if err := needTexts(file, []needed{
		{"script: instruction", s.Script.Instruction, nil},
		{"script: again", s.Script.Again, []string{"{message}"}},
		{"trajectory: instruction", t.Instruction, nil},
		{"trajectory: again", t.Again, []string{"{message}"}},
		{"trajectory: continue", t.Continue, []string{"{turns}", "{message}"}},
	}); err != nil {
		return s, err
	}
	for i, ex := range s.Script.Examples {
		if strings.TrimSpace(ex.Persona) == "" || strings.TrimSpace(ex.Script) == "" {
			return s, fmt.Errorf("%s: script: example %d needs a persona and a script", file, i+1)
		}
	}
	if (strings.TrimSpace(t.Example.Script) == "") != (strings.TrimSpace(t.Example.Trajectory) == "") {
		return s, fmt.Errorf("%s: trajectory: the example needs a script and a trajectory", file)
	}
	return s, nil
}

// needed is a text that a prompt must have, with what must stand in it.
type needed struct {
	field, text string
	holds       []string
}

func needTexts(file string, all []needed) error {
	for _, n := range all {
		if strings.TrimSpace(n.text) == "" {
			return fmt.Errorf("%s: %s is missing or empty", file, n.field)
		}
		for _, part := range n.holds {
			if !strings.Contains(n.text, part) {
				return fmt.Errorf("%s: %s has no %s", file, n.field, part)
			}
		}
	}
	return nil
}

// Hash is the SHA-256, in hex, of what the prompts say.
func (s Synthesis) Hash() (string, error) { return jsonHash(s) }

// jsonHash is the SHA-256, in hex, of a value as JSON.
func jsonHash(v any) (string, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), nil
}
