package export

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"heldout/scoring/record"
)

// Tables has another program write files with these names beside the manifest of name. They get their names once all
// of them are whole, the manifest last. fill gets the places to write to. Tables returns the names of the files.
func Tables(name string, tables []string, force bool, fill func(places []string) error) (names []string, err error) {
	together := files{force: force}
	defer func() { err = together.end(err) }()
	var places []string
	for _, t := range append(tables, filepath.Base(name)+manifestEnd) {
		f, err := together.create(filepath.Join(filepath.Dir(name), t))
		if err != nil {
			return nil, err
		}
		names, places = append(names, f.Name()), append(places, f.partial())
	}
	last := len(tables)
	if err := fill(places[:last]); err != nil {
		return nil, err
	}
	return names, writeSums(together.list[last], together.list[:last])
}

// writeSums puts the checksums of files on disk, under the unfinished name of their manifest, in place of the one
// before.
func writeSums(manifest *File, files []*File) error {
	type sum struct {
		File   string `json:"file"`
		SHA256 string `json:"sha256"`
	}
	m := struct {
		Schema int   `json:"schema"`
		Parts  []sum `json:"parts"`
	}{Schema: record.Schema}
	for _, f := range files {
		if err := f.adopt(); err != nil {
			return err
		}
		m.Parts = append(m.Parts, sum{filepath.Base(f.Name()), f.Sum()})
	}
	text, err := record.EncodeFile(m)
	if err != nil {
		return err
	}
	return manifest.replace(text)
}

// replace puts the content of a manifest on disk, under its unfinished name. An old one must not stand beside new
// files.
func (f *File) replace(content []byte) error {
	if _, err := f.Write(content); err != nil {
		return err
	}
	if err := f.Flush(); err != nil {
		return err
	}
	if err := os.Remove(f.Name()); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
