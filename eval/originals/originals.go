// Package originals finds, checks and fetches the files of protocols' sources: prompts, lists of tasks and programs
// with fixed texts that presets read and heldout does not contain.
package originals

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"heldout/configs"
	"heldout/envs/datafile"
)

// Places are the folders in which the originals of a preset are looked for.
type Places struct {
	// Dir is the folder that the user names; if there is one, no other counts.
	Dir string
	// Data are data folders, into which originals are pulled; an empty one does not count.
	Data []string
}

// Find returns the folder with the originals of a source, empty if there is none.
func (p Places) Find(s configs.PresetSource) string {
	if p.Dir != "" || !Fetched(s) {
		return p.Dir
	}
	for _, data := range p.Data {
		dir := filepath.Join(data, filepath.FromSlash(folder(s)))
		if info, err := os.Stat(dir); data != "" && err == nil && info.IsDir() {
			return dir
		}
	}
	return ""
}

// Files lists the files of its source that a preset reads, each once.
func Files(p *configs.Preset) []configs.PresetFile {
	files := slices.Clone(p.Prompt.Files)
	if l := p.Env.Tasks.List; l != nil {
		files = append(files, configs.PresetFile{Path: l.File, SHA256: l.SHA256})
	}
	for _, name := range p.TextsNamed() {
		path := p.Texts[name].File
		if !slices.ContainsFunc(files, func(f configs.PresetFile) bool { return f.Path == path }) {
			files = append(files, configs.PresetFile{Path: path})
		}
	}
	return files
}

// Fetched reports whether the files of a source can be fetched: it names a commit of a repository.
func Fetched(s configs.PresetSource) bool { return s.Repository != "" && s.Commit != "" }

// Find returns where a file of a preset's source lies in a folder: under its path in the repository, or directly.
func Find(dir string, p *configs.Preset, file string) (string, error) {
	pulled := Fetched(p.Source)
	switch {
	case dir == "" && pulled:
		return "", fmt.Errorf("the original file %s is needed: heldout preset pull %s fetches it, and --originals DIR "+
			"names a folder that has it", file, p.Name)
	case dir == "":
		return "", fmt.Errorf("the file %s of preset %s is needed: --originals DIR names the folder that has it", file,
			p.Name)
	}
	for _, candidate := range []string{file, path.Base(file)} {
		name := filepath.Join(dir, filepath.FromSlash(candidate))
		if info, err := os.Stat(name); err == nil && !info.IsDir() {
			return name, nil
		} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	if _, err := os.Stat(dir); err != nil {
		return "", fmt.Errorf("the folder %s, which should have the original file %s, does not exist", dir, file)
	}
	if !pulled {
		return "", fmt.Errorf("the file %s of preset %s is missing in %s: put it there", file, p.Name, dir)
	}
	return "", fmt.Errorf("the original file %s is missing in %s; heldout preset pull %s fetches it", file, dir, p.Name)
}

// Read reads a file of a preset's source and compares its hash.
func Read(dir string, p *configs.Preset, f configs.PresetFile) (configs.PromptFile, error) {
	name, err := Find(dir, p, f.Path)
	if err != nil {
		return configs.PromptFile{}, err
	}
	b, err := datafile.Read(name, datafile.MaxLabels)
	if err != nil {
		return configs.PromptFile{}, err
	}
	return configs.PromptFile{Name: name, Content: b}, f.CheckHash(name, b)
}

// Reader reads a file of a preset's source.
type Reader func(configs.PresetFile) (configs.PromptFile, error)

// Fill returns a preset with the fixed texts of its source.
func (read Reader) Fill(p configs.Preset) (configs.Preset, error) {
	names := p.TextsNamed()
	texts, files := map[string]string{}, map[string]configs.PromptFile{}
	for _, name := range names {
		x := p.Texts[name]
		file, ok := files[x.File]
		if !ok {
			var err error
			if file, err = read(configs.PresetFile{Path: x.File}); err != nil {
				return p, err
			}
			files[x.File] = file
		}
		text, err := x.Read(file.Content)
		if err == nil {
			err = p.CheckText(name, text)
		}
		if err != nil {
			return p, fmt.Errorf("the text %s of preset %s: %w", name, p.Name, err)
		}
		texts[name] = text
	}
	if len(names) == 0 {
		return p, nil
	}
	return p.Filled(texts)
}

// Prompt reads the prompt of a preset, and checks a file in heldout's own YAML; nil takes it whoever reads it.
func (read Reader) Prompt(p configs.PresetPrompt, check func(configs.PromptFile) error) (configs.Prompt, error) {
	var files []configs.PromptFile
	for _, f := range p.Files {
		found, err := read(f)
		if err != nil {
			return configs.Prompt{}, err
		}
		files = append(files, found)
	}
	prompt, err := p.ReadPrompt(files)
	if err == nil && p.Format == "template" && check != nil {
		err = check(files[0])
	}
	return prompt, err
}
