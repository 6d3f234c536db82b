package main

import (
	"github.com/spf13/cobra"

	"heldout/envs"
	"heldout/envs/catalog"
	"heldout/eval"
	"heldout/eval/show/inventory"
)

func newTasks(sys *system, c *cobra.Command) {
	var o envs.Setup
	var format, patterns string
	c.RunE = func(_ *cobra.Command, names []string) error {
		if _, err := catalog.Find(names[0]); err != nil {
			return usage(err)
		}
		if err := catalog.CheckSettings(names, o.Settings); err != nil {
			return usage(err)
		}
		o.Partial = true
		env, err := catalog.Reach(names[0], o, sys.outside())
		if err != nil {
			return err
		}
		noteIncomplete(sys, env)
		tasks, err := eval.SelectTasks(env, patterns, 0)
		if err != nil {
			return usage(err)
		}
		return render(sys, format, false, inventory.Tasks(env.Info(), tasks))
	}
	taskSource(c, sys, &o)
	c.Flags().Var(&o.GeneratorSeed, "generator-seed", "")
	c.Flags().StringVar(&patterns, "tasks", "", "")
	formatFlag(c, &format)
}
