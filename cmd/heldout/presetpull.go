package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"heldout/configs"
	"heldout/envs/official"
	"heldout/eval/bench"
	"heldout/eval/originals"
	"heldout/scoring/table"
)

func newPresetPull(sys *system, c *cobra.Command) {
	var replacements []string
	var dryRun bool
	var o official.Options
	c.RunE = func(c *cobra.Command, names []string) (err error) {
		list, err := checkouts(names)
		if err != nil {
			return usage(err)
		}
		plan, err := official.Replace(official.CheckoutSources(list), replacements, sys.getenv(hfVariable))
		if err != nil {
			return usage(err)
		}
		if o.Dir == "" {
			return errNoFolder
		}
		if len(list) == 0 {
			_, err := fmt.Fprintln(sys.stdout, "Nothing has to be fetched: these presets read no files of others.")
			return err
		}
		if err := showPlan(sys, plan, o.Dir); err != nil || dryRun {
			return err
		}
		o.Sources = plan
		return pullPresets(c.Context(), sys, o, list)
	}
	dataFlag(c, sys, &o.Dir)
	fetchFlags(c, &dryRun, &replacements)
}

// checkouts lists what has to be fetched for the presets with those names, or for all.
func checkouts(names []string) ([]official.Checkout, error) {
	if len(names) == 0 {
		names = configs.PresetNames()
	}
	presets, err := bench.FindPresets(names)
	if err != nil {
		return nil, err
	}
	return originals.Checkouts(presets)
}

func pullPresets(ctx context.Context, sys *system, o official.Options, list []official.Checkout) error {
	err := fetching(ctx, sys, &o, func() error { return official.PullCheckouts(ctx, o, list) })
	for _, c := range list {
		if !c.Complete(o.Dir) {
			continue
		}
		_, failed := fmt.Fprintf(sys.stdout, "%s: %s of %s at commit %.12s (licence: %s)\n  %s\n", c.Archive.Name,
			table.Counted(len(c.Files), "file"), c.Repository, c.Commit, table.Printable(c.Archive.Licence),
			table.Printable(filepath.Join(o.Dir, filepath.FromSlash(c.Folder))))
		err = errors.Join(err, failed)
	}
	return err
}
