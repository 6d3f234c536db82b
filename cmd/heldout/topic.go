package main

import (
	"cmp"
	"embed"
	"errors"
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
func generated() map[string]func() string {
	return map[string]func() string{"tables": tablesPage, "keys": keysPage}
}

func topicNames() []string {
	names := slices.Collect(maps.Keys(generated()))
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
	if write, ok := generated()[name]; ok {
		return []byte(write()), true
	}
	page, err := topics.ReadFile(path.Join("topics", cmp.Or(readWords().Moved[name], name)+".md"))
	return page, err == nil
}

// topicList names the pages, in indented lines that fit the plain width.
func topicList() string {
	return "  " + strings.Join(table.Wrap(strings.Join(topicNames(), ", "), plainWidth-2), "\n  ")
}

func newHelp(sys *system) *cobra.Command {
	return &cobra.Command{
		Use:                "help [COMMAND | TOPIC | WORDS]",
		Short:              "Print the help of a command, a page, or what fits a question",
		ValidArgsFunction:  cobra.FixedCompletions(topicNames(), cobra.ShellCompDirectiveNoFileComp),
		DisableFlagParsing: true, // words may be flags, as in pasted errors
		RunE: func(c *cobra.Command, names []string) error {
			page, ok, err := namedPage(names)
			if ok || err != nil {
				_, writing := io.WriteString(sys.stdout, sys.page(page))
				return errors.Join(err, writing)
			}
			command, rest, err := c.Root().Find(names)
			if err != nil || len(rest) > 0 || command == c.Root() && len(names) > 0 {
				return lookUp(sys.stdout, c.Root(), strings.Join(names, " "))
			}
			return command.Help()
		},
	}
}

// namedPage returns the page that the words name: the page of a topic or of a table, or a section or a table by its
// title.
func namedPage(names []string) (page []byte, ok bool, err error) {
	if len(names) == 2 && names[0] == "tables" {
		text, err := tablePage(names[1])
		return []byte(text), err == nil, usage(err)
	}
	text := strings.Join(names, " ")
	if title, isTable := strings.CutPrefix(text, "table "); isTable {
		if id, _, prefixed := strings.Cut(title, ": "); prefixed {
			return namedPage([]string{"tables", id})
		}
	}
	if page, ok = readTopic(text); ok {
		return page, true, nil
	}
	name, heading, _ := strings.Cut(text, ": ")
	topic, _ := readTopic(name)
	for _, s := range dividePage(string(topic)) {
		if strings.EqualFold(s.heading, heading) {
			return []byte(underlined(s.heading, '-') + strings.TrimRight(s.text, "\n") + "\n"), true, nil
		}
	}
	return nil, false, nil
}
