// Package catalog is the one place that names every environment.
package catalog

import (
	"fmt"
	"strings"

	"heldout/envs"
	"heldout/envs/alfworld"
	"heldout/envs/pddl"
)

// Options say how environments are set up.
type Options struct {
	// Data is the folder with the official task data, laid out as AgentBoard's
	// data folder; empty for generated tasks.
	Data string
	// GeneratorSeed chooses the generated tasks.
	GeneratorSeed int64
}

// Entry is an environment that can be opened.
type Entry struct {
	Name string
	// Summary says in a line what the environment is.
	Summary string
	Open    func(Options) (envs.Env, error)
}

// All lists the environments.
func All() []Entry {
	return []Entry{
		{alfworld.Name, "household tasks: find, clean, heat, cool, place and look at things", openALFWorld},
		{pddl.Name, "four strategy games: gripper, blockworld, barman, tyreworld", openPDDL},
	}
}

// Open sets up the environment of that name.
func Open(name string, o Options) (envs.Env, error) {
	var names []string
	for _, e := range All() {
		if e.Name == name {
			return e.Open(o)
		}
		names = append(names, e.Name)
	}
	return nil, fmt.Errorf("there is no environment %q; there are: %s", name, strings.Join(names, ", "))
}

func openPDDL(o Options) (envs.Env, error) {
	if o.Data == "" {
		return pddl.NewGenerated(o.GeneratorSeed)
	}
	return pddl.NewOfficial(o.Data)
}

func openALFWorld(o Options) (envs.Env, error) {
	if o.Data == "" {
		return alfworld.NewGenerated(o.GeneratorSeed, alfworld.Options{})
	}
	return alfworld.NewOfficial(o.Data, alfworld.Options{})
}
