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

// prompt reads the prompt of the source.
func (c Chosen) prompt(about *record.Protocol) (configs.Prompt, error) {
	var files []configs.PromptFile
	for _, f := range c.Released.Prompt.Files {
		found, err := c.original(f, about)
		if err != nil {
			return configs.Prompt{}, err
		}
		files = append(files, found)
	}
	return c.Released.Prompt.ReadPrompt(files)
}
