package export

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"heldout/envs/datafile"
	"heldout/scoring/record"
)

// File is a file that has its name only when it is complete. Until then it is in a workplace, which a killed process
// leaves behind and the next one takes over.
type File struct {
	name    string
	place   *record.Workplace
	file    *os.File
	out     *bufio.Writer
	sum     hash.Hash
	size    int64
	adopted string // the SHA-256 of what another program wrote
}

// Create begins a file. A file with its name is replaced at the end if replace is set, otherwise it is an error.
func Create(name string, replace bool) (*File, error) {
	switch info, err := os.Lstat(name); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file: give another name", name)
	case !replace:
		return nil, fmt.Errorf("%s exists: give another name, or --force", name)
	}
	place, err := record.OpenWorkplace(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: the folder %s does not exist: make it first", name, filepath.Dir(name))
	}
	if err != nil {
		return nil, err
	}
	f := &File{name: name, place: place, sum: sha256.New()}
	if f.file, err = os.Create(f.partial()); err != nil {
		return nil, errors.Join(err, place.Close())
	}
	f.out = bufio.NewWriterSize(f.file, 1<<20)
	return f, nil
}

func (f *File) partial() string { return f.place.Path("file") }

// Name is the name that the file gets.
func (f *File) Name() string { return f.name }

// Size is the number of bytes so far.
func (f *File) Size() int64 { return f.size }

// Sum is the SHA-256 of what was written, in hex.
func (f *File) Sum() string { return cmp.Or(f.adopted, hex.EncodeToString(f.sum.Sum(nil))) }

// Write implements io.Writer.
func (f *File) Write(b []byte) (int, error) {
	n, err := f.out.Write(b)
	f.sum.Write(b[:n])
	f.size += int64(n)
	return n, err
}

// Flush puts what was written on the disk.
func (f *File) Flush() error {
	if err := f.out.Flush(); err != nil {
		return err
	}
	return f.file.Sync()
}

// adopt takes what another program has written in the file's place.
func (f *File) adopt() (err error) {
	if f.adopted, err = datafile.Sum(f.partial()); err != nil {
		return err
	}
	info, err := f.file.Stat()
	if err == nil {
		f.size = info.Size()
	}
	return err
}

// Commit gives the file its name once it is on disk.
func (f *File) Commit() error {
	if err := errors.Join(f.Flush(), f.file.Close()); err != nil {
		return errors.Join(err, f.place.Close())
	}
	if err := os.Rename(f.partial(), f.name); err != nil {
		return errors.Join(err, f.place.Close())
	}
	if err := f.place.Close(); err != nil || runtime.GOOS == "windows" {
		return err
	}
	return syncDir(filepath.Dir(f.name))
}

// Abort removes what was written.
func (f *File) Abort() {
	_ = f.file.Close() // it is removed
	_ = f.place.Close()
}

// WriteFile writes a file for the user, all or nothing. A file of that name is an error without force.
func WriteFile(name string, force bool, write func(io.Writer) error) error {
	f, err := Create(name, force)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		f.Abort()
		return err
	}
	return f.Commit()
}

// files get their names together, in the order in which they were begun.
type files struct {
	force bool // replaces files that have the names
	list  []*File
}

// create begins one more.
func (s *files) create(name string) (*File, error) {
	f, err := Create(name, s.force)
	if err == nil {
		s.list = append(s.list, f)
	}
	return f, err
}

// end gives the files their names, or removes them after an error.
func (s *files) end(err error) error {
	for _, f := range s.list {
		if err != nil {
			f.Abort()
		} else {
			err = f.Commit()
		}
	}
	return err
}

// syncDir flushes a directory, so that its files keep their names after a power failure. Some file systems cannot.
func syncDir(name string) error {
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	_ = d.Sync() // the content is safe; only the name may be the old one
	return d.Close()
}

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
