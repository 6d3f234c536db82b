package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"heldout/configs"
	"heldout/envs/official"
	"heldout/eval/show/inventory"
	"heldout/scoring/table"
)

// The mirror of Hugging Face, as its own tools read it.
const hfVariable = "HF_ENDPOINT"

// userData returns the folder of the user's official data, there or not; "" without one.
func userData(goos string, getenv func(string) string) string {
	var base string
	switch home := getenv("HOME"); {
	case filepath.IsAbs(getenv("XDG_DATA_HOME")):
		base = getenv("XDG_DATA_HOME")
	case goos == "windows":
		base = getenv("LOCALAPPDATA")
	case home == "":
	case goos == "darwin":
		base = filepath.Join(home, "Library", "Application Support")
	default:
		base = filepath.Join(home, ".local", "share")
	}
	if base == "" {
		return ""
	}
	return filepath.Join(base, "heldout")
}

// ownData returns the folder of the user's official data, "" if it is empty.
func ownData(sys *system) string {
	if dir := userData(sys.goos, sys.getenv); dir != "" && official.Holds(dir) {
		return dir
	}
	return ""
}

// pullFolder is the data folder that is filled if no other is named; "" without one.
func pullFolder(sys *system) string {
	return cmp.Or(sys.getenv(configs.DataVariable), userData(sys.goos, sys.getenv))
}

// dataOrigin says why a data folder applies that the user may not have named.
func dataOrigin(sys *system, dir string) string {
	if sys.getenv(configs.DataVariable) == dir || userData(sys.goos, sys.getenv) != dir {
		return ""
	}
	return ", the folder of heldout data pull; --data \"\" is for generated tasks"
}

func dataFlag(c *cobra.Command, sys *system, dir *string) {
	*dir = pullFolder(sys)
	c.Flags().StringVar(dir, "data", *dir, "")
}

var errNoFolder = usage(errors.New("this system has no data directory; name a folder with --data"))

func newDataPull(sys *system, c *cobra.Command) {
	var replacements []string
	var dryRun bool
	var o official.Options
	c.RunE = func(c *cobra.Command, names []string) (err error) {
		o.Environments = names
		if o.Sources, err = official.Replace(official.Sources(), replacements, sys.getenv(hfVariable)); err != nil {
			return usage(err)
		}
		plan, err := official.Plan(o)
		if err != nil {
			return usage(err)
		}
		if o.Dir == "" {
			return errNoFolder
		}
		if err := showPlan(sys, plan, o.Dir); err != nil || dryRun {
			return err
		}
		err = fetching(c.Context(), sys, &o, func() error { return official.Pull(c.Context(), o) })
		if err != nil {
			return err
		}
		return printCheck(sys, string(table.Text), o.Dir, o.Environments)
	}
	dataFlag(c, sys, &o.Dir)
	fetchFlags(c, &dryRun, &replacements)
	commaFlag(c.Flags(), &o.Extras, "with")
	c.Flags().BoolVar(&o.Accept, "accept-changed", false, "")
}

func fetchFlags(c *cobra.Command, dryRun *bool, replacements *[]string) {
	c.Flags().BoolVar(dryRun, "dry-run", false, "")
	c.Flags().StringArrayVar(replacements, "source", nil, "")
}

func showPlan(sys *system, plan []official.PublishedFile, dir string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Sources for %s:\n", dir)
	for _, s := range plan {
		size := "size unknown in advance"
		if s.Size > 0 {
			size = megabytes(s.Size)
		}
		fmt.Fprintf(&b, "\n%s (%s)\n  %s\n  licence: %s\n  %s\n", s.Name, size, s.For, s.Licence, s.Address())
	}
	_, err := fmt.Fprintln(sys.stdout, table.PrintableLines(b.String()))
	return err
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

// fetching completes options and fetches.
func fetching(ctx context.Context, sys *system, o *official.Options, fetch func() error) error {
	show := sys.sometimes()
	o.Proxy, o.UserAgent, o.Now = sys.proxy, sys.outside().Tool, sys.now
	o.Tell = func(p official.Progress) { show(func() string { return fetchLine(p) }) }
	o.Note = sys.display.note
	err := fetch()
	if ctx.Err() != nil {
		return errors.New("stopped; what was fetched is kept, and the same command continues")
	}
	return err
}

func newDataImport(sys *system, c *cobra.Command) {
	var o official.Options
	c.RunE = func(c *cobra.Command, paths []string) error {
		if o.Dir == "" {
			return errNoFolder
		}
		o.Now = sys.now
		found, err := official.Import(c.Context(), o, paths)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return fmt.Errorf("no official data in %s", strings.Join(paths, ", "))
		}
		var environments []string
		for _, p := range official.Parts() {
			if n := found[p.ID()]; n > 0 {
				fmt.Fprintf(sys.stdout, "%s: %s\n", p.ID(), table.Counted(n, "file"))
				environments = append(environments, p.Env)
			}
		}
		fmt.Fprintln(sys.stdout)
		return printCheck(sys, string(table.Text), o.Dir, environments)
	}
	dataFlag(c, sys, &o.Dir)
	c.Flags().BoolVar(&o.Accept, "accept-changed", false, "")
}

func newDataCheck(sys *system, c *cobra.Command) {
	var dir, format string
	c.RunE = func(_ *cobra.Command, names []string) error {
		if err := official.CheckEnvironments(names); err != nil {
			return usage(err)
		}
		if dir == "" {
			return errNoFolder
		}
		return printCheck(sys, format, dir, names)
	}
	dataFlag(c, sys, &dir)
	formatFlag(c, &format)
}

// printCheck prints the state of the data folder. What is needed and wrong is an error.
func printCheck(sys *system, format, dir string, environments []string) error {
	found, err := official.Check(dir, environments)
	if err != nil {
		return err
	}
	t, bad, err := inventory.Data(dir, found)
	if err != nil {
		return err
	}
	if err := render(sys, format, false, t); err != nil {
		return err
	}
	if len(bad) > 0 {
		return fmt.Errorf("the official data are not complete: %s; heldout data pull fetches what is missing",
			strings.Join(bad, ", "))
	}
	return nil
}

func fetchLine(p official.Progress) string {
	line := p.Source + "  " + megabytes(p.Bytes)
	if p.Total > 0 {
		line += fmt.Sprintf(" of %s  %.0f%%", megabytes(p.Total), 100*float64(p.Bytes)/float64(p.Total))
	}
	return line
}
