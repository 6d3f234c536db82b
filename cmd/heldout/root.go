package main

import (
	_ "embed"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"heldout/configs"
	"heldout/envs/datafile"
	"heldout/envs/official"
	"heldout/scoring/report"
)

//go:embed commands.yaml
var commandsText []byte

var commandTable = datafile.Embedded[commandRow](commandsText)

// commandRow is what commands.yaml says of a command.
type commandRow struct {
	Use, Group, Short, Long, Examples string
	// Arguments are the least number of arguments and the largest, if there is one; Want says what they are.
	Arguments []int
	Want      string
	Completes string            // one of argumentValues
	Flags     map[string]string // what only this command says of flags
	Commands  []commandRow
}

// command is the command of a row, of which lists replace the slots.
func (r commandRow) command(lists *strings.Replacer) *cobra.Command {
	c := &cobra.Command{Use: r.Use, GroupID: r.Group, Short: r.Short, ValidArgsFunction: argumentValues[r.Completes],
		Long: strings.Trim(lists.Replace(r.Long), "\n"), Example: strings.TrimRight(r.Examples, "\n")}
	if r.Arguments != nil {
		c.Args = args(r.Arguments, r.Want)
	}
	return c
}

// newCommands complete the commands of the table, by their paths.
func newCommands() map[string]func(*system, *cobra.Command) {
	return map[string]func(*system, *cobra.Command){
		"run": newRun, "sweep": newSweep, "compare": newCompare, "power": newPower, "doctor": newDoctor,
		"published": newPublished, "view": newView, "runs": newRuns, "envs": newEnvs, "tasks": newTasks,
		"play": newPlay, "replay": newReplay, "presets": newPresets, "preset": newParent,
		"preset show": newPresetShow, "preset diff": newPresetDiff, "preset prompt": newPresetPrompt,
		"preset pull": newPresetPull, "report": newReport, "plot": newPlot, "export": newExport,
		"bundle": newBundle, "check": newCheck, "board": newBoard, "serve": newServe, "synth": newSynth,
		"verify": newVerify, "judge": newJudge, "judge sheet": newSheet, "think": newThink, "data": newParent,
		"data pull": newDataPull, "data import": newDataImport, "data check": newDataCheck, "wiki": newParent,
		"wiki build": newWikiBuild, "worker": newWorker, "merge": newMerge, "repair": newRepair,
		"version": newVersion,
	}
}

// addCommands adds the commands below a row to their parent.
func addCommands(sys *system, parent *cobra.Command, row commandRow, lists *strings.Replacer) {
	for _, child := range row.Commands {
		c := child.command(lists)
		if c.GroupID != "" && !parent.ContainsGroup(c.GroupID) {
			parent.AddGroup(&cobra.Group{ID: c.GroupID, Title: c.GroupID})
		}
		parent.AddCommand(c)
		newCommands()[strings.TrimPrefix(c.CommandPath(), "heldout ")](sys, c)
		explainFlags(c.Flags(), child.Flags, lists)
		addCommands(sys, c, child, lists)
	}
}

// newParent completes a command that only has others below it.
func newParent(_ *system, c *cobra.Command) {
	c.RunE = func(c *cobra.Command, names []string) error {
		if len(names) == 0 {
			return c.Help()
		}
		return unknownPart(c, names[0])
	}
}

// slots are lists that texts have slots for.
func slots() *strings.Replacer {
	return strings.NewReplacer("{topics}", topicList(), "{figures}", figureList(), "{tables}", report.Names(),
		"{columns}", columnNames(), "{formats}", formats(), "{exports}", exportFormats(),
		"{extras}", strings.Join(official.Extras(), ", "))
}

func newRoot(sys *system) *cobra.Command {
	row, lists := commandTable(), slots()
	root := row.command(lists)
	root.SilenceUsage, root.SilenceErrors, root.Args = true, true, cobra.ArbitraryArgs
	root.Version = strings.TrimPrefix(versionLine(sys.tool), "heldout ")
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
	addCommands(sys, root, row, lists)
	for _, newCommand := range packaging {
		root.AddCommand(newCommand(sys))
	}
	root.SetUsageFunc(writeUsage)
	acceptFormer(root)
	addKeys(root)
	root.PersistentPreRunE = func(c *cobra.Command, _ []string) error { return usage(checkOut(c)) }
	return root
}

// packaging are commands that only the release has.
var packaging []func(*system) *cobra.Command

// args refuses fewer arguments than the first limit, and more than the second, if there is one.
func args(limits []int, expected string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < limits[0] || len(limits) > 1 && len(args) > limits[1] {
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
