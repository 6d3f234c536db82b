package main

import (
	_ "embed" // for tables
	"fmt"
	"slices"
	"strings"

	"heldout/envs/datafile"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// setFlagName is the flag that sets keys.
const setFlagName = "set"

//go:embed flags.yaml
var flagsText []byte

// flagTables is what flags.yaml says of the names, values and meanings of flags.
var flagTables = datafile.Embedded[struct {
	Keys, Played                 []string
	Only, Others, Formats, Texts map[string]string
}](flagsText)

func isKey(c *cobra.Command, name string) bool {
	plays := c.Name() == "run" || c.Name() == "sweep"
	return slices.Contains(flagTables().Keys, name) || plays && slices.Contains(flagTables().Played, name)
}

// addKeys gives a command, and each below it, the flag that sets its keys. For one version the former flags
// of these names work with a hint.
func addKeys(c *cobra.Command) {
	for _, child := range c.Commands() {
		addKeys(child)
	}
	keys := rareKeys(c)
	if len(keys) == 0 || c.RunE == nil {
		return
	}
	for _, name := range keys {
		c.Flags().Lookup(name).Hidden = true
	}
	var settings []string
	c.Flags().StringArrayVar(&settings, setFlagName, nil,
		"set a key: KEY=VALUE, once more for each value of a list; heldout help keys explains all keys")
	run := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		hintFormer(c)
		if err := setKeys(c, settings); err != nil {
			return err
		}
		return run(c, args)
	}
}

// rareKeys are the keys of a command that are not flags.
func rareKeys(c *cobra.Command) []string {
	return namesOf(c.Flags(), func(name string) bool { return isKey(c, name) })
}

// namesOf are the names of the flags that are taken.
func namesOf(flags *pflag.FlagSet, accept func(name string) bool) (names []string) {
	flags.VisitAll(func(f *pflag.Flag) {
		if accept(f.Name) {
			names = append(names, f.Name)
		}
	})
	return names
}

// hintFormer says how keys that were given as flags are given now.
func hintFormer(c *cobra.Command) {
	var names, now []string
	c.Flags().Visit(func(f *pflag.Flag) {
		if isKey(c, f.Name) {
			names, now = append(names, "--"+f.Name), append(now, fmt.Sprintf("--set %s=…", f.Name))
		}
	})
	if len(names) > 0 {
		c.PrintErrf("%s: keys are given as %s now; the next version forgets the flags\n", strings.Join(names, ", "),
			strings.Join(now, " "))
	}
}

// setKeys sets what --set says.
func setKeys(c *cobra.Command, settings []string) error {
	for _, text := range settings {
		name, value, assigned := strings.Cut(text, "=")
		f := c.Flags().Lookup(name)
		if f == nil || flagTables().Only[name] != "" {
			return usage(fmt.Errorf("unknown key: --set %s%s; see %s --help", name,
				meantFlag(c, name), c.CommandPath()))
		}
		if !assigned {
			if value = f.NoOptDefVal; value == "" {
				return usage(fmt.Errorf("--set %s: want %[1]s=VALUE", name))
			}
		}
		if err := c.Flags().Set(name, value); err != nil {
			return flagError(c, err)
		}
	}
	return nil
}
