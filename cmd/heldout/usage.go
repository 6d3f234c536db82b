package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"heldout/configs"
	"heldout/scoring/table"
)

// The annotations of flags: the title of their group, and whether everybody needs them.
const (
	flagGroup = "heldout_group"
	flagFirst = "heldout_first"
)

// The groups of flags that are not options of a run.
const (
	tableFlags      = "Tables"
	queueGroup      = "Queue"
	checkpointGroup = "Checkpoints"
	filterGroup     = "What is read"
	ownFlags        = "This command"
)

func grouped(f *pflag.FlagSet, title string, add func()) {
	existing := map[string]bool{}
	f.VisitAll(func(flag *pflag.Flag) { existing[flag.Name] = true })
	add()
	f.VisitAll(func(flag *pflag.Flag) {
		if !existing[flag.Name] && groupOf(flag) == ownFlags {
			annotate(flag, flagGroup, title)
		}
	})
}

func annotate(f *pflag.Flag, key, value string) {
	if f.Annotations == nil {
		f.Annotations = map[string][]string{}
	}
	f.Annotations[key] = []string{value}
}

func groupOf(f *pflag.Flag) string {
	return cmp.Or(strings.Join(f.Annotations[flagGroup], ""), ownFlags)
}

// helpAll is the flag that asks for the help on all flags.
const helpAll = "help-all"

type section struct {
	title string
	flags *pflag.FlagSet
}

// sections divides the flags of a command, without hidden ones, into groups in the order
// of the options; flags without a group come last.
func sections(c *cobra.Command) (out []section) {
	var titles, names []string
	for _, o := range configs.Options() {
		titles, names = append(titles, o.Group.Title()), append(names, o.Name)
	}
	titles = append(titles, filterGroup, tableFlags, checkpointGroup, queueGroup, ownFlags)
	var flags []*pflag.Flag
	c.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			flags = append(flags, f)
		}
	})
	slices.SortStableFunc(flags, func(a, b *pflag.Flag) int {
		return cmp.Or(slices.Index(titles, groupOf(a))-slices.Index(titles, groupOf(b)),
			slices.Index(names, a.Name)-slices.Index(names, b.Name))
	})
	for _, f := range flags {
		if len(out) == 0 || out[len(out)-1].title != groupOf(f) {
			set := pflag.NewFlagSet("", pflag.ContinueOnError)
			set.SortFlags = false
			out = append(out, section{groupOf(f), set})
		}
		out[len(out)-1].flags.AddFlag(f)
	}
	return out
}

// writeUsage writes the usage of a command: its groups of commands, and its flags in groups. If the command has
// --help-all, only the flags that everybody needs are explained without it.
func writeUsage(c *cobra.Command) error {
	w := c.OutOrStderr()
	var b strings.Builder
	b.WriteString("Usage:\n")
	if c.Runnable() {
		fmt.Fprintf(&b, "  %s\n", c.UseLine())
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "  %s [command]\n", c.CommandPath())
	}
	if c.HasExample() {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", c.Example)
	}
	writeCommands(&b, c)
	long := c.Flags().Lookup(helpAll)
	switch groups := sections(c); {
	case long != nil && !long.Changed:
		writeShort(&b, groups)
	case len(groups) == 1:
		fmt.Fprintf(&b, "\nFlags:\n%s", groups[0].flags.FlagUsagesWrapped(plainWidth))
	default:
		for _, s := range groups {
			fmt.Fprintf(&b, "\n%s:\n%s", s.title, s.flags.FlagUsagesWrapped(plainWidth))
		}
	}
	if keys := rareKeys(c); len(keys) > 0 {
		fmt.Fprintf(&b, "\nKeys, which --%s KEY=VALUE sets and heldout help keys explains:\n  %s\n", setFlagName,
			hanging(strings.Join(keys, " "), 2))
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\n%s COMMAND --help says more about a command.\n", c.CommandPath())
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func writeCommands(b *strings.Builder, c *cobra.Command) {
	if !c.HasAvailableSubCommands() {
		return
	}
	groups := c.Groups()
	if !c.AllChildCommandsHaveGroup() {
		rest := map[bool]string{true: "More:", false: "Commands:"}[len(groups) > 0]
		groups = append(slices.Clone(groups), &cobra.Group{Title: rest})
	}
	for _, group := range groups {
		fmt.Fprintf(b, "\n%s\n", group.Title)
		for _, sub := range c.Commands() {
			if sub.GroupID == group.ID && (sub.IsAvailableCommand() || sub.Name() == "help") {
				fmt.Fprintf(b, "  %-*s %s\n", sub.NamePadding(), sub.Name(), sub.Short)
			}
		}
	}
}

// The widths of the short help: of the names of flags and of the titles of groups.
const (
	flagWidth  = 17
	titleWidth = 17
)

// writeShort says what the flags are that everybody needs, and names the others.
func writeShort(b *strings.Builder, groups []section) {
	var lines []string
	b.WriteString("\nFlags to begin with:\n")
	for _, s := range groups {
		var names []string
		s.flags.VisitAll(func(f *pflag.Flag) {
			switch brief, _, _ := strings.Cut(f.Usage, "; "); {
			case f.Annotations[flagFirst] != nil:
				fmt.Fprintf(b, "  --%-*s%s\n", flagWidth-4, f.Name, hanging(brief, flagWidth))
			case f.Name != "help":
				names = append(names, "--"+f.Name)
			}
		})
		if len(names) > 0 {
			lines = append(lines, fmt.Sprintf("  %-*s%s", titleWidth-2, s.title,
				hanging(strings.Join(names, " "), titleWidth)))
		}
	}
	fmt.Fprintf(b, "\nMore flags, which --%s explains:\n%s\n", helpAll, strings.Join(lines, "\n"))
}

// hanging breaks a text into lines that begin in a column.
func hanging(text string, column int) string {
	return strings.Join(table.Wrap(text, plainWidth-column), "\n"+strings.Repeat(" ", column))
}
