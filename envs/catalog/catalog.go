// Package catalog is the one place that names every environment.
package catalog

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/alfworld"
	"heldout/envs/babyai"
	"heldout/envs/hotpotqa"
	"heldout/envs/jericho"
	"heldout/envs/pddl"
	"heldout/envs/sciworld"
)

// Entry is an environment that can be opened.
type Entry struct {
	Name string
	// Summary says in a line what the environment is.
	Summary string
	// Takes names the settings of configs.Setup, beside data and generator
	// seed, that the environment has a use for.
	Takes []string
	// Folders are the folders of the data folder that its official tasks may lie
	// in; one of them has to be there.
	Folders []string
	// Missing says what only the user can provide and has not, as an
	// *envs.UnavailableError; nil for environments that need nothing.
	Missing func(configs.Setup) error
	// Examine checks what the environment needs, part by part; nil likewise.
	Examine func(context.Context, configs.Setup) []envs.Check
	Open    func(configs.Setup, envs.Outside) (envs.Env, error)
}

// All lists the environments.
func All() []Entry {
	return []Entry{
		{
			Name: alfworld.Name, Folders: []string{"alfworld", "json_2.1.1", "json_2.1.3"}, Summary: "household tasks: find, clean, heat, cool, place and look at things",
			Takes: []string{"split", "dialect", "step-limit-reward"}, Open: openALFWorld,
		},
		{
			Name: babyai.Name, Folders: []string{"babyai"}, Summary: "a grid of rooms with doors, keys, balls and boxes, told in text",
			Takes: []string{"variant"}, Open: openBabyAI,
		},
		{
			Name: hotpotqa.Name, Folders: []string{"hotpotqa"}, Summary: "questions over Wikipedia: search, look up, answer",
			Takes: []string{"questions", "sample", "wiki", "wiki-flow", "wiki-url", "wiki-contact", "wiki-cache", "wiki-index"}, Open: openHotpotQA,
		},
		{
			Name: jericho.Name, Folders: []string{"jericho"}, Summary: "text adventures on a Z-machine: 20 games, Zork I to III among them",
			Takes: []string{"jericho-bindings", "huntdark"}, Open: openJericho,
		},
		{
			Name: pddl.Name, Folders: []string{"pddl"}, Summary: "four strategy games: gripper, blockworld, barman, tyreworld",
			Open: openPDDL,
		},
		{
			Name: sciworld.Name, Folders: []string{"scienceworld"}, Summary: "experiments of primary school: heat, mix, measure, grow, find, connect",
			Takes:   []string{"sciworld-jar", "jvms", "variant", "split", "simplifications"},
			Missing: func(s configs.Setup) error { return sciworld.Missing(sciworldOptions(s)) },
			Examine: func(ctx context.Context, s configs.Setup) []envs.Check {
				return sciworld.Examine(ctx, sciworldOptions(s))
			},
			Open: func(s configs.Setup, _ envs.Outside) (envs.Env, error) {
				return sciworld.New(sciworldOptions(s))
			},
		},
	}
}

// Open sets up the environment of that name. Settings that it has no use for are
// left alone; see Unused.
func Open(name string, s configs.Setup, out envs.Outside) (envs.Env, error) {
	e, err := Find(name)
	if err != nil {
		return nil, err
	}
	return e.Open(s, out)
}

// Find returns the entry of that name.
func Find(name string) (Entry, error) {
	var names []string
	for _, e := range All() {
		if e.Name == name {
			return e, nil
		}
		names = append(names, e.Name)
	}
	return Entry{}, fmt.Errorf("there is no environment %q; there are: %s", name, strings.Join(names, ", "))
}

// Available returns those of the environments that can be played, and for each
// of the others why it cannot: something else is missing, or the data folder has
// nothing of it. Names that are none are left in.
func Available(names []string, s configs.Setup) (available []string, unavailable []error) {
	for _, name := range names {
		if e, err := Find(name); err == nil {
			if err := e.unavailable(s); err != nil {
				unavailable = append(unavailable, err)
				continue
			}
		}
		available = append(available, name)
	}
	return available, unavailable
}

// unavailable says why the environment cannot be played. Data that are there but
// incomplete are no reason: an environment is not skipped because of a mistake.
func (e Entry) unavailable(s configs.Setup) error {
	if e.Missing != nil {
		if err := e.Missing(s); err != nil {
			return err
		}
	}
	if s.Data == "" {
		return nil
	}
	for _, folder := range e.Folders {
		if _, err := os.Stat(filepath.Join(s.Data, folder)); !errors.Is(err, fs.ErrNotExist) {
			return nil
		}
	}
	return fmt.Errorf("%s has no official tasks in %s: there is no folder %s", e.Name, s.Data, strings.Join(e.Folders, " or "))
}

// Unused returns those of the settings that none of the environments takes.
func Unused(environments, settings []string) []string {
	return slices.DeleteFunc(slices.Clone(settings), func(setting string) bool {
		return slices.ContainsFunc(All(), func(e Entry) bool {
			return slices.Contains(environments, e.Name) && slices.Contains(e.Takes, setting)
		})
	})
}

func openPDDL(s configs.Setup, _ envs.Outside) (envs.Env, error) {
	if s.Data == "" {
		return pddl.NewGenerated(s.GeneratorSeed)
	}
	return pddl.NewOfficial(s.Data)
}

func openBabyAI(s configs.Setup, _ envs.Outside) (envs.Env, error) {
	return babyai.New(babyai.Options{Data: s.Data, Variant: s.Variant})
}

func openALFWorld(s configs.Setup, _ envs.Outside) (envs.Env, error) {
	o := alfworld.Options{Split: s.Split, Dialect: s.Dialect, StepLimitReward: s.StepLimitReward}
	if s.Data == "" {
		return alfworld.NewGenerated(s.GeneratorSeed, o)
	}
	return alfworld.NewOfficial(s.Data, o)
}

func openJericho(s configs.Setup, _ envs.Outside) (envs.Env, error) {
	return jericho.New(jericho.Options{Data: s.Data, GeneratorSeed: s.GeneratorSeed, Bindings: s.JerichoBindings, Huntdark: s.Huntdark})
}

func openHotpotQA(s configs.Setup, out envs.Outside) (envs.Env, error) {
	o := hotpotqa.Options{
		Questions: s.Questions, Sample: s.Sample,
		Pages: hotpotqa.Pages{From: s.Wiki, Flow: s.WikiFlow, URL: s.WikiURL, Contact: s.WikiContact, Cache: s.WikiCache, Index: s.WikiIndex},
	}
	if s.Data == "" && !hotpotqa.IsPath(s.Questions) {
		return hotpotqa.NewEmbedded(o, out)
	}
	return hotpotqa.NewOfficial(s.Data, o, out)
}

func sciworldOptions(s configs.Setup) sciworld.Options {
	return sciworld.Options{
		Jar: s.SciworldJar, Data: s.Data, Variant: s.Variant, Split: s.Split,
		Simplifications: s.Simplifications, JVMs: s.JVMs,
	}
}
