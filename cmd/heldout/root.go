package main

import (
	_ "embed"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"heldout/configs"
)

// commandTexts are texts and examples of the commands.
//
//go:embed commands.txt
var commandTexts string

// explain gives a command, and those below it, what texts have under its name.
func explain(c *cobra.Command, texts string) {
	if _, text, found := strings.Cut(texts, "\n# "+c.CommandPath()+"\n"); found {
		text, _, _ = strings.Cut(text, "\n# ")
		about, example, _ := strings.Cut(text, "\nExamples:\n")
		c.Short, about, _ = strings.Cut(about, "\n")
		c.Long, c.Example = strings.Trim(about, "\n"), strings.Trim(example, "\n")
	}
	for _, below := range c.Commands() {
		explain(below, texts)
	}
}

func newRoot(sys *system) *cobra.Command {
	root := &cobra.Command{
		Use:           "heldout",
		SilenceUsage:  true,
		SilenceErrors: true,
		Version:       strings.TrimPrefix(versionLine(sys.tool), "heldout "),
		Args:          cobra.ArbitraryArgs,
	}
	root.RunE = func(c *cobra.Command, names []string) error {
		if len(names) > 0 {
			return unknownCommand(c, names[0])
		}
		return c.Help()
	}
	root.SetVersionTemplate("heldout {{.Version}}\n")
	root.SetIn(sys.stdin)
	root.SetOut(sys.stdout)
	root.SetErr(sys.display)
	root.SetFlagErrorFunc(flagError)
	root.SuggestionsMinimumDistance = 2
	root.SetHelpCommand(newHelp(sys))
	addGroup(root, "Play and measure:", newRun(sys), newSweep(sys), newCompare(sys), newPower(sys), newDoctor(sys),
		newPublished(sys))
	addGroup(root, "Look:", newView(sys), newRuns(sys), newEnvs(sys), newTasks(sys), newPlay(sys), newReplay(sys),
		newPresets(sys), newPreset(sys))
	addGroup(root, "Share:", newReport(sys), newPlot(sys), newExport(sys), newBundle(sys), newCheck(sys),
		newBoard(sys))
	addGroup(root, "Serve and train:", newServe(sys), newSynth(sys), newVerify(sys), newJudge(sys), newThink(sys))
	addGroup(root, "Maintain:", newData(sys), newWiki(sys), newWorker(sys), newMerge(sys), newRepair(sys),
		newVersion(sys))
	for _, newCommand := range packaging {
		root.AddCommand(newCommand(sys))
	}
	lists := strings.NewReplacer("{topics}", topicList(), "{figures}", figureList())
	explain(root, lists.Replace(commandTexts))
	root.SetUsageFunc(writeUsage)
	acceptFormer(root)
	addKeys(root)
	root.PersistentPreRunE = func(c *cobra.Command, _ []string) error { return usage(checkOut(c)) }
	return root
}

// packaging are commands that only the release has.
var packaging []func(*system) *cobra.Command

func args(minimum, maximum int, expected string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < minimum || maximum >= 0 && len(args) > maximum {
			return usage(errors.New("want " + expected + "; see " + c.CommandPath() + " --help"))
		}
		return nil
	}
}

// checkOut refuses to write to a store elsewhere.
func checkOut(c *cobra.Command) error {
	if out := c.Flag("out"); out != nil {
		return configs.CheckOut(out.Value.String())
	}
	return nil
}
