package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"heldout/configs"
	"heldout/envs/catalog"
	"heldout/envs/spelling"
	"heldout/eval/bench"
	"heldout/scoring/table"
)

// flagError says what is wrong with a flag, without words of libraries.
func flagError(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var value *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "":
		err = fmt.Errorf("unknown flag: --%s%s", unknown.GetSpecifiedName(), meantFlag(c, unknown.GetSpecifiedName()))
	case errors.As(err, &value):
		name := "--" + value.GetFlag().Name
		if isKey(c, value.GetFlag().Name) {
			name = "--set " + value.GetFlag().Name
		}
		if want := flagTables().Formats[value.GetFlag().Value.Type()]; want != "" {
			err = fmt.Errorf("%s is %q, want %s", name, value.GetValue(), want)
		} else {
			err = fmt.Errorf("%s: %w", name, value.Unwrap())
		}
	}
	return usage(fmt.Errorf("%w; see %s --help", err, c.CommandPath()))
}

// meantFlag says which flag a user may have meant.
func meantFlag(c *cobra.Command, name string) string {
	meant := flagTables().Others[name]
	flag, _, _ := strings.Cut(strings.TrimPrefix(meant, "--"), ",")
	run, _, err := c.Root().Find([]string{"run"})
	switch {
	case !c.HasParent() && err == nil && run.Flag(name) != nil:
		return fmt.Sprintf(": flags follow a command, as in heldout run --%s", name)
	case strings.HasPrefix(meant, "--") && c.Flag(flag) != nil:
		return fmt.Sprintf(" (did you mean %s?)", meant)
	case meant != "" && !strings.HasPrefix(meant, "--"):
		return ": " + meant
	}
	closest := spelling.Nearest("--"+strings.ToLower(name), flagNames(c))
	for i, flag := range closest {
		if key := strings.TrimPrefix(flag, "--"); isKey(c, key) {
			closest[i] = "--set " + key
		}
	}
	return spelling.Question(closest)
}

func flagNames(c *cobra.Command) (names []string) {
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
	return names
}

// unknownCommand names the commands that the user may have meant.
func unknownCommand(root *cobra.Command, name string) error {
	if like := root.SuggestionsFor(name); len(like) > 0 {
		return usage(fmt.Errorf("unknown command %q; did you mean %s?", name, strings.Join(like, " or ")))
	}
	return usage(fmt.Errorf("unknown command %q; heldout --help lists them, and heldout help %[1]s searches the pages",
		name))
}

func unknownTopic(root *cobra.Command, name string) error {
	return usage(fmt.Errorf("no page about %q%s; the pages are %s, and heldout --help lists the commands",
		name, nameLike(root, name), strings.Join(topicNames(), ", ")))
}

// nameLike says which page or command was meant by a name.
func nameLike(root *cobra.Command, name string) string {
	names := topicNames()
	for _, c := range root.Commands() {
		if !c.Hidden {
			names = append(names, c.Name())
		}
	}
	return spelling.Hint(name, names)
}

func unknownPart(c *cobra.Command, name string) error {
	names := table.Each(c.Commands(), (*cobra.Command).Name)
	if _, err := configs.LoadPreset(name); err == nil && c.Name() == "preset" {
		return usage(fmt.Errorf("%q stands alone: write heldout preset show %[1]s", name))
	}
	return usage(fmt.Errorf("unknown command %q%s; there are: %s", name, spelling.Hint(name, names),
		strings.Join(names, ", ")))
}

// flagsOnly is for commands without arguments. It says which flag a name may be for.
func flagsOnly(c *cobra.Command, words []string) error {
	if len(words) == 0 {
		return nil
	}
	flag := flagFor(words[0])
	if flag == "" {
		return usage(fmt.Errorf("%q is not a flag of %s, which takes nothing else; see %s --help", words[0],
			c.CommandPath(), c.CommandPath()))
	}
	list, isList := c.Flag(flag).Value.(pflag.SliceValue)
	if changed := c.Flag(flag).Changed; changed && isList && flag != "model" {
		names := append(slices.DeleteFunc(list.GetSlice(), func(name string) bool { return name == "" }), words...)
		return usage(fmt.Errorf("%q stands alone: a list has no blanks, so write --%s %s", words[0], flag,
			strings.Join(names, ",")))
	}
	return standsAlone(c, flag, words[0])
}

func standsAlone(c *cobra.Command, flag, word string) error {
	return usage(fmt.Errorf("%q stands alone: write %s --%s %s", word, c.CommandPath(), flag, word))
}

// flagFor is the flag of run that a word is for; empty if it is for none.
func flagFor(word string) string {
	if _, err := catalog.Find(word); err == nil {
		return "env"
	}
	if _, err := configs.LoadPreset(word); err == nil {
		return "preset"
	}
	switch {
	case strings.Contains(word, ":") || bench.IsBaseline(word):
		return "model"
	case slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(word)):
		return "config"
	}
	return ""
}
