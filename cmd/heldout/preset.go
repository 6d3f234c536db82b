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

func newPresetShow(sys *system, c *cobra.Command) {
	c.RunE = func(_ *cobra.Command, names []string) error {
		name, _, _ := strings.Cut(names[0], ":")
		found, err := bench.FindPresets(names)
		if err != nil {
			return usage(err)
		}
		text, err := presetFile(name)
		if err != nil {
			return usage(err)
		}
		broken := brokenLines(table.PrintableLines(string(text)), sys.columns, true) // which is the same YAML
		if _, err := fmt.Fprintln(sys.stdout, broken); err != nil {
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
	}
}

func newPresetDiff(sys *system, c *cobra.Command) {
	var format string
	var wide bool
	c.RunE = func(_ *cobra.Command, names []string) error {
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
	}
	formatFlag(c, &format)
	c.Flags().BoolVar(&wide, "wide", false, "")
}

func newPresetPrompt(sys *system, c *cobra.Command) {
	var folder, data string
	c.RunE = func(_ *cobra.Command, names []string) error {
		found, err := bench.FindPresets(names)
		if err != nil {
			return usage(err)
		}
		text, failed := presets.Explain(found,
			originals.Places{Dir: folder, Data: []string{data}}.Find(found[0].Source))
		if _, err := io.WriteString(sys.stdout, brokenLines(text, sys.columns, false)); err != nil {
			return err
		}
		if failed > 0 {
			return fmt.Errorf("%d file(s) cannot be used", failed)
		}
		return nil
	}
	c.Flags().StringVar(&folder, "originals", "", "")
	dataFlag(c, sys, &data)
}

func newPresets(sys *system, c *cobra.Command) {
	var format string
	var wide bool
	c.RunE = func(*cobra.Command, []string) error {
		t, err := presets.List(wide)
		if err != nil {
			return err
		}
		return render(sys, format, wide, t)
	}
	formatFlag(c, &format)
	c.Flags().BoolVar(&wide, "wide", false, "")
}

func presetFile(name string) ([]byte, error) {
	if strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml") {
		return datafile.Read(name, datafile.MaxConfig)
	}
	name, _, _ = strings.Cut(name, "@")
	return configs.PresetText(name)
}

func presetParts() (out []string, err error) {
	for _, name := range configs.PresetNames() {
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
