package presets

import (
	"cmp"
	"fmt"
	"strings"

	"heldout/configs"
	"heldout/eval/originals"
	"heldout/scoring/table"
)

// Explain names the files of presets' sources, each once, with what they are compared with:
// those in dir, if it is not empty. failed counts the files that no run takes.
func Explain(presets []configs.Preset, dir string) (text string, failed int) {
	var b strings.Builder
	first := presets[0]
	prompts := map[string]bool{}
	for _, p := range presets {
		if p.Prompt.BuiltIn != "" && !prompts[p.Prompt.BuiltIn] {
			prompts[p.Prompt.BuiltIn] = true
			fmt.Fprintf(&b, "%s uses heldout's own prompt %s.\n", first.Name, p.Prompt.BuiltIn)
		}
	}
	files, mismatch := originals.Check(dir, presets)
	for _, f := range files {
		explainFile(&b, f, dir != "")
		if len(f.Differs) > 0 {
			failed++
		}
	}
	if s := first.Source; len(files) > 0 {
		if originals.Fetched(s) {
			fmt.Fprintf(&b, "They are in the repository github.com/%s (licence: %s)\nat commit %s.\n", s.Repository,
				cmp.Or(s.Licence, "none"), s.Commit)
		}
		switch {
		case dir != "":
			fmt.Fprintf(&b, "They were compared with those in %s.\n", table.Printable(dir))
		case !originals.Fetched(s):
			b.WriteString("--originals names the folder that has them.\n")
		default:
			fmt.Fprintf(&b, "heldout preset pull %s fetches them. --originals names a checkout, or a folder\n"+
				"with the files: heldout looks for each path there, and then for its last element.\n", first.Name)
		}
	}
	if mismatch != "" {
		fmt.Fprintf(&b, "%s\n", table.Printable(mismatch))
	}
	return b.String(), failed
}

// explainFile names a file of a source and, if it was compared, says whether it is the original.
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
	for _, reason := range f.Differs {
		fmt.Fprintf(b, "  %s\n", table.Printable(reason))
	}
}
