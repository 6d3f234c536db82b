package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"heldout/envs"
	"heldout/eval/replay"
	"heldout/scoring/table"
)

func newReplay(sys *system, c *cobra.Command) {
	var setup envs.Setup
	c.RunE = func(c *cobra.Command, files []string) error {
		r := replay.New(setup, sys.outside())
		for _, file := range files {
			if err := r.Path(c.Context(), file); err != nil {
				return err
			}
		}
		return printReplay(sys, r)
	}
	taskSource(c, sys, &setup)
	c.Flags().StringVar(&setup.External, "env", "", "")
}

func printReplay(sys *system, r *replay.Replayer) error {
	t := table.Table{ID: "replay", Title: "Replay", Columns: []table.Column{
		{Key: "environment", Header: "Environment", Words: true},
		{Key: "episodes", Header: "Episodes"}, {Key: "steps", Header: "Steps"},
		{Key: "mismatches", Header: "Mismatches"},
	}}
	for _, c := range r.Counts {
		t.Rows = append(t.Rows, []table.Cell{table.String(c.Env), table.Int(c.Episodes), table.Int(c.Steps),
			table.Int(c.Mismatches)})
	}
	if err := render(sys, string(table.Text), false, t); err != nil {
		return err
	}
	if r.Passed > 0 {
		sys.say("%s replayed", table.Counted(r.Passed, "episode belongs to a preset or later trial and was not",
			"episodes belong to presets or later trials and were not"))
	}
	if r.First == nil {
		return nil
	}
	m := r.First
	text := fmt.Sprintf("\nfirst difference: %s, task %s, run %s, step %d, action %q: %s\nrecorded: %q\nours:     %q\n",
		table.Printable(r.Location), table.Printable(m.Task.ID), table.Printable(m.Source), m.Step, m.Action, m.Field,
		m.Want, m.Got)
	fmt.Fprint(sys.stdout, brokenLines(text, sys.columns, true))
	return errors.New("the replay differs from the records")
}
