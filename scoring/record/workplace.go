package record

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// Workplace is a folder in which something is made before it gets its name. One process at a time
// has it. What a killed process leaves there, the next one that makes the same finds and removes.
type Workplace struct {
	Dir  string
	lock *flock.Flock
}

// workplaceLock is the file in a workplace that its process has locked.
const workplaceLock = "lock"

// OpenWorkplace makes the workplace of a file or folder, beside it, or takes over the one of a
// process that was killed. The error says if another process has it.
func OpenWorkplace(target string) (*Workplace, error) {
	w := &Workplace{Dir: filepath.Clean(target) + Unfinished}
	if err := os.Mkdir(w.Dir, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
		return nil, err
	}
	if info, err := os.Lstat(w.Dir); err != nil || !info.IsDir() {
		return nil, errors.Join(err, fmt.Errorf("%s is not a folder: remove it", w.Dir))
	}
	w.lock = flock.New(filepath.Join(w.Dir, workplaceLock))
	if ok, err := w.lock.TryLock(); err != nil || !ok {
		return nil, errors.Join(err, fmt.Errorf("%s: another process writes it", w.Dir))
	}
	return w, nil
}

// Empty removes what a killed process left.
func (w *Workplace) Empty() error {
	entries, err := os.ReadDir(w.Dir)
	for _, e := range entries {
		if e.Name() != workplaceLock {
			err = errors.Join(err, os.RemoveAll(filepath.Join(w.Dir, e.Name())))
		}
	}
	return err
}

// Path is the path of something in the workplace.
func (w *Workplace) Path(name string) string { return filepath.Join(w.Dir, name) }

// Close removes the workplace and all that is in it.
func (w *Workplace) Close() error {
	if err := os.RemoveAll(w.Dir); err == nil {
		return w.lock.Unlock()
	}
	return errors.Join(w.lock.Unlock(), os.RemoveAll(w.Dir)) // some systems keep a file that is open
}
