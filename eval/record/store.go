package record

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/gofrs/flock"
)

// The files of a run directory.
const (
	manifestFile = "run.json"
	episodesFile = "episodes.jsonl"
	lockFile     = "lock"
)

// ErrBusy says that another process is working on the run directory.
var ErrBusy = errors.New("another process is working on this run")

// Store is a run directory that this process works on. It is safe for
// concurrent use.
type Store struct {
	dir  string
	lock *flock.Flock

	mu       sync.Mutex
	episodes *os.File
	broken   error // a write failed; what it left makes further ones unsafe

	// Results are the attempts that were on disk when the store was opened.
	Results []Result
	// Recovered is the number of bytes of an unfinished last line, left by a
	// crash, that opening took away.
	Recovered int
}

// Open opens a run directory for work, making it if need be, and keeps other
// processes out until Close.
func Open(dir string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	lock := flock.New(filepath.Join(dir, lockFile))
	switch ok, err := lock.TryLock(); {
	case err != nil:
		return nil, fmt.Errorf("locking %s: %w", dir, err)
	case !ok:
		return nil, fmt.Errorf("%s: %w; wait for it, or give another --out", dir, ErrBusy)
	}
	s := &Store{dir: dir, lock: lock}
	if err := s.openEpisodes(); err != nil {
		return nil, errors.Join(err, lock.Unlock())
	}
	return s, nil
}

// openEpisodes reads what is there and makes it ready to be added to.
func (s *Store) openEpisodes() error {
	name := filepath.Join(s.dir, episodesFile)
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	s.episodes = f
	results, whole, size, err := readResults(f, name)
	if err != nil {
		return errors.Join(err, f.Close())
	}
	s.Results, s.Recovered = results, int(size-whole)
	if err := f.Truncate(whole); err != nil {
		return errors.Join(err, f.Close())
	}
	if _, err := f.Seek(whole, io.SeekStart); err != nil {
		return errors.Join(err, f.Close())
	}
	return nil
}

// Manifest reads run.json; it is nil when the run is new.
func (s *Store) Manifest() (*Manifest, error) {
	m, err := ReadManifest(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return m, err
}

// SetManifest writes run.json.
func (s *Store) SetManifest(m *Manifest) error { return m.write(s.dir) }

// Append writes one attempt. It is on disk when Append returns without error.
// A record that contradicts itself is refused. After a failed write all others
// are refused, too: it may have left half a line, which is recovered only at the
// end of the file.
func (s *Store) Append(e *Episode) error {
	e.Schema = Schema
	if err := e.check(); err != nil {
		return err
	}
	line, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("the record cannot be written: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken != nil {
		return s.broken
	}
	if _, err = s.episodes.Write(append(line, '\n')); err == nil {
		err = s.episodes.Sync()
	}
	if err != nil {
		s.broken = fmt.Errorf("recording episodes: %w", err)
	}
	return s.broken
}

// Close ends the work on the directory.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return errors.Join(s.episodes.Close(), s.lock.Unlock())
}

// ReadResults reads the attempts of a run directory without working on it. An
// unfinished last line, of a run that crashed or is under way, is passed over.
func ReadResults(dir string) ([]Result, error) {
	name := filepath.Join(dir, episodesFile)
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	results, _, _, err := readResults(f, name)
	return results, err
}

// readResults decodes lines. It returns the length of what is whole and of all:
// a crash can leave the last line unfinished or garbled. A bad line anywhere else
// is not what a crash leaves, and an error.
func readResults(r io.Reader, name string) (results []Result, whole, size int64, err error) {
	in := bufio.NewReaderSize(r, 1<<20)
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		size += int64(len(line))
		if err == io.EOF {
			return results, whole, size, nil
		}
		if err != nil {
			return nil, 0, 0, err
		}
		result, bad := parseResult(line)
		if bad != nil {
			if _, err := in.Peek(1); err == io.EOF && !json.Valid(line) {
				return results, whole, size, nil
			}
			return nil, 0, 0, fmt.Errorf("%s:%d: %w", name, n, bad)
		}
		results = append(results, result)
		whole = size
	}
}

func parseResult(line []byte) (r Result, err error) {
	if err := unmarshal(line, &r); err != nil {
		return r, err
	}
	return r, r.check()
}
