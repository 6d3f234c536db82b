package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/catalog"
	"heldout/eval/episode"
	"heldout/eval/training/judge"
	"heldout/scoring/claim"
	"heldout/scoring/figure"
	"heldout/scoring/report"
	"heldout/scoring/table"
)

type completer = cobra.CompletionFunc

// completeFlags says what may follow the flags of c and of all commands below it,
// by the flags' names: one name means the same everywhere. Only a shell that completes
// needs it, and cobra keeps what it is told, with the whole command line.
func completeFlags(c *cobra.Command, values map[string]completer) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if complete, ok := values[f.Name]; ok {
			_ = c.RegisterFlagCompletionFunc(f.Name, complete) // unless it has one of its own
		}
	})
	for _, sub := range c.Commands() {
		completeFlags(sub, values)
	}
}

// flagValues are the values of flags by name: of options, and of this program's own.
func flagValues() map[string]completer {
	values := map[string]completer{
		"preset":       listed(presetParts, listOf),
		"env":          listOf(environmentNames()...),
		"model":        completeModel,
		"no-ind-model": completeModel,
		"perturb":      listed(configs.PerturbArguments, orFile),
		"baseline":     orFile(append(configs.PublishedNames(), report.PresetResults)...),
		"sample":       oneOf(string(judge.Balanced), string(judge.Natural)),
		"error-signal": oneOf("any", "parameter"),
		"interval":     oneOf(report.Intervals()...),
		"rate":         oneOf(string(claim.Success), string(claim.Progress), string(claim.Grounding)),
		"latex":        oneOf(latexLines, latexCompact),
		"format":       oneOf(strings.Fields(formats())...),
		"table":        listOf(append(report.IDs(), report.AllTables, report.EveryTable)...),
		"figure":       oneOf(figure.Names()...),
		"config":       cobra.FixedCompletions([]string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt),
	}
	for _, o := range configs.Options() {
		switch {
		case values[o.Name] != nil:
		case o.Names == configs.Folders:
			values[o.Name] = folders
		case o.Names == configs.Files:
			values[o.Name] = orFile(o.Values...)
		case o.Values != nil:
			values[o.Name] = oneOf(o.Values...)
		}
	}
	settings := map[string][]string{} // the values in all environments
	for _, e := range catalog.All() {
		for _, s := range e.Settings {
			switch s.Type {
			case envs.Path: // files
			case envs.Switch:
				settings[s.Name] = append(settings[s.Name], "true", "false")
			default:
				settings[s.Name] = append(settings[s.Name], s.Values...)
			}
			if list := settings[s.Name]; list != nil {
				values[s.Name] = oneOf(list...)
			}
		}
	}
	return values
}

// argumentValues are the values of arguments, by the names that commands.yaml has for them.
var argumentValues = map[string]completer{
	"folders":      folders,
	"files":        orFile(),
	"environments": completeEnvironment,
	"presets":      listed(presetParts, orFile),
}

func folders(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

func oneOf(values ...string) completer {
	return cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
}

// listOf completes the last of several values that are separated by commas.
func listOf(values ...string) completer {
	return func(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		prefix := typed[:strings.LastIndex(typed, ",")+1]
		return table.Each(values, func(v string) cobra.Completion { return prefix + v }),
			cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
}

// listed completes what list returns. That takes time, so only a shell that completes waits.
func listed(list func() ([]string, error), build func(...string) completer) completer {
	return func(c *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		names, err := list()
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		return build(names...)(c, args, typed)
	}
}

func orFile(names ...string) completer {
	return cobra.FixedCompletions(names, cobra.ShellCompDirectiveDefault)
}

// completeModel completes players without a server, and the providers of the others.
func completeModel(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return append(episode.Baselines(), "vllm:", "openai:", "ollama:"),
		cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

func completeEnvironment(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return environmentNames(), cobra.ShellCompDirectiveNoFileComp
}

func environmentNames() []string {
	return table.Each(catalog.Entries(), func(e catalog.Entry) string { return e.Name })
}
