package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"heldout/envs"
	"heldout/envs/alfworld"
	"heldout/envs/catalog"
	"heldout/envs/jericho"
	"heldout/eval"
	"heldout/eval/bench"
	"heldout/eval/show/console"
	"heldout/scoring/table"
)

type playOptions struct {
	setup        envs.Setup
	task         string
	perturbation string
	story        string
	raw          bool
	asJSON       bool
	withActions  bool
	promptOnly   bool
}

func newPlay(sys *system, c *cobra.Command) {
	o := playOptions{task: "0"}
	c.RunE = func(c *cobra.Command, names []string) error {
		env, err := o.environment(names[0], sys.outside())
		if err != nil {
			return usage(err)
		}
		noteIncomplete(sys, env)
		if o.perturbation != "" {
			if env, err = bench.Perturbed(env, o.perturbation); err != nil {
				return usage(err)
			}
		}
		task, err := o.find(env)
		if err != nil {
			return usage(err)
		}
		if o.promptOnly {
			text, err := bench.OpeningText(c.Context(), env, task)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(sys.stdout, table.PrintableLines(text))
			return err
		}
		world, err := env.NewWorld(task)
		if err != nil {
			return usage(err)
		}
		p := console.Console{In: sys.stdin, Out: sys.stdout, Env: env.Info().Name, Task: task, World: world,
			Actions: o.withActions, Raw: o.raw, Columns: sys.columns,
			Colored: sys.style(sys.columns > 0).color}
		defer func() { _ = p.World.Close() }()
		if o.asJSON {
			return p.JSON(c.Context())
		}
		return p.Text(c.Context())
	}
	taskSource(c, sys, &o.setup)
	addFlags(c.Flags(), map[string]any{"task": &o.task, "generator-seed": &o.setup.GeneratorSeed,
		"perturb": &o.perturbation, "story": &o.story, "raw": &o.raw, "prompt": &o.promptOnly,
		"actions": &o.withActions})
	jsonFlag(c, &o.asJSON)
}

// noteIncomplete says what an environment lacks whose tasks can be played all the same: numbers
// then cover the tasks that are there.
func noteIncomplete(sys *system, env envs.Env) {
	if e, ok := envs.As[interface{ CheckComplete() error }](env); ok {
		if err := e.CheckComplete(); err != nil {
			sys.display.note(err.Error())
		}
	}
}

func (o *playOptions) find(env envs.Env) (envs.Task, error) {
	task, err := eval.FindTask(env, o.task)
	if _, finder := envs.As[envs.Finder](env); err != nil && !finder && env.Info().Source == envs.Generated {
		err = fmt.Errorf("%w; these are generated tasks, the official ones need --data", err)
	}
	return task, err
}

// environment opens the environment, or one of a single story file.
func (o *playOptions) environment(name string, out envs.Outside) (envs.Env, error) {
	if err := catalog.CheckSettings([]string{name}, o.setup.Settings); err != nil {
		return nil, err
	}
	switch {
	case o.story != "" && name != jericho.Name:
		return nil, fmt.Errorf("--story is for %s, not for %s", jericho.Name, name)
	case o.story != "":
		return jericho.New(jericho.Options{
			Story: o.story, Raw: o.raw, Seed: int(o.setup.GeneratorSeed.First),
			Bindings: o.setup.Settings["jericho-bindings"],
		})
	case o.raw:
		return nil, errors.New("only a story file given with --story can be shown raw")
	case name == alfworld.Name && strings.HasSuffix(o.task, ".tw-pddl"):
		file := o.task
		o.task = "0"
		return alfworld.NewGame(file, alfworld.Configured(o.setup.Settings))
	}
	o.setup.Partial = true
	return catalog.Reach(name, o.setup, out)
}
