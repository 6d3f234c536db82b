package checkpoints

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"heldout/envs/datafile"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// Checkpoint is a folder or file with the weights of a model.
type Checkpoint struct {
	Path string
	Name string // the path without what all checkpoints of the pattern begin with; slashes are hyphens
}

// find lists the checkpoints that a pattern names, in natural order. Parts of names that
// begin with a period are left out: programs write such files before they rename them.
func find(pattern string) ([]Checkpoint, error) {
	paths, err := filepath.Glob(pattern)
	if err != nil {
		return nil, fmt.Errorf("the pattern %q: %w", pattern, err)
	}
	slices.SortFunc(paths, record.Natural)
	var out []Checkpoint
	for _, path := range paths {
		if name := nameOf(pattern, path); !strings.HasPrefix(filepath.Base(path), ".") {
			out = append(out, Checkpoint{Path: path, Name: name})
		}
	}
	return out, nil
}

// nameOf names a checkpoint by the part of its path that the pattern leaves open, from the
// first folder or file with a special character on.
func nameOf(pattern, file string) string {
	parts, open := strings.Split(filepath.ToSlash(pattern), "/"), 0
	for open < len(parts)-1 && !strings.ContainsAny(parts[open], `*?[\`) {
		open++
	}
	return strings.Join(strings.Split(filepath.ToSlash(file), "/")[open:], "-")
}

// settled is how long nothing in a checkpoint must have changed before it is played.
const settled = 30 * time.Second

// weights are the names of files that hold weights; those that end in indexEnd list them.
var weights = []string{"*.safetensors", "*.bin", "*.gguf", "*.pt", "*.pth"}

const indexEnd = ".index.json"

// lacks says what a checkpoint lacks; empty if it lacks nothing. A folder holds a
// configuration (config.json, or adapter_config.json) and weights, all of those that an
// index lists; a folder with a GGUF file needs nothing else. A file is all of it.
func (c Checkpoint) lacks() string {
	info, err := os.Stat(c.Path)
	if err != nil || !info.IsDir() {
		return reason(err)
	}
	entries, err := os.ReadDir(c.Path)
	if err != nil {
		return reason(err)
	}
	names := table.Each(entries, os.DirEntry.Name)
	fits := func(patterns ...string) bool {
		return slices.ContainsFunc(patterns, func(p string) bool {
			return slices.ContainsFunc(names, func(name string) bool { ok, _ := path.Match(p, name); return ok })
		})
	}
	switch {
	case fits("*.gguf"):
		return ""
	case !fits("config.json", "adapter_config.json"):
		return "it has no config.json"
	case !fits(weights...):
		return "it has no weights"
	}
	for _, name := range names {
		if strings.HasSuffix(name, indexEnd) {
			if text := c.lacksOf(name, names); text != "" {
				return text
			}
		}
	}
	return ""
}

// lacksOf says which of the files that an index of weights lists is not there.
func (c Checkpoint) lacksOf(index string, names []string) string {
	content, err := datafile.Read(filepath.Join(c.Path, index), datafile.MaxLabels)
	if err != nil {
		return reason(err)
	}
	var weights struct {
		Files map[string]string `json:"weight_map"`
	}
	if err := datafile.Unmarshal(content, &weights); err != nil {
		return fmt.Sprintf("%s cannot be read: %v", index, err)
	}
	for _, file := range weights.Files {
		if !slices.Contains(names, file) {
			return fmt.Sprintf("it has no %s, which %s lists", file, index)
		}
	}
	return ""
}

func reason(err error) string {
	if err == nil {
		return ""
	}
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		err = pe.Err
	}
	return err.Error()
}

// fingerprint is what a checkpoint looked like when it last changed.
type fingerprint struct {
	files string // names, sizes and times
	since time.Time
}

// look compares a checkpoint with what it was. since is when it changed last: when the
// change was seen, or the time of the newest file, if that is earlier.
func (c Checkpoint) look(prev fingerprint, now time.Time) fingerprint {
	var b strings.Builder
	newest := time.Time{}
	root, err := filepath.EvalSymlinks(c.Path)
	if err != nil {
		root = c.Path
	}
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			fmt.Fprintln(&b, err) // it is being written
			return nil
		}
		if info, err := d.Info(); err == nil && !d.IsDir() {
			fmt.Fprintln(&b, path, info.Size(), info.ModTime().UnixNano())
			if info.ModTime().After(newest) {
				newest = info.ModTime()
			}
		}
		return nil
	})
	if b.String() == prev.files {
		return prev
	}
	since := now
	if prev.files == "" && newest.Before(now) {
		since = newest
	}
	return fingerprint{b.String(), since}
}
