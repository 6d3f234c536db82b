package main

import (
	"github.com/spf13/cobra"

	"heldout/envs"
	"heldout/envs/catalog"
	"heldout/envs/jericho"
	"heldout/scoring/table"
)

// taskSource adds the flags that say which tasks an environment has.
func taskSource(c *cobra.Command, sys *system, o *catalog.Options) {
	c.Flags().StringVar(&o.Data, "data", sys.getenv(dataVariable),
		"folder with the official task data, laid out as AgentBoard's data folder (or "+dataVariable+"); without it tasks are generated")
	c.Flags().StringVar(&o.Jericho.Bindings, "jericho-bindings", "", bindingsHelp)
	c.Flags().StringVar(&o.Jericho.Huntdark, "huntdark", jericho.HuntdarkUpstream, huntdarkHelp)
}

const (
	bindingsHelp = "file with Jericho's templates of commands and walkthroughs: its game_info.py, or JSON; without it templates are derived from the stories"
	huntdarkHelp = "texts with which the Jericho game huntdark starts: upstream (none, as the benchmark has it) or fixed"
)

// dataVariable names the environment variable that stands for --data.
const dataVariable = "HELDOUT_DATA"

func newEnvs(sys *system) *cobra.Command {
	var o catalog.Options
	var format string
	c := &cobra.Command{
		Use:   "envs",
		Short: "List the environments, and what is missing for them",
		Args:  args(0, 0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			t := table.Table{ID: "environments", Title: "Environments", Columns: []table.Column{
				{Key: "environment", Header: "Environment", Left: true},
				{Key: "tasks", Header: "Tasks"},
				{Key: "source", Header: "Source", Left: true},
				{Key: "steps", Header: "Steps"},
				{Key: "about", Header: "About", Left: true},
			}}
			for _, e := range catalog.All() {
				cells := []table.Cell{table.String(e.Name), table.None(), table.None(), table.None(), table.String(e.Summary)}
				if env, err := e.Open(o); err != nil {
					t.Notes = append(t.Notes, e.Name+" is not available: "+err.Error())
				} else {
					cells[1] = table.Int(len(env.Tasks()))
					cells[2] = table.String(string(env.Info().Source))
					cells[3] = table.Int(env.Info().StepLimit)
					if env.Info().Source == envs.Generated {
						t.Notes = append(t.Notes, e.Name+": generated tasks; the official ones need --data.")
					}
				}
				t.Rows = append(t.Rows, cells)
			}
			return usage(table.Render(sys.stdout, table.Format(format), t))
		},
	}
	taskSource(c, sys, &o)
	formatFlag(c, &format)
	return c
}
