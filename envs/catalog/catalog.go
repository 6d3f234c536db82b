// Package catalog is the one place that names every environment.
package catalog

import (
	"fmt"
	"slices"
	"strings"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/alfworld"
	"heldout/envs/hotpotqa"
	"heldout/envs/pddl"
)

// Entry is an environment that can be opened.
type Entry struct {
	Name string
	// Summary says in a line what the environment is.
	Summary string
	// Takes names the settings of configs.Setup, beside data and generator
	// seed, that the environment has a use for.
	Takes []string
	Open  func(configs.Setup, envs.Outside) (envs.Env, error)
}

// All lists the environments.
func All() []Entry {
	return []Entry{
		{alfworld.Name, "household tasks: find, clean, heat, cool, place and look at things", []string{"split", "dialect", "step-limit-reward"}, openALFWorld},
		{hotpotqa.Name, "questions over Wikipedia: search, look up, answer", []string{"questions", "sample", "wiki", "wiki-flow", "wiki-url", "wiki-contact", "wiki-cache", "wiki-index"}, openHotpotQA},
		{pddl.Name, "four strategy games: gripper, blockworld, barman, tyreworld", nil, openPDDL},
	}
}

// Open sets up the environment of that name. Settings that it has no use for are
// left alone; see Unused.
func Open(name string, s configs.Setup, out envs.Outside) (envs.Env, error) {
	var names []string
	for _, e := range All() {
		if e.Name == name {
			return e.Open(s, out)
		}
		names = append(names, e.Name)
	}
	return nil, fmt.Errorf("there is no environment %q; there are: %s", name, strings.Join(names, ", "))
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

func openALFWorld(s configs.Setup, _ envs.Outside) (envs.Env, error) {
	o := alfworld.Options{Split: s.Split, Dialect: s.Dialect, StepLimitReward: s.StepLimitReward}
	if s.Data == "" {
		return alfworld.NewGenerated(s.GeneratorSeed, o)
	}
	return alfworld.NewOfficial(s.Data, o)
}

func openHotpotQA(s configs.Setup, out envs.Outside) (envs.Env, error) {
	o := hotpotqa.Options{
		Questions: s.Questions, Sample: s.Sample,
		Pages: hotpotqa.Pages{From: s.Wiki, Flow: s.WikiFlow, URL: s.WikiURL, Contact: s.WikiContact, Cache: s.WikiCache, Index: s.WikiIndex},
	}
	if s.Data == "" {
		return hotpotqa.NewEmbedded(o, out)
	}
	return hotpotqa.NewOfficial(s.Data, o, out)
}
