package originals

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"heldout/configs"
	"heldout/envs/official"
)

// folder is where the files of a source lie in a data folder, such as originals/ETO-a2fc5da.
func folder(s configs.PresetSource) string { return "originals/" + short(s) }

// short names a source: its repository and the first digits of the commit.
func short(s configs.PresetSource) string {
	return fmt.Sprintf("%s-%.7s", path.Base(s.Repository), s.Commit)
}

// Checkouts lists what has to be fetched for presets, a checkout for each source, in the order of the presets. It
// has what all released presets read of that repository. A preset that reads no files needs none.
func Checkouts(presets []configs.Preset) (out []official.Checkout, err error) {
	released, err := configs.PresetParts()
	if err != nil {
		return nil, err
	}
	listed := map[string]bool{}
	for _, p := range presets {
		s := p.Source
		if len(Files(&p)) == 0 || listed[short(s)] {
			continue
		}
		if !Fetched(s) {
			return nil, fmt.Errorf("preset %s names no repository and commit as its source: give its files with "+
				"--originals DIR", p.Name)
		}
		listed[short(s)] = true
		foreign := func(o configs.Preset) bool { return short(o.Source) != short(s) }
		out = append(out, checkout(s, slices.DeleteFunc(slices.Clone(presets), foreign),
			slices.DeleteFunc(slices.Clone(released), foreign)))
	}
	return out, nil
}

// checkout is the checkout of a source, with the files of presets, and the files of
// further presets that are in the repository itself.
func checkout(s configs.PresetSource, presets, further []configs.Preset) official.Checkout {
	files := map[string]official.RepoFile{}
	names := map[string]bool{}
	for i, p := range slices.Concat(presets, further) {
		names[p.Name] = true
		for _, f := range Files(&p) {
			w := files[f.Path]
			w.Path, w.Check = f.Path, combine(w.Check, wholeFile(f))
			if l := p.Env.Tasks.List; l != nil && l.File == f.Path && l.DataSet != "" {
				if i >= len(presets) {
					continue
				}
				w.Alone, w.Check = dataSet(*l), combine(w.Check, list(*l))
			}
			files[f.Path] = w
		}
		for _, name := range p.TextsNamed() {
			w := files[p.Texts[name].File]
			w.Check = combine(w.Check, text(p.Texts[name]))
			files[w.Path] = w
		}
	}
	c := official.Checkout{
		Archive: official.PublishedFile{
			Name:    short(s),
			URL:     fmt.Sprintf("https://github.com/%s/archive/%s.tar.gz", s.Repository, s.Commit),
			For:     "what these presets read: " + strings.Join(slices.Sorted(maps.Keys(names)), ", "),
			Licence: cmp.Or(s.Licence, "none is given"),
		},
		Repository: s.Repository, Commit: s.Commit, Folder: folder(s),
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		c.Files = append(c.Files, files[name])
	}
	return c
}

// dataSet is where a list of a data set is fetched.
func dataSet(l configs.PresetList) *official.PublishedFile {
	return &official.PublishedFile{
		Name:    path.Base(l.DataSet) + "-" + path.Base(l.File),
		URL:     official.HuggingFace + "/datasets/" + l.DataSet + "/resolve/main/" + l.File,
		For:     "a list of tasks, which the repository lacks",
		Licence: "see the page of the data set",
	}
}

// check says why a content is not what a preset wants.
type check = func(content []byte) error

func combine(a, b check) check {
	return func(content []byte) error {
		if a != nil {
			if err := a(content); err != nil {
				return err
			}
		}
		return b(content)
	}
}

func wholeFile(f configs.PresetFile) check {
	return func(content []byte) error { return f.CheckHash("what it has", content) }
}

// list looks at the form of a list, whose hash may not be known.
func list(l configs.PresetList) check {
	return func(content []byte) error {
		if l.Format != "names" && !json.Valid(content) {
			return errors.New("it is not JSON")
		}
		return nil
	}
}

func text(x configs.SourceText) check {
	return func(content []byte) error {
		_, err := x.Read(content)
		return err
	}
}
