package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"heldout/eval"
)

// renamed are flags that have another name since the version before, in all commands or in one.
var renamed = []struct{ old, now, command string }{
	{old: "name", now: "names"},
	{old: "max-steps", now: "step-limit"},
	{old: "task", now: "tasks"},
	{old: "seed", now: "generator-seed", command: "play"},
}

// acceptFormer lets a command and those below it accept the earlier names of their flags, with a hint.
func acceptFormer(c *cobra.Command) {
	names, told := map[string]string{}, map[string]bool{}
	for _, r := range renamed {
		f := c.Flags()
		if f.Lookup(r.now) != nil && f.Lookup(r.old) == nil && (r.command == "" || r.command == c.Name()) {
			names[r.old] = r.now
		}
	}
	if len(names) > 0 {
		c.Flags().SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
			now, old := names[name]
			if !old {
				return pflag.NormalizedName(name)
			}
			if !told[name] {
				former(c, name, now)
			}
			told[name] = true
			return pflag.NormalizedName(now)
		})
	}
	for _, below := range c.Commands() {
		acceptFormer(below)
	}
}

func former(c *cobra.Command, old, now string) {
	c.PrintErrf("--%s is called --%s now; the next version forgets --%[1]s\n", old, now)
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
		former(s.former, "seed", "seeds")
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
