package main

import (
	"runtime"

	"github.com/spf13/cobra"

	"heldout/eval/share/board"
	"heldout/scoring/table"
)

func newBoard(sys *system, c *cobra.Command) {
	var o board.Options
	out := "site"
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
	addFlags(c.Flags(), map[string]any{"out": &out, "force": &o.Force, "baseline": &o.Baselines,
		"prompt": &o.Check.Texts.Prompts})
	taskSource(c, sys, &o.Check.Texts.Setup)
}
