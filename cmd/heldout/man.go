//go:build man

package main

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// The release builds the program once with the tag man. What people download need not link a writer of man pages.
func init() { packaging = append(packaging, newMan) }

// newMan returns the command that writes man pages, for packagers.
func newMan(sys *system) *cobra.Command {
	return &cobra.Command{
		Use:    "man DIR",
		Short:  "Write the man pages of all commands to a folder",
		Long:   "man writes a man page for each command. SOURCE_DATE_EPOCH sets their date.",
		Hidden: true,
		Args:   args([]int{1, 1}, "a folder"),
		RunE: func(c *cobra.Command, names []string) error {
			date, err := documentDate(sys)
			if err != nil {
				return usage(err)
			}
			if err := os.MkdirAll(names[0], 0o777); err != nil {
				return err
			}
			c.Root().DisableAutoGenTag = true
			return doc.GenManTree(c.Root(), &doc.GenManHeader{Section: "1", Source: "heldout " + sys.tool.Version,
				Manual: "heldout", Date: &date}, names[0])
		},
	}
}

func documentDate(sys *system) (time.Time, error) {
	text := sys.getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		return sys.now(), nil
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH is %q, want seconds since 1970", text)
	}
	return time.Unix(seconds, 0).UTC(), nil
}
