package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"heldout/configs"
	"heldout/envs"
	"heldout/eval/bench"
	"heldout/scoring/table"
)

func newDoctor(sys *system) *cobra.Command {
	r := configs.DefaultRun()
	c := &cobra.Command{
		Use:               "doctor [ENV | --preset NAME | --model PROVIDER:NAME]",
		ValidArgsFunction: completeEnvironment,
		Short:             "Check an environment, a preset or a model server",
		Long: `doctor ENV says what an environment needs, what is missing, and how to get it.

doctor --preset says whether the data have the tasks of an evaluation protocol,
and whether the files of its source are the originals. With --model it goes on
to the server and plays the first turn of the protocol.

doctor --model asks a server for a few dozen short replies. It reports whether
the server is reachable and has the model, its context length, whether it
honours the sampling parameters, whether it repeats a greedy reply, alone and
under load, and whether it refuses a prompt that is too long. Then it plays the
first turn of the first of --tasks with the settings of a run, shows the reply
and what is read from it, and says if a run would be worthless or refused. The
default environment for this is pddl.`,
		Example: "  heldout doctor sciworld\n  heldout doctor --model vllm:my-checkpoint --concurrency 64",
		Args:    args(0, 1, "one environment, or none and a --model"),
		RunE: func(c *cobra.Command, names []string) error {
			if len(names) > 0 && len(r.Preset) > 0 {
				return usage(errors.New("want an environment or a --preset, not both"))
			}
			if r.Tasks != "" && len(r.Model) == 0 {
				return usage(errors.New("--tasks are those of the first turn, which a --model plays"))
			}
			if len(names) > 0 && len(r.Model) > 0 {
				return usage(errors.New("want an environment or a --model, not both"))
			}
			d := bench.Doctor{Outside: sys.bench(), Say: func(line string) { sys.say("%s", line) },
				Server: func(address string) { fmt.Fprintln(sys.stdout, address) },
				Tell: func(c envs.Check) {
					fmt.Fprintf(sys.stdout, "%-8s %s: %s\n", c.Status, c.Name, table.PrintableLines(c.Text))
				}}
			if len(names) > 0 {
				return d.Environment(c.Context(), names[0], r.Setup)
			}
			var change func(*configs.Run) error
			if len(r.Preset) > 0 {
				change = func(target *configs.Run) error { return override(target, c.Flags()) }
				if err := d.Presets(r.Preset, change); err != nil || len(r.Model) == 0 {
					return err
				}
			} else if len(r.Model) != 1 || bench.IsBaseline(r.Model[0]) {
				return usage(
					errors.New(
						"want one --model that a server serves, such as vllm:NAME, or the name of an environment"))
			}
			return d.Model(c.Context(), r, change)
		},
	}
	optionFlags(c.Flags(), &r, configs.Protocols, configs.Server, configs.Sampling, configs.Length, configs.Player)
	c.Flags().StringSliceVar((*[]string)(&r.Env), "env", r.Env,
		"environment of the first turn; the default is pddl with generated tasks")
	c.Flags().StringVar(&r.Tasks, "tasks", r.Tasks, helpOf("tasks"))
	taskSource(c, sys, &r.Setup)
	return c
}
