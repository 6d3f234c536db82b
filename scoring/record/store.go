package record

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// The files of a run directory.
const (
	manifestFile = "run.json"
	episodesFile = "episodes.jsonl"
	asideFile    = "episodes" + asideEnd
	statusFile   = "status.json"
	lockFile     = "lock"
)

// ErrMoved says that the data file has left its run directory, so nothing more can be stored there.
var ErrMoved = errors.New("somebody deleted, moved or replaced it or its directory")

// ErrBusy says that another process is working on the run directory.
var ErrBusy = errors.New("another process is working on this run")

// Store is a run directory that this process works on. It is safe for concurrent use. If locks do nothing, two
// processes may play the same episodes, but neither damages the lines of the other.
type Store struct {
	*appender

	// Manifest is run.json and Attempts are the attempts that were on disk when the
	// store was opened. Manifest is nil if the run is new.
	Manifest *Manifest
	Attempts []Attempt
	Answered map[string]Answered // the models that answered in results on disk, by the model that was asked
	Replies  *Replies            // those to attempts that have not come to an end; nil if they are not kept

	forks forks
}

// Open opens a run directory for work, creates it if necessary, and locks out
// other processes until Close. It checks what it needs to continue the run: results, not
// trajectories, as long as checksums hold. Reading checks everything.
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

// lockOn opens and locks a run directory, but does not read it.
func lockOn(d disk, dir string) (*Store, error) {
	a, err := openAppender(d, dir, episodesFile, "episodes")
	if err != nil {
		return nil, err
	}
	return &Store{appender: a}, nil
}

// Append writes one attempt. It is on disk when Append returns without error. Attempts that come while others are
// being written wait, and are then written together with one flush. A record that contradicts itself is refused.
// After a failed write, all other writes are refused: the content of the disk is unknown until it is read again.
func (s *Store) Append(e *Episode) error {
	e.Schema = Schema
	if err := e.check(); err != nil {
		return err
	}
	c := *e
	c.Checksum = ""
	err := s.add(&c)
	if err == nil && !e.Unusable {
		s.Replies.Forget(e.ID)
	}
	return err
}

// read reads what is there, and finds out what the next write must begin with.
func (s *Store) read() error {
	var err error
	if s.Manifest, err = ReadManifest(s.dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	visit := func(e *Episode, _ Position, _ any) {
		s.Attempts = append(s.Attempts, e.Result.Brief())
		s.noteAnswered(&e.Result)
	}
	return s.resume(briefly, newChecker(s.Manifest.Plan()).attempts(s.name, visit))
}

// noteAnswered notes which models answered in a result.
func (s *Store) noteAnswered(r *Result) {
	if !r.Outcome.Final() || len(r.Answered) == 0 {
		return
	}
	if s.Answered == nil {
		s.Answered = map[string]Answered{}
	}
	counts := s.Answered[r.Model]
	for name, n := range r.Answered {
		counts.Add(name, n)
	}
	s.Answered[r.Model] = counts
}

// SetManifest writes run.json.
func (s *Store) SetManifest(m *Manifest) error {
	c := *m
	c.Schema = Schema
	b, err := EncodeFile(&c)
	if err != nil {
		return err
	}
	long, err := checkNesting(b)
	if err == nil {
		err = m.checkLimits(b, long)
	}
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w", manifestFile, err)
	}
	return s.disk.replace(filepath.Join(s.dir, manifestFile), b)
}

func notRegular(name string) error { return fmt.Errorf("%s is not a regular file", name) }

// Read reads a run directory without locking it; another process may work on it at the same time. Read skips an
// unfinished last line, which a crashed or active run leaves.
func Read(dir string) (*Manifest, []Result, error) {
	var results []Result
	m, err := EachEpisode(Parts{dir}, func(_ *Manifest, e *Episode) { results = append(results, e.Result) })
	return m, results, err
}

// EachEpisode reads a run as Read does and visits every attempt in the order of the file, or of the files of its
// shards, with its trajectory, and what was planned. Nothing of the attempt is kept afterwards.
func EachEpisode(p Readable, visit func(*Manifest, *Episode)) (*Manifest, error) {
	return p.chosen().visit(func(*Manifest, *Plan, string) func() decoder { return entirely },
		func(m *Manifest, e *Episode, _ Position, _ any) { visit(m, e) })
}

// EachDerived is EachEpisode for what takes long: derive makes something of each attempt, for several attempts at
// the same time and before they are checked against the plan. It must not keep the trajectory. visit gets the
// attempt without it, and the position in the plan.
func EachDerived[T any](p Readable, derive func(*Manifest, *Episode) T,
	visit func(*Manifest, *Episode, Position, T)) (*Manifest, error) {
	begin := func(m *Manifest, _ *Plan, _ string) func() decoder {
		return func() decoder { return deriving(func(e *Episode) any { return derive(m, e) }) }
	}
	return p.chosen().visit(begin, func(m *Manifest, e *Episode, pos Position, v any) { visit(m, e, pos, v.(T)) })
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

// attempts visits the attempts in the lines of an episodes file.
func (c *checker) attempts(name string, visit func(*Episode, Position, any)) func(*scanned) error {
	return c.lines(func(l *scanned, pos Position) error {
		switch {
		case l.torn:
			return nil
		case l.bad != nil:
			return badLine(name, l)
		}
		visit(&l.episode, pos, l.derived)
		return nil
	})
}

// end returns what matters of a line if it is the last one: its length if it is
// unfinished, and what has to be written before the next line.
func (l *scanned) end() (torn int, lead []byte) {
	complete := bytes.HasSuffix(l.raw, []byte("\n"))
	switch {
	case l.torn && complete: // by a crash in the middle of tornEnd
		return len(l.raw), []byte("\n")
	case l.torn:
		return len(l.raw), []byte(tornEnd)
	case !complete:
		return 0, []byte("\n")
	}
	return 0, nil
}

// badLine says where a line is bad and what can be done.
func badLine(name string, l *scanned) error {
	var schema *schemaError
	if errors.As(l.bad, &schema) && schema.newer() {
		return fmt.Errorf("%s:%d: %w", name, l.number, l.bad)
	}
	return fmt.Errorf("%s:%d: %w; heldout repair %s sets such lines aside", name, l.number, l.bad, filepath.Dir(name))
}
