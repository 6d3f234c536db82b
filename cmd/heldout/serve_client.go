package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"heldout/eval/serve/clients"
)

func newServeClient(sys *system) *cobra.Command {
	return &cobra.Command{
		Use:   "client [NAME]",
		Short: "Print a Python file that brings a server into another framework",
		Long: `client prints one Python file, which drives a heldout server from another
framework. Its first lines say what it needs and how to use it. Without a name
it lists the files.`,
		Example: "  heldout serve client\n  heldout serve client inspect > heldout_inspect.py",
		Args:    args(0, 1, "at most one name"),
		ValidArgsFunction: func(*cobra.Command, []string, string) (names []string, _ cobra.ShellCompDirective) {
			for _, c := range clients.All() {
				names = append(names, c.Name+"\t"+c.Title())
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, names []string) error {
			if len(names) == 1 {
				c, err := clients.Find(names[0])
				if err != nil {
					return usage(err)
				}
				_, err = io.WriteString(sys.stdout, c.Source)
				return err
			}
			for _, c := range clients.All() {
				if _, err := fmt.Fprintf(sys.stdout, "%-10s %s\n", c.Name, c.Title()); err != nil {
					return err
				}
			}
			return nil
		},
	}
}
