package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/datafile"
	"heldout/eval/bench"
	"heldout/scoring/table"
)

func newPreset(sys *system) *cobra.Command {
	c := &cobra.Command{
		Use:   "preset",
		Short: "Show and compare evaluation protocols",
		Args:  cobra.ArbitraryArgs,
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
		Use:   "show NAME",
		Short: "Print an evaluation protocol and its hashes",
		Long: "show prints the file of a preset, which can be the start of one of your own, and\non " +
			"standard error the hash of each part.",
		Example:           "  heldout preset show agentrefine > mine.yaml\n  heldout preset show mine.yaml",
		ValidArgsFunction: completePresets,
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
			if _, err := sys.stdout.Write([]byte(shownPreset(text))); err != nil {
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

// shownPreset returns the file of a preset without what a terminal would obey.
func shownPreset(text []byte) string {
	var b strings.Builder
	for _, line := range splitLines(string(text)) {
		b.WriteString(table.Printable(line) + "\n")
	}
	return b.String()
}

// presetFile returns the text of a preset.
func presetFile(name string) ([]byte, error) {
	if strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml") {
		return datafile.Read(name, datafile.MaxConfig)
	}
	name, _, _ = strings.Cut(name, "@")
	return configs.PresetText(name)
}

// examinePresets checks what presets need.
func examinePresets(sys *system, r configs.Run, over func(*configs.Run) error) error {
	chosen, skipped, err := bench.ResolvePresets(sys.bench(), bench.Given{Over: over}, r.Preset)
	if err != nil {
		return usage(err)
	}
	failed := 0
	for _, why := range skipped {
		sys.say("skipped: %v", why)
	}
	for _, c := range chosen {
		for _, check := range bench.ExaminePreset(sys.bench(), c) {
			if check.Status == envs.CheckFail {
				failed++
			}
			if _, err := fmt.Fprintf(sys.stdout, "%-8s %s: %s\n", check.Status, check.Name,
				table.Printable(check.Text)); err != nil {
				return err
			}
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d check(s) failed", failed)
	}
	return nil
}

// errPresetAndEnv is what doctor says if it is asked about both.
var errPresetAndEnv = errors.New("want an environment or a --preset, not both")

// completePresets completes the names of presets.
func completePresets(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	names, err := presetParts()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	return names, cobra.ShellCompDirectiveDefault
}

// completePresetList completes the last of several presets.
func completePresetList(c *cobra.Command, given []string, last string) ([]cobra.Completion, cobra.ShellCompDirective) {
	names, err := presetParts()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	return listOf(names...)(c, given, last)
}

// presetParts lists the embedded presets, and their parts.
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
