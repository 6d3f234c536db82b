package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"heldout/envs/hotpotqa/wiki/index"
	"heldout/scoring/table"
)

func newWikiBuild(sys *system, c *cobra.Command) {
	var dir string
	var quiet bool
	c.RunE = func(c *cobra.Command, files []string) error {
		var last index.Progress
		started, show := sys.now(), sys.sometimes()
		line := func() string { return buildLine(last, sys.now().Sub(started)) }
		about, err := index.Build(c.Context(), dir, files, func(p index.Progress) {
			if last = p; !quiet {
				show(line)
			}
		})
		if !quiet && last.Total > 0 {
			sys.display.note(line())
		}
		if c.Context().Err() != nil {
			return fmt.Errorf("stopped; what is finished is kept in %s, and the same command continues", dir)
		}
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(sys.stdout, "%s: %s, hash %s\n", dir, table.Counted(about.Articles, "article"),
			about.Hash)
		return err
	}
	c.Flags().StringVar(&dir, "out", "", "")
	c.Flags().BoolVar(&quiet, "quiet", false, "")
	if err := c.MarkFlagRequired("out"); err != nil {
		panic(err) // the flag is there
	}
}

func buildLine(p index.Progress, took time.Duration) string {
	rate := 0.0
	if seconds := took.Seconds(); seconds > 0 {
		rate = float64(p.Articles-p.Skipped) / seconds
	}
	return fmt.Sprintf("%d articles  %.1f%% of the files read  %.0f articles/s",
		p.Articles, 100*float64(p.Bytes)/float64(max(1, p.Total)), rate)
}
