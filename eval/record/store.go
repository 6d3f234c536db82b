package record

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/gofrs/flock"
)

// The files of a run directory.
const (
	manifestFile = "run.json"
	episodesFile = "episodes.jsonl"
	asideFile    = "episodes.set-aside"
	statusFile   = "status.json"
	lockFile     = "lock"
)

// ErrMoved says that the data file is no longer in its run directory, so nothing
// more can be stored there.
var ErrMoved = errors.New("somebody deleted, moved or replaced it or its directory")

// ErrBusy says that another process is working on the run directory.
var ErrBusy = errors.New("another process is working on this run")

// Store is a run directory that this process works on. It is safe for
// concurrent use.
//
// The episodes file is only ever added to. Locks keep other processes out; if
// locks do nothing, two processes may play the same episodes, but neither damages
// the lines of the other.
type Store struct {
	dir, name string // name is that of the episodes file
	disk      disk
	locks     []*flock.Flock
	warnings  []string // changed under mu

	// Results are the attempts that were on disk when the store was opened.
	Results []Result
	// Recovered is the number of bytes of an unfinished last line, left by a crash,
	// that was skipped.
	Recovered int

	mu      sync.Mutex
	pending *batch // takes lines until it is written; nil: none wait

	writing  sync.Mutex // held while a batch is written; guards what follows
	episodes *os.File
	size     int64  // of the file, when this process last looked
	lead     []byte // what the next write must begin with
	stable   bool   // the file system tells whether two files are the same
	broken   error  // a write failed; what the disk holds of it is unknown
}

// Open opens a run directory for work, creates it if necessary, and locks out
// other processes until Close.
func Open(dir string) (*Store, error) { return openOn(realDisk(), dir) }

func openOn(d disk, dir string) (*Store, error) {
	s, err := lockOn(d, dir)
	if err != nil {
		return nil, err
	}
	if err := s.read(); err != nil {
		return nil, errors.Join(err, s.release())
	}
	return s, nil
}

// lockOn opens the episodes file of a run directory, locks both, and finds out
// what the file system cannot do. It does not read the file.
func lockOn(d disk, dir string) (*Store, error) {
	if err := d.makeDir(dir); err != nil {
		return nil, err
	}
	s := &Store{dir: dir, name: filepath.Join(dir, episodesFile), disk: d}
	if err := s.prepare(); err != nil {
		return nil, errors.Join(err, s.release())
	}
	return s, nil
}

func (s *Store) prepare() (err error) {
	if err := s.lock(filepath.Join(s.dir, lockFile)); err != nil {
		return err
	}
	// O_APPEND: the system itself appends every write after all others.
	if s.episodes, err = os.OpenFile(s.name, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o666); err != nil {
		return err
	}
	info, err := s.episodes.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return notRegular(s.name)
	}
	// Locks on Windows also prevent reading.
	if runtime.GOOS != "windows" {
		if err := s.lock(s.name); err != nil {
			return err
		}
	}
	there, err := os.Stat(s.name)
	if err != nil {
		return err
	}
	if s.stable = s.disk.same(info, there); !s.stable {
		s.warn("its file system does not tell whether two files are the same: if %s is replaced while heldout writes to it, what is written is lost", episodesFile)
	}
	if err := removeLeftovers(s.dir); err != nil {
		return err
	}
	return s.trySync()
}

// lock takes the lock on a file.
func (s *Store) lock(file string) error {
	// Network file systems require a file that is open for writing.
	l := flock.New(file, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o666))
	ok, err := s.disk.tryLock(l)
	switch {
	case unsupported(err):
		s.warn("its file system has no locks (%v): nothing keeps a second process out; two of them would play episodes twice, but lose none", err)
		return nil
	case err != nil:
		return fmt.Errorf("locking %s: %w; give an --out on another file system", s.dir, err)
	case !ok:
		return fmt.Errorf("%s: %w; wait for it, or give another --out", s.dir, ErrBusy)
	}
	s.locks = append(s.locks, l)
	return nil
}

// trySync finds out whether files and directories can be flushed.
func (s *Store) trySync() error {
	switch err := s.disk.sync(s.episodes); {
	case unsupported(err):
		s.warn("its file system cannot flush files (%v): a power failure can lose finished episodes", err)
	case err != nil:
		return fmt.Errorf("flushing %s: %w", s.name, err)
	}
	switch err := s.disk.syncDir(s.dir); {
	case err != nil && tolerable(err):
		s.warn("the directory cannot be flushed (%v): after a power failure its newest files can be missing", err)
	case err != nil:
		return fmt.Errorf("flushing %s: %w", s.dir, err)
	}
	return nil
}

// warn notes what is not guaranteed, once.
func (s *Store) warn(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if text := s.dir + ": " + fmt.Sprintf(format, args...); !slices.Contains(s.warnings, text) {
		s.warnings = append(s.warnings, text)
	}
}

// TakeWarnings returns what the file system does not guarantee, as far as it has
// shown since the last call.
func (s *Store) TakeWarnings() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken := s.warnings
	s.warnings = nil
	return taken
}

// read reads what is there, and finds out what the next write must begin with.
func (s *Store) read() error {
	manifest, err := s.Manifest()
	if err != nil {
		return err
	}
	info, err := s.episodes.Stat()
	if err != nil {
		return err
	}
	s.size = info.Size()
	s.Recovered, s.lead, err = eachAttempt(io.NewSectionReader(s.episodes, 0, s.size), s.name, manifest, func(e *Episode) {
		s.Results = append(s.Results, e.Result)
	})
	return err
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
func (s *Store) SetManifest(m *Manifest) error {
	b, err := encodeJSON(m)
	if err != nil {
		return err
	}
	return s.disk.replace(filepath.Join(s.dir, manifestFile), b)
}

// Close ends the work on the directory. An error says that the written data is
// not, or may not be, in the directory.
func (s *Store) Close() error {
	s.writing.Lock()
	defer s.writing.Unlock()
	var err error
	if s.broken == nil {
		_, err = s.inPlace()
	}
	s.broken = fmt.Errorf("recording episodes: %w", os.ErrClosed)
	return errors.Join(err, s.release())
}

// release closes the file and gives back the locks.
func (s *Store) release() (err error) {
	if s.episodes != nil {
		err = s.episodes.Close()
	}
	for _, l := range slices.Backward(s.locks) {
		err = errors.Join(err, l.Unlock())
	}
	return err
}

func notRegular(name string) error { return fmt.Errorf("%s is not a regular file", name) }

// Read reads a run directory without locking it; another process may work on it
// at the same time. Read skips an unfinished last line, which a crashed or active
// run leaves.
func Read(dir string) (*Manifest, []Result, error) {
	var results []Result
	m, err := Each(dir, func(_ *Manifest, e *Episode) { results = append(results, e.Result) })
	return m, results, err
}

// Each reads a run directory as Read does and visits every attempt in the order of
// the file, with its trajectory, and what was planned. Nothing of the attempt is
// kept afterwards. The shards in a run directory are read as one run.
func Each(dir string, visit func(*Manifest, *Episode)) (*Manifest, error) {
	shards, err := Shards(dir)
	switch {
	case err != nil:
		return nil, err
	case len(shards) > 0:
		return eachShard(shards, visit)
	}
	return eachOf(dir, visit)
}

// eachOf is Each for a directory without shards.
func eachOf(dir string, visit func(*Manifest, *Episode)) (*Manifest, error) {
	name := filepath.Join(dir, episodesFile)
	content, err := wholeFile(name)
	if err != nil {
		return nil, err
	}
	if content != nil {
		defer content.file.Close()
	}
	// The manifest is read after the size of the file was: lines up to there are
	// planned in it.
	m, err := ReadManifest(dir)
	if err != nil || content == nil {
		return m, err
	}
	_, _, err = eachAttempt(io.NewSectionReader(content.file, 0, content.size), name, m, func(e *Episode) { visit(m, e) })
	return m, err
}

// Size returns the size of a run directory's attempts, in bytes.
func Size(dir string) (int64, error) {
	info, err := os.Stat(filepath.Join(dir, episodesFile))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// sized is an open file with the size that it had then.
type sized struct {
	file *os.File
	size int64
}

// wholeFile opens a regular file; nil if there is none.
func wholeFile(name string) (*sized, error) {
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, notRegular(name)
	}
	f, err := os.Open(name)
	return &sized{f, info.Size()}, err
}

// eachAttempt visits the attempts in an episodes file and checks each against the
// manifest, unless that is nil. It returns the length of an unfinished last line,
// and what has to be written before the next line.
func eachAttempt(r io.Reader, name string, m *Manifest, visit func(*Episode)) (torn int, lead []byte, err error) {
	plan := newChecker(m.plan())
	err = scan(r, name, func(l *line) error {
		if l.bad == nil {
			l.bad = plan.check(&l.episode)
		}
		torn, lead = 0, nil
		if !bytes.HasSuffix(l.raw, []byte("\n")) {
			lead = []byte("\n")
		}
		switch {
		case l.torn:
			torn, lead = len(l.raw), append(lead, '\n')
		case l.bad != nil:
			return badLine(name, l)
		default:
			visit(&l.episode)
		}
		return nil
	})
	if err != nil {
		return 0, nil, err
	}
	return torn, lead, nil
}

// badLine says where a line is bad and what can be done.
func badLine(name string, l *line) error {
	var schema *schemaError
	if errors.As(l.bad, &schema) && schema.newer() {
		return fmt.Errorf("%s:%d: %w", name, l.number, l.bad)
	}
	return fmt.Errorf("%s:%d: %w; heldout repair %s sets such lines aside", name, l.number, l.bad, filepath.Dir(name))
}
