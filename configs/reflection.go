package configs

import (
	"fmt"
	"path"
	"strings"
)

// Reflection is the prompt that asks a model for a plan after a failed trial
// (Reflexion, Shinn et al. 2023).
type Reflection struct {
	// Instruction says what to write about a failed trial.
	Instruction string `yaml:"instruction"`
	// Examples are failed trials with the plans that follow from them.
	Examples []ReflectionExample `yaml:"examples"`
	// Memory introduces the plans to the agent in a later trial.
	Memory string `yaml:"memory"`
}

// ReflectionExample is a worked example.
type ReflectionExample struct {
	Trial      string `yaml:"trial"`
	Reflection string `yaml:"reflection"`
}

// ReflectionVersion is the version of the embedded reflection prompt.
const ReflectionVersion = "v1"

// LoadReflection returns the embedded reflection prompt.
func LoadReflection() (Reflection, error) {
	return ours(path.Join("prompts", "reflection", ReflectionVersion+".yaml"), ParseReflection)
}

// ParseReflection reads a reflection prompt.
func ParseReflection(file string, b []byte) (Reflection, error) {
	var r Reflection
	if err := decode(file, b, &r); err != nil {
		return r, err
	}
	for _, field := range []struct{ name, text string }{{"instruction", r.Instruction}, {"memory", r.Memory}} {
		if strings.TrimSpace(field.text) == "" {
			return r, fmt.Errorf("%s: %s is missing or empty", file, field.name)
		}
	}
	for i, ex := range r.Examples {
		if strings.TrimSpace(ex.Trial) == "" || strings.TrimSpace(ex.Reflection) == "" {
			return r, fmt.Errorf("%s: example %d needs a trial and a reflection", file, i+1)
		}
	}
	return r, nil
}
