package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"heldout/envs"
	"heldout/envs/catalog"
	"heldout/eval/bench"
	"heldout/eval/show/inventory"
)

// taskSource adds the flags that set up environments, for commands without other settings.
func taskSource(c *cobra.Command, sys *system, s *envs.Setup) {
	*s = bench.DefaultSetup(sys.bench())
	setupFlags(c.Flags(), s)
}

func newEnvs(sys *system, c *cobra.Command) {
	var o envs.Setup
	var format string
	c.RunE = func(_ *cobra.Command, names []string) error {
		if err := bench.CheckData(o.Data); err != nil {
			return usage(err)
		}
		if len(names) == 0 {
			return render(sys, format, false, inventory.Environments(o, sys.outside(), dataOrigin(sys, o.Data)))
		}
		e, err := catalog.Find(names[0])
		if err != nil {
			return usage(err)
		}
		families, err := inventory.Families(e.Name, plainWidth)
		if err != nil {
			return err
		}
		_, err = sys.stdout.Write([]byte(describeSettings(e) + families))
		return err
	}
	taskSource(c, sys, &o)
	formatFlag(c, &format)
}

func describeSettings(e catalog.Entry) string {
	var b strings.Builder
	name, _, _ := strings.Cut(e.Name, ":") // the settings apply to all addresses
	fmt.Fprintf(&b, "%s: %s\n\n", name, e.Summary)
	f := pflag.NewFlagSet(name, pflag.ContinueOnError)
	f.SortFlags = false
	for _, s := range e.Settings {
		f.Var(&settingValue{setting: s}, s.Name, settingHelp(s))
	}
	var notes []string
	if len(e.Settings) > 0 {
		fmt.Fprintf(&b, "Settings:\n%s\n", f.FlagUsagesWrapped(plainWidth))
		notes = []string{"A setting with * changes what is measured, so it is part of the condition of\nevery episode."}
	}
	if len(e.Folders) > 0 {
		notes = append(notes, "--data and --generator-seed are for all environments.")
	}
	if len(notes) > 0 {
		b.WriteString(strings.Join(notes, " ") + "\n")
	}
	return b.String()
}

func settingHelp(s envs.Setting) string {
	help := s.Help
	if s.Measured {
		help = "* " + help
	}
	standard := s.Default
	if s.Type == envs.Choice {
		help += ": " + strings.Join(s.Values, ", ")
		standard = s.Values[0]
	}
	return help + "; the default is " + standard
}
