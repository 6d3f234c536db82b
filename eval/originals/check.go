package originals

import (
	"slices"

	"heldout/configs"
)

// Original is a file of its source that a preset reads.
type Original struct {
	configs.PresetFile
	// Texts is how many fixed texts stand in it.
	Texts int
	// Differs says why it is not the original, or why no run takes it; empty if it is, or was not read.
	Differs []string
}

// Check compares the files of presets' source, each once, with those in a folder.
// mismatch says that the folder is a checkout of another commit; it is empty otherwise.
func Check(dir string, presets []configs.Preset) (files []Original, mismatch string) {
	index := map[string]int{}
	checked := map[string]bool{}
	for _, p := range presets {
		for _, f := range Files(&p) {
			if _, ok := index[f.Path]; ok {
				continue
			}
			index[f.Path] = len(files)
			file := Original{PresetFile: f}
			if _, err := Read(dir, &p, f); dir != "" && err != nil {
				file.Differs = append(file.Differs, err.Error())
			}
			files = append(files, file)
		}
		for _, name := range p.TextsNamed() {
			x := p.Texts[name]
			if checked[name] {
				continue
			}
			checked[name] = true
			file := &files[index[x.File]]
			file.Texts++
			if reason := differs(dir, &p, file.PresetFile, name); reason != "" {
				file.Differs = append(file.Differs, name+": "+reason)
			}
		}
		differ := func(f configs.PresetFile) bool { return len(files[index[f.Path]].Differs) > 0 }
		if slices.ContainsFunc(Files(&p), differ) {
			continue
		}
		if file, err := unfit(dir, &p); err != nil {
			files[index[file]].Differs = []string{err.Error()}
		}
	}
	return files, OtherCommit(dir, presets[0].Source)
}

// unfit reports a prompt that no run takes, though it is the original, and one of its files.
func unfit(dir string, p *configs.Preset) (file string, err error) {
	names := p.TextsNamed()
	switch {
	case dir == "" || p.Prompt.BuiltIn != "":
		return "", nil
	case len(names) > 0:
		file = p.Texts[names[0]].File
	case len(p.Prompt.Files) > 0:
		file = p.Prompt.Files[0].Path
	default:
		return "", nil // presets are checked when they are read
	}
	read := Reader(func(f configs.PresetFile) (configs.PromptFile, error) { return Read(dir, p, f) })
	filled, err := read.Fill(*p)
	if err != nil {
		return file, err
	}
	prompt, err := read.Prompt(filled.Prompt, filled.CheckPromptFile)
	if err == nil && prompt.Template != nil {
		err = filled.CheckTemplate(*prompt.Template)
	}
	return file, err
}

// differs says why a fixed text is not in its original file, or cannot be filled; empty if it is, or without that file.
func differs(dir string, p *configs.Preset, file configs.PresetFile, name string) string {
	if dir == "" {
		return ""
	}
	found, err := Read(dir, p, file)
	if err != nil {
		return "" // the file itself is not the original
	}
	text, err := p.Texts[name].Read(found.Content)
	if err == nil {
		err = p.CheckText(name, text)
	}
	if err != nil {
		return err.Error()
	}
	return ""
}
