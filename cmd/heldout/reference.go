package main

import (
	_ "embed" // for a text
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/catalog"
	"heldout/envs/spelling"
	"heldout/scoring/report"
	"heldout/scoring/table"
)

// The beginnings of the pages of keys and of tables.
//
//go:embed keys.txt
var keysText string

//go:embed tables.txt
var tablesText string

// tablesPage explains all tables, column by column, from the list that makes them.
func tablesPage() string {
	var b strings.Builder
	b.WriteString(underlined("Tables", '='))
	b.WriteString(tablesText)
	for _, k := range report.Kinds() {
		if k.Of == "" {
			b.WriteString("\n" + explained(k))
			for _, view := range report.Views(k.ID) {
				b.WriteString("\n" + explained(view))
			}
		}
	}
	return b.String()
}

func tablePage(id string) (string, error) {
	k, ok := report.Find(id)
	if !ok {
		return "", fmt.Errorf("unknown table %q%s; there are %s", id, spelling.Hint(id, report.IDs()),
			report.Names())
	}
	return explained(k), nil
}

func explained(k report.Kind) string {
	var b strings.Builder
	b.WriteString(underlined(k.ID+": "+k.Title, '-'))
	var remarks []string
	switch {
	case k.First:
		remarks = append(remarks, "First: printed without --table")
	case k.Request:
		remarks = append(remarks, "Only by name: heldout compare RUN --table "+k.ID)
	}
	if k.Of != "" {
		remarks = append(remarks, "A view of "+k.Of)
	}
	if k.Only != "" {
		remarks = append(remarks, "Only for "+string(k.Only))
	}
	if len(remarks) > 0 {
		b.WriteString("\n" + hanging(strings.Join(remarks, ". ")+".", 0) + "\n")
	}
	b.WriteString("\n")
	for _, c := range shownColumns(k.Columns()) {
		name := c.Key
		if c.Header != "" && !strings.EqualFold(c.Header, c.Key) {
			name += " (" + c.Header + ")"
		}
		b.WriteString(bullet(name + ": " + c.About))
	}
	if k.Extra != "" {
		b.WriteString(bullet("besides: " + k.Extra))
	}
	return b.String()
}

// shownColumns are columns with the limits of an interval as one.
func shownColumns(columns []table.Column) (out []table.Column) {
	for _, c := range columns {
		if last := len(out) - 1; c.Upper && last >= 0 {
			out[last].Key += ", " + c.Key
			out[last].Header, out[last].About = "", strings.Replace(out[last].About, "lower limit", "limits", 1)
			continue
		}
		out = append(out, c)
	}
	return out
}

func underlined(title string, mark rune) string {
	lines := table.Wrap(title, plainWidth)
	longest := 0
	for _, line := range lines {
		longest = max(longest, len([]rune(line)))
	}
	return strings.Join(lines, "\n") + "\n" + strings.Repeat(string(mark), longest) + "\n"
}

// bullet is a text as an item of a list.
func bullet(text string) string { return "- " + hanging(text, 2) + "\n" }

// keysPage explains the keys of configuration files, from the declared options.
func keysPage() string {
	var b strings.Builder
	b.WriteString(underlined("Keys of --set and of configuration files", '='))
	b.WriteString(keysText)
	defaults := configs.DefaultRun()
	c := &cobra.Command{}
	sweepFlags(c.Flags(), &defaults)
	new(output).flags(c)
	grouped(c.Flags(), queueGroup, func() { new(queueFlags).leaderFlags(c.Flags()) })
	explainFlags(c.Flags(), nil, slots())
	for _, s := range sections(c) {
		b.WriteString("\n" + underlined(s.title, '-') + "\n")
		s.flags.VisitAll(func(f *pflag.Flag) { b.WriteString(bullet(key(f))) })
	}
	explained := namesOf(c.Flags(), func(name string) bool { return flagTables().Only[name] == "" })
	for _, c := range newRoot(&system{getenv: func(string) string { return "" }}).Commands() {
		explained = append(explained, writeOwnKeys(&b, c, explained)...)
	}
	for _, e := range catalog.All() {
		if len(e.Settings) == 0 {
			continue
		}
		b.WriteString("\n" + underlined("Settings of "+e.Name, '-') + "\n")
		for _, s := range e.Settings {
			b.WriteString(bullet(settingKey(s)))
		}
	}
	return b.String()
}

// writeOwnKeys explains the keys of a command that were not explained before, and returns them.
func writeOwnKeys(b *strings.Builder, c *cobra.Command, explained []string) []string {
	names := slices.DeleteFunc(rareKeys(c), func(name string) bool { return slices.Contains(explained, name) })
	if len(names) > 0 {
		b.WriteString("\n" + underlined("Keys of heldout "+c.Name(), '-') + "\n")
	}
	for _, name := range names {
		b.WriteString(bullet(key(c.Flags().Lookup(name))))
	}
	return names
}

// key explains a key: its default, and what it says.
func key(f *pflag.Flag) string {
	o, _ := configs.FindOption(f.Name)
	text := f.Name + ": " + f.Usage
	if len(o.Values) > 0 && o.Names != configs.Files {
		text += "; values: " + strings.Join(o.Values, ", ")
	}
	switch f.DefValue {
	case "", "[]", "false", "0", "0s", "{}":
		return text
	}
	return text + " (default " + f.DefValue + ")"
}

func settingKey(s envs.Setting) string {
	text := s.Name + ": " + s.Help
	if len(s.Values) > 0 {
		text += "; values: " + strings.Join(s.Values, ", ")
	}
	return text
}
