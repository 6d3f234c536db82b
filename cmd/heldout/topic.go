package main

import (
	"embed"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"heldout/scoring/table"
)

// topics are pages about a subject, in Markdown that reads well as it is: 80
// columns, underlined headings, indented examples.
//
//go:embed topics/*.md
var topics embed.FS

// generated are the pages that declarations make: they cannot say less than there is.
var generated = map[string]func() string{"tables": tablesPage, "keys": keysPage}

func topicNames() []string {
	names := slices.Collect(maps.Keys(generated))
	entries, err := topics.ReadDir("topics")
	if err != nil {
		panic(err) // the folder is embedded
	}
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".md"))
	}
	slices.Sort(names)
	return names
}

func readTopic(name string) (page []byte, ok bool) {
	if write, ok := generated[name]; ok {
		return []byte(write()), true
	}
	page, err := topics.ReadFile(path.Join("topics", name+".md"))
	return page, err == nil
}

// topicList names the pages, in indented lines that fit the plain width.
func topicList() string {
	return "  " + strings.Join(table.Wrap(strings.Join(topicNames(), ", "), plainWidth-2), "\n  ")
}

func newHelp(sys *system) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND | TOPIC]",
		Short: "Print the help of a command or a page about a topic",
		Long: "help prints the help of a command, or a page about a topic. heldout help tables\nNAME explains one " +
			"table.\n\nTopics:\n" + topicList(),
		ValidArgsFunction: cobra.FixedCompletions(topicNames(), cobra.ShellCompDirectiveNoFileComp),
		RunE: func(c *cobra.Command, names []string) error {
			if len(names) == 1 {
				if page, ok := readTopic(names[0]); ok {
					_, err := sys.stdout.Write(page)
					return err
				}
			}
			if len(names) == 2 && names[0] == "tables" {
				page, err := tablePage(names[1])
				if err != nil {
					return usage(err)
				}
				_, err = io.WriteString(sys.stdout, page)
				return err
			}
			command, rest, err := c.Root().Find(names)
			if err != nil || len(rest) > 0 || command == c.Root() && len(names) > 0 {
				return unknownTopic(c.Root(), strings.Join(names, " "))
			}
			return command.Help()
		},
	}
}
