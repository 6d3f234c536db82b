package main

import (
	"embed"
	"path"
	"strings"

	"github.com/spf13/cobra"
)

// topics are pages about a subject, in Markdown that reads well as it is: 80
// columns, underlined headings, indented examples.
//
//go:embed topics/*.md
var topics embed.FS

// topicNames lists the pages, sorted.
func topicNames() (names []string) {
	entries, err := topics.ReadDir("topics")
	if err != nil {
		panic(err) // the folder is embedded
	}
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".md"))
	}
	return names
}

// topicList names the pages, in indented lines that fit the plain width.
func topicList() string {
	return "  " + strings.Join(wrap([]string{strings.Join(topicNames(), ", ")}, plainWidth-2), "\n  ")
}

// newHelp returns the command that prints a page, or the help of a command.
func newHelp(sys *system) *cobra.Command {
	return &cobra.Command{
		Use:               "help [COMMAND | TOPIC]",
		Short:             "Print the help of a command or a page about a topic",
		Long:              "help prints the help of a command, or a page about a topic.\n\nTopics:\n" + topicList(),
		ValidArgsFunction: cobra.FixedCompletions(topicNames(), cobra.ShellCompDirectiveNoFileComp),
		RunE: func(c *cobra.Command, names []string) error {
			if len(names) == 1 {
				if page, err := topics.ReadFile(path.Join("topics", names[0]+".md")); err == nil {
					_, err = sys.stdout.Write(page)
					return err
				}
			}
			of, rest, err := c.Root().Find(names)
			if err != nil || len(rest) > 0 || of == c.Root() && len(names) > 0 {
				return unknownTopic(c.Root(), strings.Join(names, " "))
			}
			return of.Help()
		},
	}
}
