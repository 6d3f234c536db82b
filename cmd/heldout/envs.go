package main

import (
	"github.com/spf13/cobra"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/catalog"
	"heldout/eval/bench"
	"heldout/scoring/table"
)

// taskSource adds the flags that say how environments are set up, for commands
// that know no other settings.
func taskSource(c *cobra.Command, sys *system, s *configs.Setup) {
	*s = bench.DefaultSetup(sys.bench())
	setupFlags(c.Flags(), s)
}

func newEnvs(sys *system) *cobra.Command {
	var o configs.Setup
	var format string
	c := &cobra.Command{
		Use:   "envs",
		Short: "List the environments, and what is missing for them",
		Args:  args(0, 0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			if err := bench.CheckData(o.Data); err != nil {
				return usage(err)
			}
			t := table.Table{ID: "environments", Title: "Environments", Columns: []table.Column{
				{Key: "environment", Header: "Environment", Left: true},
				{Key: "tasks", Header: "Tasks"},
				{Key: "source", Header: "Source", Left: true},
				{Key: "steps", Header: "Steps"},
				{Key: "about", Header: "About", Left: true},
			}}
			if o.Data != "" {
				t.Notes = append(t.Notes, "Official data: "+o.Data+dataOrigin(sys, o.Data)+".")
			}
			for _, e := range catalog.All() {
				cells := []table.Cell{table.String(e.Name), table.None(), table.None(), table.None(), table.String(e.Summary)}
				if env, err := e.Open(o, sys.outside()); err != nil {
					t.Notes = append(t.Notes, e.Name+" is not available: "+err.Error())
				} else {
					cells[1] = table.Int(len(env.Tasks()))
					cells[2] = table.String(string(env.Info().Source))
					cells[3] = table.Int(env.Info().StepLimit)
					if env.Info().Source == envs.Generated {
						t.Notes = append(t.Notes, e.Name+": generated tasks; heldout data pull fetches the official ones.")
					}
				}
				t.Rows = append(t.Rows, cells)
			}
			return render(sys, format, false, t)
		},
	}
	taskSource(c, sys, &o)
	formatFlag(c, &format)
	return c
}
