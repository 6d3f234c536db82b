// Package catalog is the one place that names every environment.
package catalog

import (
	"fmt"
	"strings"

	"heldout/envs"
	"heldout/envs/babyai"
	"heldout/envs/pddl"
)

// Options say how environments are set up.
type Options struct {
	// Data is the folder with the official task data, laid out as AgentBoard's
	// data folder; empty for generated tasks.
	Data string
	// GeneratorSeed chooses the generated tasks.
	GeneratorSeed int64
	// Variant chooses between readings of one benchmark; empty for the default.
	// An environment with only one refuses it.
	Variant string
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
		{babyai.Name, "a grid of rooms with doors, keys, balls and boxes, told in text", openBabyAI},
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

func openBabyAI(o Options) (envs.Env, error) {
	return babyai.New(babyai.Options{Data: o.Data, Variant: o.Variant})
}

func openPDDL(o Options) (envs.Env, error) {
	if o.Variant != "" {
		return nil, fmt.Errorf("%s has no variants, so there is no %q", pddl.Name, o.Variant)
	}
	if o.Data == "" {
		return pddl.NewGenerated(o.GeneratorSeed)
	}
	return pddl.NewOfficial(o.Data)
}
