package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"heldout/configs"
	"heldout/eval"
)

// acceptFormer lets a command and those below it accept the earlier names of their flags, with a hint.
func acceptFormer(c *cobra.Command) {
	names, hinted := map[string]configs.Rename{}, map[string]bool{}
	for _, r := range configs.Renames() {
		f := c.Flags()
		if f.Lookup(r.New) != nil && f.Lookup(r.Old) == nil && (r.Command == "" || r.Command == c.Name()) {
			names[r.Old] = r
		}
	}
	if len(names) > 0 {
		c.Flags().SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
			r, old := names[name]
			if !old {
				return pflag.NormalizedName(name)
			}
			if !hinted[name] {
				c.PrintErrln(r.Hint("--"))
			}
			hinted[name] = true
			return pflag.NormalizedName(r.New)
		})
	}
	for _, child := range c.Commands() {
		acceptFormer(child)
	}
}

// seedList is a choice of seeds as run takes it. Its earlier flag took a number for that seed and not for how many.
type seedList struct {
	list   *[]string
	former *cobra.Command
}

// String implements pflag.Value.
func (s seedList) String() string {
	if s.list == nil {
		return ""
	}
	return strings.Join(*s.list, ",")
}

// Set implements pflag.Value.
func (s seedList) Set(text string) error {
	text = strings.ReplaceAll(text, " ", "")
	n, notNumber := strconv.Atoi(text)
	if s.former != nil {
		s.former.PrintErrln(configs.Rename{Old: "seed", New: "seeds"}.Hint("--"))
		if notNumber == nil {
			text = fmt.Sprintf("%d-%[1]d", n)
		}
	}
	if _, err := eval.ParseSeeds(text); err != nil {
		return err
	}
	if s.former == nil && notNumber == nil {
		text = fmt.Sprintf("0-%d", n-1)
	}
	*s.list = append(*s.list, strings.Split(text, ",")...)
	return nil
}

// Type implements pflag.Value.
func (s seedList) Type() string { return "seeds" }
