package configs

import (
	"fmt"
	"path"
	"strings"
)

// Reflection is the prompt that asks a model for a plan after a failed trial (Reflexion, Shinn et al. 2023).
type Reflection struct {
	// Instruction says what to write about a failed trial.
	Instruction string              `yaml:"instruction"`
	Examples    []ReflectionExample `yaml:"examples"` // failed trials with the plans that follow from them
	// Memory introduces the plans to the agent in a later trial.
	Memory string `yaml:"memory"`
}

// ReflectionExample is a worked example.
type ReflectionExample struct {
	Trial      string `yaml:"trial"`
	Reflection string `yaml:"reflection"`
}

// ReflectionVersions are the versions of the embedded reflection prompt, the default first.
//
//   - v1: the first version
//   - v2: without worked examples, 2026-11
func ReflectionVersions() []string { return []string{"v1", "v2"} }

// LoadReflection returns the embedded reflection prompt in one of ReflectionVersions.
func LoadReflection(version string) (Reflection, error) {
	return ours[Reflection](path.Join("prompts", "reflection", version+".yaml"))
}

func (r Reflection) check() error {
	if err := needTexts(needed{"instruction", r.Instruction, nil}, needed{"memory", r.Memory, nil}); err != nil {
		return err
	}
	for i, ex := range r.Examples {
		if strings.TrimSpace(ex.Trial) == "" || strings.TrimSpace(ex.Reflection) == "" {
			return fmt.Errorf("example %d needs a trial and a reflection", i+1)
		}
	}
	return nil
}
