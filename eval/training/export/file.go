package export

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/gofrs/flock"

	"heldout/scoring/record"
)

// File is a file that has its name only when it is complete. Until then it is
// NAME.heldout-unfinished, which a killed process leaves behind and the next one writes anew.
type File struct {
	name string
	file *os.File
	lock *flock.Flock // nil on Windows, where a locked file cannot be written
	out  *bufio.Writer
	sum  hash.Hash
	size int64
}

// Create begins a file. A file with its name is replaced at the end if replace is set,
// otherwise it is an error.
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
	f := &File{name: name, sum: sha256.New()}
	partial := name + record.Unfinished
	if info, err := os.Lstat(partial); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file: remove it", partial)
	}
	var err error
	f.file, err = os.OpenFile(partial, os.O_RDWR|os.O_CREATE, 0o666)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: the folder %s does not exist: make it first", name, filepath.Dir(name))
	}
	if err != nil {
		return nil, err
	}
	if runtime.GOOS != "windows" {
		f.lock = flock.New(partial, flock.SetFlag(os.O_RDWR))
		if ok, err := f.lock.TryLock(); err != nil || !ok {
			_ = f.file.Close()
			return nil, errors.Join(err, fmt.Errorf("%s: another process writes it", partial))
		}
	}
	if err := f.file.Truncate(0); err != nil {
		f.Abort()
		return nil, err
	}
	f.out = bufio.NewWriterSize(f.file, 1<<20)
	return f, nil
}

// Name is the name that the file gets.
func (f *File) Name() string { return f.name }

// Size is the number of bytes so far.
func (f *File) Size() int64 { return f.size }

// Sum is the SHA-256 of what was written, in hex.
func (f *File) Sum() string { return hex.EncodeToString(f.sum.Sum(nil)) }

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

// Commit gives the file its name once it is on disk.
func (f *File) Commit() error {
	if err := f.Flush(); err != nil {
		f.Abort()
		return err
	}
	if err := f.file.Close(); err != nil {
		f.Abort()
		return err
	}
	err := os.Rename(f.name+record.Unfinished, f.name)
	f.release()
	if err == nil && runtime.GOOS != "windows" {
		err = syncDir(filepath.Dir(f.name))
	}
	return err
}

// Abort removes what was written.
func (f *File) Abort() {
	_ = f.file.Close() // it is removed
	_ = os.Remove(f.name + record.Unfinished)
	f.release()
}

func (f *File) release() {
	if f.lock != nil {
		_ = f.lock.Close() // the file has its name, or is gone
	}
}

// syncDir flushes a directory, so that its files keep their names after a power
// failure. Some file systems cannot.
func syncDir(name string) error {
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	_ = d.Sync() // the content is safe; only the name may be the old one
	return d.Close()
}
