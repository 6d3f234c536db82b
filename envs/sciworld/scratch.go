package sciworld

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/gofrs/flock"
)

// scratch is a folder for the machines of one environment. While the environment
// exists, it holds a lock next to the folder. The next environment can therefore
// recognise and remove the folders of killed ones.
type scratch struct {
	mu   sync.Mutex
	dir  string // empty before the first use and after the last
	lock *flock.Flock
}

// The name of such a folder starts with scratchName. The name of its lock also
// ends with lockSuffix.
const (
	scratchName = "heldout-sciworld-"
	lockSuffix  = ".lock"
)

func (s *scratch) folder() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dir == "" {
		sweepScratch(os.TempDir())
		if err := s.make(); err != nil {
			return "", err
		}
	}
	return os.MkdirTemp(s.dir, "jvm-")
}

// make makes the folder. It takes the lock before the folder becomes visible.
func (s *scratch) make() error {
	f, err := os.CreateTemp("", scratchName+"*"+lockSuffix)
	if err != nil {
		return err
	}
	lock := flock.New(f.Name())
	if err := errors.Join(f.Close(), lock.Lock()); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	dir := strings.TrimSuffix(f.Name(), lockSuffix)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return errors.Join(err, lock.Close(), os.Remove(f.Name()))
	}
	s.dir, s.lock = dir, lock
	return nil
}

func (s *scratch) remove() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dir == "" {
		return nil
	}
	err := errors.Join(os.RemoveAll(s.dir), s.lock.Close(), os.Remove(s.lock.Path()))
	s.dir = ""
	return err
}

// sweepScratch removes folders whose environments are gone, as far as they are ours.
func sweepScratch(parent string) {
	left, err := filepath.Glob(filepath.Join(parent, scratchName+"*"))
	if err != nil {
		return
	}
	for _, dir := range left {
		if strings.HasSuffix(dir, lockSuffix) {
			continue
		}
		lock := flock.New(dir + lockSuffix)
		if got, err := lock.TryLock(); err == nil && got {
			os.RemoveAll(dir)
			os.Remove(lock.Path())
		}
		lock.Close()
	}
}
