package bench

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/datafile"
	"heldout/envs/sciworld"
	"heldout/eval/record"
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

// listed returns the tasks that a preset's list names, or all tasks of the
// environment.
func (c Chosen) listed(env envs.Env, about *record.Protocol) ([]envs.Task, error) {
	list := c.Released.Env.Tasks.List
	if list == nil || env.Info().Source == envs.Generated {
		return append([]envs.Task(nil), env.Tasks()...), nil
	}
	found, err := c.original(configs.PresetFile{Path: list.File, SHA256: list.SHA256}, about)
	if err != nil {
		return nil, err
	}
	names, err := readList(found, *list)
	if err != nil {
		return nil, err
	}
	byName := map[string]envs.Task{}
	for _, t := range env.Tasks() {
		byName[t.ID] = t
	}
	var out []envs.Task
	for _, name := range names {
		t, ok := byName[name]
		if !ok {
			return nil, fmt.Errorf("%s names the task %.100q, which the data lack", found.Name, name)
		}
		delete(byName, name) // named twice, it is played once
		out = append(out, t)
	}
	return out, nil
}

// readList reads the names of tasks.
func readList(f configs.PromptFile, list configs.PresetList) ([]string, error) {
	switch list.Format {
	case "names":
		return strings.Fields(string(f.Content)), nil
	case "alfworld-paths":
		names, err := readPaths(f.Content)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		return names, nil
	}
	pairs, err := readPairs(f.Content, list.Key)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	var names []string
	for _, p := range pairs {
		name, err := sciworld.CurrentName(p.task)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		names = append(names, name+"/"+strconv.Itoa(p.variation))
	}
	return names, nil
}

// readPaths reads the names of ALFWorld's games from JSON that holds their paths at
// any depth: a path ends with the folders of task and trial, and may name a file in
// them.
func readPaths(b []byte) (names []string, err error) {
	var value any
	if err := json.Unmarshal(b, &value); err != nil {
		return nil, err
	}
	var visit func(any)
	visit = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, item := range v {
				visit(item)
			}
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				visit(v[key])
			}
		case string:
			if path := gamePath.FindStringSubmatch(v); path != nil {
				names = append(names, path[1])
			}
		}
	}
	visit(value)
	if len(names) == 0 {
		return nil, errors.New("it holds no path of a game of ALFWorld")
	}
	return names, nil
}

// gamePath matches the path of a game: task, trial and perhaps a file.
var gamePath = regexp.MustCompile(`(?:^|/)([^/]+/trial_[^/]+)(?:/[^/]*)?$`)

// listPair is a task of ScienceWorld, by name or number, and a variation.
type listPair struct {
	task      string
	variation int
}

// readPairs reads a JSON list of pairs, which may be the value of a key.
func readPairs(b []byte, key string) (out []listPair, err error) {
	if key != "" {
		var object map[string]json.RawMessage
		if err := json.Unmarshal(b, &object); err != nil {
			return nil, err
		}
		if b = object[key]; b == nil {
			return nil, fmt.Errorf("there is no key %q", key)
		}
	}
	var pairs [][]any
	if err := json.Unmarshal(b, &pairs); err != nil {
		return nil, err
	}
	for i, p := range pairs {
		if len(p) != 2 {
			return nil, fmt.Errorf("entry %d has %d values, want a task and a variation", i+1, len(p))
		}
		variation, ok := p[1].(float64)
		if !ok || variation != float64(int(variation)) || variation < 0 {
			return nil, fmt.Errorf("entry %d: want the number of a variation, not %v", i+1, p[1])
		}
		out = append(out, listPair{fmt.Sprint(p[0]), int(variation)})
	}
	return out, nil
}
