package main

import (
	"github.com/spf13/cobra"

	"heldout/configs"
	"heldout/scoring/agentboard"
	"heldout/scoring/record"
)

// chosen says which episodes of runs a command reads, and what models are called.
type chosen struct {
	record.EpisodeFilter
	Names  configs.Names  `yaml:"names"`
	Prices configs.Prices `yaml:"prices"`
	HeldIn configs.HeldIn `yaml:"held-in"`
}

func (o *chosen) flags(c *cobra.Command) {
	f := c.Flags()
	grouped(f, filterGroup, func() {
		addFlags(f, map[string]any{"env": &o.Env, "model": &o.Model, "tasks": &o.Task, "preset": &o.Preset,
			"seeds": seedList{list: &o.Seed}})
		f.VarPF(seedList{&o.Seed, c}, "seed", "", "").Hidden = true
	})
}

// modelFlags adds the flags with those names, which say something of models.
func (o *chosen) modelFlags(c *cobra.Command, names ...string) {
	for _, name := range names {
		option, _ := configs.FindOption(name)
		grouped(c.Flags(), filterGroup, func() { optionFlag(c.Flags(), o, option) })
	}
}

// runs returns what the command reads. The user may name a model by another name.
func (o *chosen) runs(sys *system, dirs []string) ([]record.Chosen, error) {
	runs, err := record.Runs(dirs, sys.tell())
	if err != nil {
		return nil, err
	}
	return o.choose(runs)
}

// sources returns what the command reads: runs, and folders of AgentBoard's logs.
func (o *chosen) sources(sys *system, dirs []string) (runs []record.Chosen, boards []*agentboard.Logs, err error) {
	folders, dirs := agentboard.Split(dirs)
	if len(folders) == 0 {
		runs, err = o.runs(sys, dirs)
		return runs, nil, err
	}
	var plans []*record.Manifest
	for _, dir := range folders {
		logs, err := agentboard.Read(dir)
		if err != nil {
			return nil, nil, err
		}
		boards, plans = append(boards, logs), append(plans, logs.Manifest)
	}
	var parts []record.Parts
	if len(dirs) > 0 {
		if parts, err = record.Runs(dirs, sys.tell()); err != nil {
			return nil, nil, err
		}
	}
	runs, err = record.Choose(parts, o.EpisodeFilter.Called(o.Names), plans...)
	return runs, boards, usage(err)
}

func (o *chosen) choose(runs []record.Parts) ([]record.Chosen, error) {
	found, err := record.Choose(runs, o.EpisodeFilter.Called(o.Names))
	return found, usage(err)
}
