package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"syscall"

	"github.com/gofrs/flock"
)

// disk holds the operations that can fail, or do nothing, depending on the file
// system. Tests replace single functions.
type disk struct {
	tryLock func(*flock.Flock) (bool, error)
	write   func(*os.File, []byte) (int, error)
	// sync flushes a file or a directory.
	sync   func(*os.File) error
	rename func(oldpath, newpath string) error
	// same reports whether two descriptions describe one file.
	same func(a, b fs.FileInfo) bool
}

// realDisk is the real file system.
func realDisk() disk {
	return disk{
		tryLock: (*flock.Flock).TryLock,
		write:   (*os.File).Write,
		sync:    (*os.File).Sync,
		rename:  os.Rename,
		same:    os.SameFile,
	}
}

// unsupported reports whether an error says that the file system lacks an
// operation, and not that the operation failed.
func unsupported(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOLCK)
}

// syncDir flushes a directory: the names that were created, renamed and removed in it. Windows has no such call.
func (d disk) syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.sync(f), f.Close())
}

// MissingDirs lists the parents of the directories that a directory needs and that do not exist, the innermost first.
// The error says that a file has the place of one.
func MissingDirs(dir string) (parents []string, err error) {
	for current := filepath.Clean(dir); ; current = filepath.Dir(current) {
		info, err := os.Stat(current)
		switch {
		case err == nil && !info.IsDir():
			return nil, fmt.Errorf("%s is a file: name a folder", current)
		case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR):
			return parents, nil
		}
		parents = append(parents, filepath.Dir(current))
	}
}

// makeDir makes a directory with its parents and flushes the names of those that it made.
func (d disk) makeDir(dir string) error {
	parents, err := MissingDirs(dir)
	if err != nil {
		return err
	}
	err = os.MkdirAll(dir, 0o777) // the umask removes permissions
	if link, ok := errors.AsType[*fs.PathError](err); ok && errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is a link that leads nowhere: make what it names, or name another folder", link.Path)
	} else if err != nil {
		return fmt.Errorf("the folder cannot be made: %w; name another one", err)
	}
	for _, parent := range parents {
		if err := d.syncDir(parent); err != nil && !tolerable(err) {
			return err
		}
	}
	return nil
}

// tolerable reports whether a directory that cannot be flushed gives no reason to stop: the file system has no such
// operation, or the user may not read the directory.
func tolerable(err error) bool { return unsupported(err) || errors.Is(err, fs.ErrPermission) }

// replace writes a file atomically, with the permissions that the umask leaves.
func (d disk) replace(file string, content []byte) error {
	return d.replaceWith(file, func(f *os.File) error {
		_, err := d.write(f, content)
		return err
	})
}

// replaceWith is replace for a content that is written piece by piece. write may be called more than once.
func (d disk) replaceWith(file string, write func(*os.File) error) error {
	// If locks do nothing, another process may mistake the temporary file for a leftover.
	const attempts = 3
	for attempt := 1; ; attempt++ {
		err := d.replaceOnce(file, write)
		if attempt < attempts && errors.Is(err, fs.ErrNotExist) {
			continue
		}
		return err
	}
}

func (d disk) replaceOnce(file string, write func(*os.File) error) error {
	temporary, err := createTemporary(file)
	if err != nil {
		return err
	}
	err = write(temporary)
	if err == nil {
		if err = d.sync(temporary); unsupported(err) {
			err = nil // Open warned of it
		}
	}
	if err = errors.Join(err, temporary.Close()); err == nil {
		err = d.rename(temporary.Name(), file)
	}
	if err != nil {
		return errors.Join(err, removeIfThere(temporary.Name()))
	}
	if err := d.syncDir(filepath.Dir(file)); err != nil && !tolerable(err) {
		return err
	}
	return nil
}

// Unfinished is in the names of files and directories that are being written. Nobody
// else would choose such a name, so those that a killed process leaves can be removed.
const Unfinished = ".heldout-unfinished"

// createTemporary creates a file beside another one. Its permissions are those
// that the umask leaves; os.CreateTemp's would need a chmod.
func createTemporary(file string) (*os.File, error) {
	const limit = 100
	for i := 1; ; i++ {
		f, err := os.OpenFile(fmt.Sprintf("%s%s%d", file, Unfinished, i), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if i == limit || !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

func removeIfThere(file string) error {
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// leftover matches the temporary files that a killed process leaves.
var leftover = regexp.MustCompile(regexp.QuoteMeta(Unfinished) + `[0-9]+$`)

// removeLeftovers removes the temporary files of a run directory, and names them.
func removeLeftovers(dir string) (removed []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if e.Type().IsRegular() && leftover.MatchString(e.Name()) {
			if err := removeIfThere(filepath.Join(dir, e.Name())); err != nil {
				return removed, err
			}
			removed = append(removed, e.Name())
		}
	}
	return removed, nil
}
