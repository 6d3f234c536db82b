package official

import (
	"bytes"
	"cmp"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"heldout/envs/alfworld"
)

// finder recognises official files wherever they lie and whatever their names.
type finder struct {
	parts []Part
	sums  map[string]string // SHA-256 by path
	files map[string]string // path by SHA-256
	tails []tail            // in the order of the parts
}

// tail is what the name of a file ends like, and its path in the data folder.
type tail struct{ end, file string }

func newFinder() *finder {
	f := &finder{parts: Parts(), sums: publishedSums(), files: map[string]string{}}
	for file, sum := range f.sums {
		f.files[sum] = file
	}
	for _, p := range f.parts {
		for _, file := range p.Files {
			if p.ID() == "pddl/problems" {
				f.tails = append(f.tails, tail{"/pddlgym/pddl/" + file, p.Folder + "/" + file})
			}
			if p.Lines == 0 {
				f.tails = append(f.tails, tail{"/" + path.Join(path.Base(p.Folder), file), p.Folder + "/" + file})
			}
		}
	}
	return f
}

// identify says which file of the data folder a file is, and what part that belongs to; ok is false if it is none.
func (f *finder) identify(name string, content []byte, sum string) (file string, part Part, ok bool) {
	file = cmp.Or(f.files[sum], labelsOf(content), gameOf(name, content), f.byPath(name))
	part, ok = f.part(file)
	return file, part, ok
}

// labelFolders are folders of the data folder, by the task in AgentBoard's labels.
var labelFolders = []string{"alfworld", "babyai", "jericho", "pddl", "scienceworld"}

// labelsOf returns the path of AgentBoard's label file with this content, "" if none.
func labelsOf(content []byte) string {
	line, _, _ := bytes.Cut(bytes.TrimSpace(bytes.TrimPrefix(content, []byte("\ufeff"))), []byte("\n"))
	var label struct {
		Task       string
		ID         *int
		Goal       *string
		Difficulty *string
	}
	if len(line) == 0 || line[0] != '{' || json.Unmarshal(line, &label) != nil {
		return ""
	}
	if !slices.Contains(labelFolders, label.Task) || label.ID == nil || label.Goal == nil || label.Difficulty == nil {
		return ""
	}
	return label.Task + "/" + labelName
}

// gameOf returns the path of an ALFWorld game of a split whose files are not all known: its own path says which
// split and trial it belongs to. It is "" for any other file.
func gameOf(name string, content []byte) string {
	elements := strings.Split(name, "/")
	n := len(elements)
	if n < 4 || elements[n-1] != gameName || !slices.Contains(alfworld.Splits(), elements[n-4]) ||
		!bytes.Contains(content, []byte(`"pddl_problem"`)) {
		return ""
	}
	return path.Join(gamesFolder, path.Join(elements[n-4:]...))
}

// byPath returns the known path that the name of a file ends like: a story by its
// own name, a problem or a game with its folders.
func (f *finder) byPath(name string) string {
	name = "/" + name
	for _, t := range f.tails {
		if strings.HasSuffix(name, t.end) {
			return t.file
		}
	}
	return ""
}

// part returns the part that a path of the data folder belongs to.
func (f *finder) part(file string) (Part, bool) {
	for _, p := range f.parts {
		rest, ok := strings.CutPrefix(file, p.Folder+"/")
		if !ok {
			continue
		}
		if slices.Contains(p.Files, rest) {
			return p, true
		}
		if matched, err := path.Match(p.Pattern, rest); err == nil && matched {
			return p, true
		}
	}
	return Part{}, false
}
