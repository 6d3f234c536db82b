package index

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"

	"heldout/envs/datafile"
)

// DataFile is a file of an index as it was when the build ended. Two builds of the same
// articles have different files: bleve merges in the background, and notes the time.
type DataFile struct {
	// Name is its path in the folder of the index, with slashes.
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// checkedFile says which large files were compared, and what they looked like then.
const checkedFile = "checked.json"

// large is from which size on, in bytes, a file is compared once, and then again only when
// its size or its time has changed.
const large = 64 << 20

// comparison is a file that was as its checksum says.
type comparison struct {
	DataFile
	Modified int64 `json:"modified"` // in nanoseconds
}

// listFiles lists the files below the data of an index.
func listFiles(dir string) (files []DataFile, err error) {
	err = filepath.WalkDir(filepath.Join(dir, dataDir), func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		sum, err := datafile.Sum(name)
		if err != nil {
			return err
		}
		short, err := filepath.Rel(dir, name)
		files = append(files, DataFile{filepath.ToSlash(short), info.Size(), sum})
		return err
	})
	return files, err
}

// checkFiles compares the files of an index with their checksums.
func (a Description) checkFiles(dir string) error {
	var compared map[string]comparison
	if b, err := datafile.Read(filepath.Join(dir, checkedFile), datafile.MaxConfig); err == nil {
		_ = json.Unmarshal(b, &compared) // without it, the files are compared again
	}
	current := map[string]comparison{}
	for _, f := range a.Files {
		c, err := f.check(dir, compared[f.Name])
		if err != nil {
			return err
		}
		if f.Size >= large {
			current[f.Name] = c
		}
	}
	if !maps.Equal(current, compared) && len(current) > 0 {
		if b, err := json.Marshal(current); err == nil {
			_ = datafile.Replace(filepath.Join(dir, checkedFile), b) // in a folder of others, each time compares
		}
	}
	return nil
}

// check compares a file with its checksum, unless it looks as it did at an earlier comparison.
func (f DataFile) check(dir string, previous comparison) (comparison, error) {
	name := filepath.Join(dir, filepath.FromSlash(f.Name))
	if !filepath.IsLocal(filepath.FromSlash(f.Name)) {
		return previous, damaged(filepath.Join(dir, aboutFile), "it names a file elsewhere")
	}
	info, err := os.Stat(name)
	if err != nil {
		return previous, damaged(name, err)
	}
	if info.Size() != f.Size {
		return previous, damaged(name, fmt.Sprintf("it has %d bytes, and had %d", info.Size(), f.Size))
	}
	c := comparison{f, info.ModTime().UnixNano()}
	if f.Size >= large && c == previous {
		return c, nil
	}
	sum, err := datafile.Sum(name)
	if err == nil && sum != f.SHA256 {
		return c, damaged(name, "its SHA-256 is not the one in "+aboutFile)
	}
	return c, err
}

// damaged says which file is damaged, and what to do.
func damaged(file string, cause any) error {
	return fmt.Errorf("%s is damaged (%v): build the index again, in another folder", file, cause)
}

// guarded calls what reads data with bleve, which panics on some damaged files.
func guarded(dir string, read func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // a file that was cut short
	defer func() {
		if cause := recover(); cause != nil {
			err = damaged(filepath.Join(dir, dataDir), cause)
		}
	}()
	return read()
}
