// Package catalog is the one place that names every environment.
package catalog

import (
	"fmt"
	"strings"

	"heldout/envs"
	"heldout/envs/jericho"
	"heldout/envs/pddl"
)

// Options say how environments are set up.
type Options struct {
	// Data is the folder with the official task data, laid out as AgentBoard's
	// data folder; empty for generated tasks.
	Data string
	// GeneratorSeed chooses the generated tasks.
	GeneratorSeed int64
	// Jericho holds what only that environment has: Story, Raw, Bindings and
	// Huntdark.
	Jericho jericho.Options
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
		{jericho.Name, "text adventures on a Z-machine: 20 games, Zork I to III among them", openJericho},
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

func openJericho(o Options) (envs.Env, error) {
	j := o.Jericho
	j.Data, j.GeneratorSeed, j.Seed = o.Data, o.GeneratorSeed, int(o.GeneratorSeed)
	return jericho.New(j)
}
