package main

import (
	"cmp"
	"fmt"
	"heldout/configs"
	"heldout/eval/bench"
	"heldout/eval/originals"
	"heldout/scoring/table"
	"strings"

	"github.com/spf13/cobra"
)

func newPresetPrompt(sys *system) *cobra.Command {
	var given, data string
	c := &cobra.Command{
		Use:   "prompt NAME",
		Short: "Say which files of its source a protocol reads, and check them",
		Long: `prompt says where the prompt of a preset comes from. Texts of others are not
part of heldout: it names the files of the original repository and their hashes,
and checks those that heldout preset pull fetched, or those in the folder
--originals.`,
		Example:           "  heldout preset prompt eto-alfworld\n  heldout preset prompt eto-alfworld --originals DIR",
		ValidArgsFunction: completePresets,
		Args:              args(1, 1, "one preset"),
		RunE: func(_ *cobra.Command, names []string) error {
			found, err := bench.FindPresets(names)
			if err != nil {
				return usage(err)
			}
			return explainPrompts(sys, found, originals.Places{Given: given, Data: []string{data}}.Of(found[0].Source))
		},
	}
	c.Flags().StringVar(&given, "originals", "", "folder with the original files")
	dataFlag(c, sys, &data)
	return c
}

// explainPrompts names the files of presets' sources, each once.
func explainPrompts(sys *system, presets []configs.Preset, dir string) error {
	var b strings.Builder
	first := presets[0]
	seen := map[string]bool{}
	for _, p := range presets {
		if p.Prompt.BuiltIn != "" && !seen[p.Prompt.BuiltIn] {
			seen[p.Prompt.BuiltIn] = true
			fmt.Fprintf(&b, "%s uses heldout's own prompt %s.\n", first.Name, p.Prompt.BuiltIn)
		}
	}
	files, other := originals.Check(dir, presets)
	failed := 0
	for _, f := range files {
		explainFile(&b, f, dir != "")
		if len(f.Differs) > 0 {
			failed++
		}
	}
	if s := first.Source; len(files) > 0 {
		fmt.Fprintf(&b, "They are in the repository github.com/%s (licence: %s)\nat commit %s.\n", s.Repository,
			cmp.Or(s.Licence, "none"), s.Commit)
		switch {
		case dir != "":
			fmt.Fprintf(&b, "They were compared with those in %s.\n", table.Printable(dir))
		default:
			fmt.Fprintf(&b, "heldout preset pull %s fetches them. --originals names a checkout, or a folder\n"+
				"with the files: heldout looks for each path there, and then for its last element.\n", first.Name)
		}
	}
	if other != "" {
		fmt.Fprintf(&b, "%s\n", table.Printable(other))
	}
	if _, err := sys.stdout.Write([]byte(b.String())); err != nil {
		return err
	}
	if failed > 0 {
		return fmt.Errorf("%d file(s) are missing or not the original", failed)
	}
	return nil
}

// explainFile names a file of a source and, if it was compared, says whether it is the
// original.
func explainFile(b *strings.Builder, f originals.Original, compared bool) {
	b.WriteString(f.Path + "\n")
	switch {
	case f.SHA256 != "":
		fmt.Fprintf(b, "  SHA-256: %s\n", f.SHA256)
	case f.Texts > 0:
		fmt.Fprintf(b, "  texts of it: %d, each with a SHA-256 of its own\n", f.Texts)
	default:
		b.WriteString("  SHA-256: not known\n")
	}
	if compared && len(f.Differs) == 0 {
		b.WriteString("  ok\n")
	}
	for _, why := range f.Differs {
		fmt.Fprintf(b, "  %s\n", table.Printable(why))
	}
}
