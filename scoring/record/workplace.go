package record

import (
	"context"
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

// OpenScratch makes a workplace of no file in a folder for temporary files, for this user alone.
// It removes those with the prefix that killed processes have left there.
func OpenScratch(folder, prefix string) (*Workplace, error) {
	old, err := filepath.Glob(filepath.Join(folder, prefix+"*"+Unfinished))
	if err != nil {
		return nil, err
	}
	for _, dir := range old {
		w := &Workplace{Dir: dir, lock: flock.New(filepath.Join(dir, workplaceLock), flock.SetFlag(os.O_RDWR))}
		if dead, err := w.lock.TryLock(); err == nil && dead { // another user's cannot be locked
			_ = w.Close()
		}
	}
	dir, err := os.MkdirTemp(folder, prefix+"*"+Unfinished)
	if err != nil {
		return nil, err
	}
	w := &Workplace{Dir: dir, lock: flock.New(filepath.Join(dir, workplaceLock))}
	if ok, err := w.lock.TryLock(); err != nil || !ok {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return w, nil
}

// Until removes the workplace when ctx ends, unless stop is called before, which returns false if it
// is too late. A command that does not end soon after a signal is left, and never comes to Close.
func (w *Workplace) Until(ctx context.Context) (stop func() bool) {
	return context.AfterFunc(ctx, func() { _ = w.Close() })
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
