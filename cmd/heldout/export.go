package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"heldout/configs"
	"heldout/envs/datafile"
	"heldout/eval"
	"heldout/eval/bench"
	"heldout/eval/training/export"
	"heldout/eval/training/frame"
)

func newExport(sys *system) *cobra.Command {
	var o export.Options
	var format, mask, split, seeds, thoughts string
	var check, texts bool
	var frames frame.Options
	c := &cobra.Command{
		Use:               "export DIR|FILE…",
		ValidArgsFunction: folders,
		Args:              args(1, -1, "at least one run directory or file of trajectories"),
		RunE: func(c *cobra.Command, sources []string) error {
			if check {
				uncovered, err := export.CheckAll(sys.stdout, sources)
				sys.warnUncovered(uncovered)
				return err
			}
			if format == parquet || format == recordLines {
				return exportFrames(c, sys, sources, format, o, frames, texts)
			}
			o.Texts.Outside = sys.outside()
			o.Texts.Originals.Data = []string{o.Texts.Setup.Data, pullFolder(sys)}
			if format == inspectLogs || format == callLines {
				return exportCalls(c, sys, sources, format, o, seeds)
			}
			o.Sources, o.Format, o.Tool = sources, export.Format(format), sys.tool
			o.Command = commandOf(c, sources)
			if o.Folder = o.Out != "" && filepath.Ext(o.Out) == ""; o.Folder {
				o.Out = filepath.Join(o.Out, "data"+o.Format.Extension())
				o.Parquet = func(f export.Format, from, to string) error {
					return sys.parquet(c.Context(), noLines, "examples", string(f), from, to)
				}
			}
			if err := parseExport(&o, mask, split, seeds, thoughts); err != nil {
				return usage(err)
			}
			if o.Folder { // what is wrong with the options comes first
				if err := o.Check(); err != nil {
					return exportError(err)
				}
				if err := sys.parquet(c.Context(), noLines, "examples"); err != nil {
					return err
				}
			}
			report, err := export.Run(c.Context(), o)
			if err != nil {
				return exportError(err)
			}
			if _, err := io.WriteString(sys.stdout, report.Text(o)); err != nil {
				return err
			}
			sys.warnUncovered(report.Uncovered)
			for _, line := range report.Warnings() {
				sys.warn(line)
			}
			if advice := report.Advice(); advice != "" {
				sys.say("%s", advice)
			}
			return nil
		},
	}
	f := c.Flags()
	forms := strings.Trim(fmt.Sprint(export.Formats()), "[]") + " " + callLines + " " + inspectLogs + " " + recordLines
	f.StringVar(&format, "format", "", "form of the file: "+forms+" or "+parquet)
	_ = c.RegisterFlagCompletionFunc("format", oneOf(append(strings.Fields(forms), parquet)...))
	f.StringVar(&o.Out, "out", "", "file to write, .jsonl or, for agentgym, .json; "+
		"a folder, for a hub, without an ending; a folder for parquet and "+inspectLogs)
	f.BoolVar(&frames.Trajectories, "steps", true, "with parquet and records: write the steps")
	f.BoolVar(&texts, "texts", true, "with parquet: write texts as well as numbers")
	f.BoolVar(&frames.Attempts, "attempts", false, "with parquet and records: write all attempts")
	f.BoolVar(&check, "check", false, "write nothing: say which files of these folders have changed since")
	f.BoolVar(&o.Force, "force", false, "replace files that exist")
	f.StringVar(&mask, "mask", "unreadable,invalid",
		"replies that are not trained on: unreadable, invalid, no-progress; or none")
	f.BoolVar(&o.Filter.Success, "success", false, "take only solved episodes")
	f.Float64Var(&o.Filter.Progress, "least-progress", 0,
		"take only episodes that end with at least this progress, 0 to 1")
	f.IntVar(&o.Filter.Recoveries, "least-recoveries", 0,
		"take only episodes with at least this many errors that a different, valid action follows within 5 steps")
	f.StringVar(&seeds, "seeds", "", "take only these seeds, such as 3 (the first three) or 0,5")
	f.StringSliceVar(&o.Filter.Presets, "preset", nil, "take only episodes of these presets")
	f.StringSliceVar(&o.Filter.Envs, "env", nil,
		"take only these environments; trajectories in files belong to the environment "+export.Synthetic)
	f.StringSliceVar(&o.Filter.Players, "model", nil, "take only episodes of these models, as provider:name")
	f.IntVar(&o.Balance.Best, "best", 0,
		"take only the N best episodes of each task, by success and progress (rejection sampling); 0 takes all")
	f.IntVar(&o.Balance.PerTask, "per-task", 0, "take at most N episodes of each task, drawn by --set split-seed; 0 takes all")
	f.IntVar(&o.Balance.PerKind, "per-kind", 0,
		"take at most N episodes of each kind of task, of as many tasks as there are; 0 takes all")
	f.StringVar(&o.Labels, "labels", export.ByEnvironment,
		"labels of the steps of prm: valid (the environment carried the action out), progress (it made progress), or "+
			"the folder of heldout judge")
	f.StringVar(&o.Tokenizer, "tokenizer", "",
		"tokenizer.json of the model that is trained, to count lengths by; without it, characters are counted")
	f.IntVar(&o.Window, "window", 0,
		"divide episodes that are longer than N tokens, each turn trained once; 0 leaves them whole")
	f.StringVar(&o.Duplicates, "duplicates", export.SameMessages,
		"leave out episodes with the same messages, or with the same actions in the same task: messages, actions, none")
	f.StringVar(&thoughts, "thoughts", templateThoughts,
		"what experts think before they act: sentences of heldout's own (template) or of a YAML file, the folder of heldout "+
			"think, or none")
	f.StringVar(&split, "split", "", "divide the tasks by chance into files, such as train=0.9,val=0.1")
	f.Int64Var(&o.Seed, "split-seed", 0, "seed of --split, and of the sentences of --set thoughts")
	f.BoolVar(&o.TestTasks, "allow-test-tasks", false, "take tasks that a benchmark tests with, and mark them")
	f.BoolVar(&o.DropTests, "drop-test-tasks", false, "leave out tasks that a benchmark tests with, and count them")
	f.StringSliceVar(&o.Texts.Prompts, "prompt", nil, "prompt files of the runs, if they were not heldout's own")
	f.StringVar(&o.Texts.Reflection, "reflection-prompt", "",
		"prompt file of the runs' reflections, if it was not heldout's own")
	f.StringVar(&o.Texts.Originals.Dir, "originals", "",
		"folder with the original prompt files of presets; by default the folder of heldout preset pull")
	o.Texts.Setup = bench.DefaultSetup(sys.bench())
	f.StringVar(&o.Texts.Setup.Data, "data", o.Texts.Setup.Data,
		"folder with official data, to list the actions that messages contain")
	return c
}

// commandOf is a command without the folders of its files, which say nothing elsewhere.
func commandOf(c *cobra.Command, sources []string) string {
	words := []string{"heldout", c.Name()}
	for _, s := range sources {
		words = append(words, filepath.Base(s))
	}
	c.Flags().Visit(func(f *pflag.Flag) {
		value := f.Value.String()
		if filepath.IsAbs(value) || f.Name == "out" || f.Name == "data" {
			value = filepath.Base(value)
		}
		if f.Name != "force" && f.Name != setFlagName {
			words = append(words, "--"+f.Name, strings.Trim(value, "[]"))
		}
	})
	return strings.Join(words, " ")
}

func parseExport(o *export.Options, mask, split, seeds, thoughts string) (err error) {
	switch {
	case o.Format == "":
		return fmt.Errorf("--format is missing: %s", strings.Trim(fmt.Sprint(export.Formats()), "[]"))
	case o.Out == "":
		return errors.New("--out is missing: the file to write, such as train.jsonl")
	}
	if o.Mask, err = export.ParseMask(mask); err != nil {
		return err
	}
	if o.Parts, err = export.ParseParts(split); err != nil {
		return err
	}
	if seeds != "" {
		if o.Filter.Seeds, err = eval.ParseSeeds(seeds); err != nil {
			return err
		}
	}
	if info, err := os.Stat(thoughts); err == nil && info.IsDir() {
		o.ThoughtsDir, thoughts = thoughts, templateThoughts
	}
	if o.Thoughts, err = expertThoughts(thoughts); err != nil {
		return err
	}
	return o.Check()
}

// The values of --set thoughts that name no file.
const (
	templateThoughts = "template"
	noThoughts       = "none"
)

func expertThoughts(name string) (configs.Thoughts, error) {
	switch name {
	case templateThoughts:
		return configs.LoadThoughts()
	case noThoughts:
		return configs.Thoughts{}, nil
	}
	b, err := datafile.Read(name, datafile.MaxConfig)
	if err != nil {
		return configs.Thoughts{}, err
	}
	return configs.Parse[configs.Thoughts](name, b)
}

// exportError marks a refusal as one of the command line.
func exportError(err error) error {
	var tests *export.TestTasksError
	if errors.As(err, &tests) {
		return usage(err)
	}
	return err
}

// writeFile writes a file for the user, all or nothing. A file of that name is an error without force.
func writeFile(name string, force bool, write func(io.Writer) error) error {
	f, err := export.Create(name, force)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		f.Abort()
		return err
	}
	return f.Commit()
}
