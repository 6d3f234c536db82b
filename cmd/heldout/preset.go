package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"heldout/configs"
	"heldout/envs/datafile"
	"heldout/eval/bench"
	"heldout/eval/originals"
	"heldout/eval/show/presets"
	"heldout/scoring/table"
)

func newPreset(sys *system) *cobra.Command {
	c := &cobra.Command{
		Use:  "preset",
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, names []string) error {
			if len(names) > 0 {
				return unknownPart(c, names[0])
			}
			return c.Help()
		},
	}
	c.AddCommand(newPresetShow(sys), newPresetDiff(sys), newPresetPrompt(sys), newPresetPull(sys))
	return c
}

func newPresetShow(sys *system) *cobra.Command {
	return &cobra.Command{
		Use:               "show NAME",
		ValidArgsFunction: listed(presetParts, orFile),
		Args:              args(1, 1, "one preset"),
		RunE: func(_ *cobra.Command, names []string) error {
			name, _, _ := strings.Cut(names[0], ":")
			found, err := bench.FindPresets(names)
			if err != nil {
				return usage(err)
			}
			text, err := presetFile(name)
			if err != nil {
				return usage(err)
			}
			if _, err := fmt.Fprintln(sys.stdout, table.PrintableLines(string(text))); err != nil {
				return err
			}
			for _, p := range found {
				hash, err := p.Hash()
				if err != nil {
					return err
				}
				sys.say("%s has the SHA-256 %s", p.ID(false), hash)
			}
			return nil
		},
	}
}

func newPresetDiff(sys *system) *cobra.Command {
	var format string
	var wide bool
	c := &cobra.Command{
		Use:               "diff A B",
		ValidArgsFunction: listed(presetParts, orFile),
		Args:              args(2, 2, "two presets"),
		RunE: func(_ *cobra.Command, names []string) error {
			var protocols [2][]configs.Preset
			for i, name := range names {
				var err error
				if protocols[i], err = bench.FindPresets([]string{name}); err != nil {
					return usage(err)
				}
			}
			d, err := presets.Pair(names, protocols[0], protocols[1])
			if err != nil {
				return usage(err)
			}
			if verdict, same := d.Verdict(); same && format == string(table.Text) {
				_, err := fmt.Fprintln(sys.stdout, verdict)
				return err
			}
			return render(sys, format, wide, d.Table(wide))
		},
	}
	formatFlag(c, &format)
	c.Flags().BoolVar(&wide, "wide", false, "list the fields in which they differ, with their whole values")
	return c
}

func newPresetPrompt(sys *system) *cobra.Command {
	var folder, data string
	c := &cobra.Command{
		Use:               "prompt NAME",
		ValidArgsFunction: listed(presetParts, orFile),
		Args:              args(1, 1, "one preset"),
		RunE: func(_ *cobra.Command, names []string) error {
			found, err := bench.FindPresets(names)
			if err != nil {
				return usage(err)
			}
			text, failed := presets.Explain(found,
				originals.Places{Dir: folder, Data: []string{data}}.Find(found[0].Source))
			if _, err := io.WriteString(sys.stdout, text); err != nil {
				return err
			}
			if failed > 0 {
				return fmt.Errorf("%d file(s) cannot be used", failed)
			}
			return nil
		},
	}
	c.Flags().StringVar(&folder, "originals", "", "folder with the original files")
	dataFlag(c, sys, &data)
	return c
}

func newPresets(sys *system) *cobra.Command {
	var format string
	var wide bool
	c := &cobra.Command{
		Use:  "presets",
		Args: args(0, 0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			t, err := presets.List(wide)
			if err != nil {
				return err
			}
			return render(sys, format, wide, t)
		},
	}
	formatFlag(c, &format)
	c.Flags().BoolVar(&wide, "wide", false, "list every part on its own, with all columns")
	return c
}

func presetFile(name string) ([]byte, error) {
	if strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml") {
		return datafile.Read(name, datafile.MaxConfig)
	}
	name, _, _ = strings.Cut(name, "@")
	return configs.PresetText(name)
}

func presetParts() (out []string, err error) {
	names, err := configs.PresetNames()
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		p, err := configs.LoadPreset(name)
		if err != nil {
			return nil, err
		}
		out = append(out, name)
		for _, part := range p.PartNames() {
			out = append(out, name+":"+part)
		}
	}
	return out, nil
}
