package bench

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"heldout/configs"
	"heldout/envs/datafile"
	"heldout/scoring/record"
)

// FindOriginal returns where a file of a protocol's source lies in the user's
// folder of originals: under its path in the repository, or directly.
func FindOriginal(dir, file string) (string, error) {
	if dir == "" {
		return "", fmt.Errorf("the original file %s is needed: name the folder that has it with --originals", file)
	}
	for _, at := range []string{file, path.Base(file)} {
		name := filepath.Join(dir, filepath.FromSlash(at))
		if info, err := os.Stat(name); err == nil && !info.IsDir() {
			return name, nil
		} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	return "", fmt.Errorf("the original file %s is missing in %s", file, dir)
}

// ReadOriginal reads a file of the source and compares its hash.
func ReadOriginal(dir string, f configs.PresetFile) (configs.PromptFile, error) {
	name, err := FindOriginal(dir, f.Path)
	if err != nil {
		return configs.PromptFile{}, err
	}
	b, err := datafile.Read(name, datafile.MaxLabels)
	if err != nil {
		return configs.PromptFile{}, err
	}
	return configs.PromptFile{Name: name, Content: b}, f.CheckHash(name, b)
}

// original reads a file of the source for a run, which notes its hash.
func (c Chosen) original(f configs.PresetFile, about *record.Protocol) (configs.PromptFile, error) {
	found, err := ReadOriginal(c.Run.Originals, f)
	if err != nil {
		return found, fmt.Errorf("%w; heldout preset prompt %s says more", err, c.Released.Name)
	}
	sum := sha256.Sum256(found.Content)
	about.Files[f.Path] = hex.EncodeToString(sum[:])
	return found, nil
}

// differing adds to an error of a preset's source that the folder has another commit.
func (c Chosen) differing(err error) error {
	if other := otherCommit(c.Run.Originals, c.Released.Source); err != nil && other != "" {
		return fmt.Errorf("%w; %s", err, other)
	}
	return err
}

// reader reads a file of a preset's source.
type reader func(configs.PresetFile) (configs.PromptFile, error)

// readAll reads files of a preset's source.
func (read reader) readAll(files []configs.PresetFile) (out []configs.PromptFile, err error) {
	for _, f := range files {
		found, err := read(f)
		if err != nil {
			return nil, err
		}
		out = append(out, found)
	}
	return out, nil
}

// fill returns a preset with the fixed texts of its source.
func (read reader) fill(p configs.Preset) (configs.Preset, error) {
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

// prompt reads the prompt of the source.
func (read reader) prompt(p configs.PresetPrompt) (configs.Prompt, error) {
	files, err := read.readAll(p.Files)
	if err != nil {
		return configs.Prompt{}, err
	}
	return p.ReadPrompt(files)
}
