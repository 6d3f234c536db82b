package main

import (
	"runtime"

	"github.com/spf13/cobra"

	"heldout/eval/bench"
	"heldout/eval/share/board"
	"heldout/scoring/table"
)

func newBoard(sys *system) *cobra.Command {
	var o board.Options
	var out string
	c := &cobra.Command{
		Use:  "board DIR",
		Args: args(1, 1, "one folder with bundles"),
		RunE: func(c *cobra.Command, dirs []string) error {
			o.Check.Workers = runtime.GOMAXPROCS(0)
			o.Check.Texts.Outside = sys.outside()
			o.Check.Texts.Originals.Data = []string{o.Check.Texts.Setup.Data, pullFolder(sys)}
			o.Date, o.Version = sys.now().Format("2006-01-02"), sys.tool.Version
			o.Tell = func(line string) { sys.say("%s", line) }
			site, err := board.Write(c.Context(), dirs[0], out, o)
			if err != nil {
				return err
			}
			sys.say("%s: %s", out, table.Counted(len(site.Places), "table"))
			return nil
		},
	}
	f := c.Flags()
	f.StringVar(&out, "out", "site", "folder to write")
	f.BoolVar(&o.Force, "force", false, "replace a folder that exists")
	f.StringSliceVar(&o.Baselines, "baseline", nil,
		"published results to show apart, by the names that heldout compare takes")
	f.StringSliceVar(&o.Check.Texts.Prompts, "prompt", nil, "prompt files of the runs, if they were not heldout's own")
	o.Check.Texts.Setup = bench.DefaultSetup(sys.bench())
	setupFlags(f, &o.Check.Texts.Setup)
	return c
}
