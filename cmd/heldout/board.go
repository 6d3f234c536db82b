package main

import (
	"runtime"

	"github.com/spf13/cobra"

	"heldout/eval/bench"
	"heldout/eval/share/board"
	"heldout/scoring/table"
)

func newBoard(sys *system, c *cobra.Command) {
	var o board.Options
	var out string
	c.RunE = func(c *cobra.Command, dirs []string) error {
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
	}
	f := c.Flags()
	f.StringVar(&out, "out", "site", "")
	f.BoolVar(&o.Force, "force", false, "")
	f.StringSliceVar(&o.Baselines, "baseline", nil, "")
	f.StringSliceVar(&o.Check.Texts.Prompts, "prompt", nil, "")
	o.Check.Texts.Setup = bench.DefaultSetup(sys.bench())
	setupFlags(f, &o.Check.Texts.Setup)
}
