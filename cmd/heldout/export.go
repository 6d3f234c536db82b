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

func newExport(sys *system, c *cobra.Command) {
	o := export.Options{Labels: export.ByEnvironment, Duplicates: export.SameMessages}
	var format, split, seeds string
	var check bool
	frames := frame.Options{Trajectories: true}
	mask, thoughts, texts := "unreadable,invalid", templateThoughts, true
	c.RunE = func(c *cobra.Command, sources []string) error {
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
			o.Parquet = func(f export.Format, source, target string) error {
				return sys.parquet(c.Context(), noLines, "examples", string(f), source, target)
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
		if _, err := io.WriteString(sys.stdout, brokenLines(report.Text(o), sys.columns, true)); err != nil {
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
	}
	o.Texts.Setup = bench.DefaultSetup(sys.bench())
	addFlags(c.Flags(), map[string]any{
		"format": &format, "out": &o.Out, "steps": &frames.Trajectories, "texts": &texts,
		"attempts": &frames.Attempts, "check": &check, "force": &o.Force, "mask": &mask,
		"success": &o.Filter.Success, "least-progress": &o.Filter.Progress,
		"least-recoveries": &o.Filter.Recoveries, "seeds": &seeds, "preset": &o.Filter.Presets,
		"env": &o.Filter.Envs, "model": &o.Filter.Players, "best": &o.Balance.Best,
		"per-task": &o.Balance.PerTask, "per-kind": &o.Balance.PerKind, "labels": &o.Labels,
		"tokenizer": &o.Tokenizer, "window": &o.Window, "duplicates": &o.Duplicates, "thoughts": &thoughts,
		"split": &split, "split-seed": &o.Seed, "allow-test-tasks": &o.TestTasks,
		"drop-test-tasks": &o.DropTests, "prompt": &o.Texts.Prompts, "reflection-prompt": &o.Texts.Reflection,
		"originals": &o.Texts.Originals.Dir, "data": &o.Texts.Setup.Data,
	})
	_ = c.RegisterFlagCompletionFunc("format", oneOf(append(strings.Fields(exportFormats()), parquet)...))
}

// exportFormats are all formats but Parquet.
func exportFormats() string {
	return strings.Trim(fmt.Sprint(export.Formats()), "[]") + " " + callLines + " " + inspectLogs + " " + recordLines
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
