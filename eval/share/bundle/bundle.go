// Package bundle keeps the results of runs in one file that others can check: the records, without times, addresses
// and paths, and the tables that they give. The file is a tar archive in zstd. Equal runs give equal bytes.
//
//	bundle.json           who hands it in, what models are said to be, and the other files
//	run-1/run.json        the plan, as scoring/record writes it
//	run-1/episodes.jsonl  all attempts, in the order of the plan
//	run-2/…
//	tables.json           the tables of all runs
package bundle

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"

	"heldout/configs"
	"heldout/scoring/record"
)

// Schema is the version of the form of bundles.
const Schema = 1

// Extension is how the names of bundles end.
const Extension = ".heldout"

// The names of the files in a bundle that do not belong to a run.
const (
	aboutFile  = "bundle.json"
	tablesFile = "tables.json"
)

// The files of a run, as scoring/record names them.
const (
	manifestFile = "run.json"
	episodesFile = "episodes.jsonl"
)

// The limits of a bundle. The records of 100,000 episodes have about 1 GB.
const (
	maxRuns  = 1000
	maxAbout = 1 << 20  // bytes of bundle.json
	maxSize  = 64 << 30 // bytes of all files, unpacked
	maxRatio = 1000     // bytes unpacked for each byte of the bundle; records have 10 to 100
	maxFile  = 8<<30 - 1
	window   = 8 << 20 // of the compression, bytes
)

// Manifest is bundle.json.
type Manifest struct {
	Schema int           `json:"schema"`
	About  configs.About `json:"about"` // what the authors say of themselves and of the models
	Files  []File        `json:"files"` // the other files, in their order
}

// File is a file of a bundle.
type File struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"` // bytes
	SHA256 string `json:"sha256"`
}

// Contents is an unpacked bundle.
type Contents struct {
	Manifest
	// Size is the size of the bundle, Unpacked the size of its files, in bytes.
	Size, Unpacked int64
	Runs           []record.Parts // the directories of the runs, each a run directory
	Tables         string         // the file with the tables
	// Paths are the models whose names are paths of the machine that served them; Open does not say.
	Paths []string
}

// runDir is the name of the i-th run's directory, counted from 0.
func runDir(i int) string { return fmt.Sprintf("run-%d", i+1) }

// names are the files of a bundle of so many runs, in their order.
func names(runs int) (out []string) {
	for i := range runs {
		out = append(out, runDir(i)+"/"+manifestFile, runDir(i)+"/"+episodesFile)
	}
	return append(out, tablesFile)
}

// runs returns how many runs the files belong to; an error if they are not a bundle's.
func (m *Manifest) runs() (int, error) {
	n := (len(m.Files) - 1) / 2
	if n < 1 || n > maxRuns || len(m.Files) != 2*n+1 {
		return 0, fmt.Errorf("%d files cannot belong to 1 to %d runs", len(m.Files), maxRuns)
	}
	for i, want := range names(n) {
		if f := m.Files[i]; f.Name != want || f.Size < 0 || f.Size > maxFile {
			return 0, fmt.Errorf("file %d is %.80q of %d bytes, want %s of at most %d", i+1, f.Name, f.Size, want,
				int64(maxFile))
		}
	}
	return n, nil
}

// contents describes files that are in a directory.
func (m *Manifest) contents(dir string) *Contents {
	c := &Contents{Manifest: *m, Tables: filepath.Join(dir, tablesFile)}
	for _, f := range m.Files {
		c.Unpacked += f.Size
		if path.Base(f.Name) == manifestFile {
			c.Runs = append(c.Runs, record.Parts{filepath.Join(dir, path.Dir(f.Name))})
		}
	}
	return c
}

// parse reads bundle.json.
func parse(b []byte) (*Manifest, error) {
	var m Manifest
	ok, err := record.DecodeFile(b, &m)
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return nil, errors.New("it does not end in its checksum")
	case m.Schema != Schema:
		return nil, fmt.Errorf("it has schema %d, this version of heldout reads %d", m.Schema, Schema)
	}
	return &m, m.About.Check()
}
