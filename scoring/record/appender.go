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
	"strings"
	"sync"

	"github.com/gofrs/flock"
)

// appender is a file of lines in a directory that this process works on. It is safe for concurrent use.
//
// The file is only ever added to. Locks keep other processes out; if locks do nothing, two processes may do the
// same work, but neither damages the lines of the other.
type appender struct {
	dir, name string // name is the file's
	base      string // the file's name in dir
	noun      string // noun for its lines, in the plural, for messages
	disk      disk
	locks     []*flock.Flock
	warnings  []string // changed under mu
	// Recovered is the number of bytes of an unfinished last line, left by a crash, that was skipped and is set aside
	// once something is written.
	Recovered int

	mu      sync.Mutex
	pending *batch // takes lines until it is written; nil: none wait

	writing sync.Mutex // held while a batch is written; guards what follows
	file    *os.File
	size    int64  // of the file, when this process last looked
	lead    []byte // what the next write must begin with
	torn    int    // the length of an unfinished last line, which the next write sets aside
	stable  bool   // the file system tells whether two files are the same
	broken  error  // a write failed; what the disk holds of it is unknown
}

// openAppender opens a file in a directory, creates both if necessary, locks
// both, and finds out what the file system cannot do. It does not read the file.
func openAppender(d disk, dir, base, noun string) (*appender, error) {
	if err := checkLogKind(dir, base); err != nil {
		return nil, err
	}
	if err := d.makeDir(dir); err != nil {
		return nil, err
	}
	s := &appender{dir: dir, name: filepath.Join(dir, base), base: base, noun: noun, disk: d}
	if err := s.prepare(); err != nil {
		return nil, errors.Join(err, s.release())
	}
	return s, nil
}

func (s *appender) prepare() (err error) {
	if err := s.lock(filepath.Join(s.dir, lockFile)); err != nil {
		return err
	}
	removed, err := removeLeftovers(s.dir)
	for _, name := range removed {
		s.warn("removed %s, which a killed process left", name)
	}
	if err != nil {
		return err
	}
	return s.openFile()
}

// openFile opens and locks the file.
func (s *appender) openFile() (err error) {
	// O_APPEND: the system itself appends every write after all others.
	if s.file, err = os.OpenFile(s.name, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o666); err != nil {
		return err
	}
	info, err := s.file.Stat()
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
	current, err := os.Stat(s.name)
	if err != nil {
		return err
	}
	if s.stable = s.disk.same(info, current); !s.stable {
		s.warn(
			"its file system does not tell whether two files are the same: if %s is replaced while heldout writes to "+
				"it, what is written is lost", s.base)
	}
	return s.trySync()
}

// lock takes the lock on a file.
func (s *appender) lock(file string) error {
	// Network file systems require a file that is open for writing.
	l := flock.New(file, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o666))
	ok, err := s.disk.tryLock(l)
	switch {
	case unsupported(err):
		s.warn(
			"its file system has no locks (%v): nothing keeps a second process out; two of them would make %s twice, "+
				"but lose none", err, s.noun)
		return nil
	case err != nil:
		return fmt.Errorf("locking %s: %w; take a folder, or a copy of it, on another file system", s.dir, err)
	case !ok:
		return fmt.Errorf("%s: %w; wait for it, or give another --out", s.dir, ErrBusy)
	}
	s.locks = append(s.locks, l)
	return nil
}

// trySync finds out whether files and directories can be flushed.
func (s *appender) trySync() error {
	switch err := s.disk.sync(s.file); {
	case unsupported(err):
		s.warn("its file system cannot flush files (%v): a power failure can lose finished %s", err, s.noun)
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

// content is what the file has now.
func (s *appender) content() (*io.SectionReader, error) {
	info, err := s.file.Stat()
	if err != nil {
		return nil, err
	}
	return io.NewSectionReader(s.file, 0, info.Size()), nil
}

// resume visits the lines, and notes what the next write must begin with.
func (s *appender) resume(newDecoder func() decoder, visit func(*scanned) error) error {
	content, err := s.content()
	if err != nil {
		return err
	}
	s.size = content.Size()
	return scan(content, s.name, newDecoder, func(l *scanned) error {
		s.torn, s.lead = l.end()
		s.Recovered = s.torn
		return visit(l)
	})
}

// warn notes what is not guaranteed, once.
func (s *appender) warn(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if text := s.dir + ": " + fmt.Sprintf(format, args...); !slices.Contains(s.warnings, text) {
		s.warnings = append(s.warnings, text)
	}
}

// TakeWarnings returns what the file system does not guarantee and which leftovers were
// removed, as far as it has shown since the last call.
func (s *appender) TakeWarnings() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	warnings := s.warnings
	s.warnings = nil
	return warnings
}

// Close ends the work on the directory. An error says that the written data is
// not, or may not be, in the directory.
func (s *appender) Close() error {
	s.writing.Lock()
	defer s.writing.Unlock()
	var err error
	if s.broken == nil {
		_, err = s.inPlace()
	}
	s.broken = fmt.Errorf("recording %s: %w", s.noun, os.ErrClosed)
	return errors.Join(err, s.release())
}

// release closes the file and gives back the locks.
func (s *appender) release() (err error) {
	if s.file != nil {
		err = s.file.Close()
	}
	for _, l := range slices.Backward(s.locks) {
		err = errors.Join(err, l.Unlock())
	}
	return err
}

// batch is the lines that are written and flushed together.
type batch struct {
	lines []*pendingLine
	done  chan struct{} // closed when their errors are set
}

// pendingLine is a JSON object that waits to be written as a line.
type pendingLine struct {
	object any
	err    error
}

// add writes a JSON object as a line. It is on disk when add returns without error.
func (s *appender) add(object any) error {
	own := &pendingLine{object: object}
	b, leads := s.join(own)
	if leads {
		s.writing.Lock()
		s.close(b)
		s.commit(b.lines)
		s.writing.Unlock()
		close(b.done)
	}
	<-b.done
	return own.err
}

// join adds a line to the batch that waits. The caller that begins a batch must write it.
func (s *appender) join(l *pendingLine) (b *batch, leads bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if leads = s.pending == nil; leads {
		s.pending = &batch{done: make(chan struct{})}
	}
	s.pending.lines = append(s.pending.lines, l)
	return s.pending, leads
}

// close ends the batch that waits: the next line begins another.
func (s *appender) close(b *batch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pending == b {
		s.pending = nil
	}
}

// commit writes lines and flushes them. A line that cannot be encoded has an error of its own.
func (s *appender) commit(lines []*pendingLine) {
	err := s.broken
	if err == nil {
		if err = s.writeAll(lines); err != nil {
			err = fmt.Errorf("recording %s in %s: %w", s.noun, s.name, err)
			s.broken = err
		}
	}
	for _, l := range lines {
		if l.err == nil {
			l.err = err
		}
	}
}

// maxPiece is from how many bytes on lines are written.
const maxPiece = 256 << 10

// writeAll writes lines in pieces, so that they are never in memory all together, and flushes them.
func (s *appender) writeAll(lines []*pendingLine) error {
	var piece bytes.Buffer
	for i, l := range lines {
		l.err = seal(&piece, l.object)
		if piece.Len() == 0 || piece.Len() < maxPiece && i < len(lines)-1 {
			continue
		}
		if err := s.write(piece.Bytes()); err != nil {
			return err
		}
		piece.Reset()
	}
	if err := s.disk.sync(s.file); !unsupported(err) { // openAppender warned of that
		return err
	}
	return nil
}

// write writes lines in one piece. If locks do nothing, another process may write
// at the same time and leave an unfinished line before these. So write checks
// whether the lines arrived whole, and writes them again if they did not.
func (s *appender) write(lines []byte) error {
	const attempts = 10
	if err := s.setAside(); err != nil {
		return err
	}
	for range attempts {
		oldSize, err := s.inPlace()
		if err != nil {
			return err
		}
		if oldSize != s.size {
			s.warn("another process writes to %s: locks do nothing here; %s are made twice, but none is lost", s.base,
				s.noun)
			if s.lead, err = s.leadAt(oldSize); err != nil {
				return err
			}
		}
		text := lines
		if len(s.lead) > 0 {
			text = slices.Concat(s.lead, lines)
		}
		if _, err := s.disk.write(s.file, text); err != nil {
			return err
		}
		complete, err := s.arrived(oldSize, len(text), lines)
		if err != nil || complete {
			return err
		}
	}
	return errors.New("another process writes to the file and damages lines; let only one work on this directory")
}

// asideEnd ends the names of files with lines that are not records, in place of .jsonl.
const asideEnd = ".set-aside"

// setAside moves the unfinished last line, which a crash left, to a file beside this one: other programs cannot
// read such a line. Without locks it stays, since another process may be writing it.
func (s *appender) setAside() error {
	if s.torn == 0 || len(s.locks) == 0 {
		return nil
	}
	start, line, err := s.tornLine()
	if err != nil {
		return err
	}
	aside := strings.TrimSuffix(s.name, filepath.Ext(s.name)) + asideEnd
	err = s.disk.replaceWith(aside, func(f *os.File) error {
		if err := copyLinesOf(aside, f); err != nil {
			return err
		}
		_, err := s.disk.write(f, append(bytes.TrimSuffix(line, []byte("\n")), '\n'))
		return err
	})
	if err == nil {
		err = s.file.Truncate(start)
	}
	if err != nil {
		return fmt.Errorf("setting aside what a crash left: %w", err)
	}
	s.size, s.lead, s.torn = start, nil, 0
	return nil
}

// tornLine returns where the unfinished line begins, and the line. Empty lines may follow it.
func (s *appender) tornLine() (start int64, line []byte, err error) {
	line = make([]byte, s.torn)
	for start = s.size - int64(s.torn); ; start-- {
		if _, err := s.file.ReadAt(line, start); err != nil || !bytes.HasSuffix(line, []byte("\n\n")) {
			return start, line, err
		}
	}
}

// inPlace returns the size of the episodes file, or an error if the one in the
// directory is not the one that this process writes to.
func (s *appender) inPlace() (size int64, err error) {
	mine, err := s.file.Stat()
	if err != nil {
		return 0, err
	}
	current, err := os.Stat(s.name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0, fmt.Errorf("%s is gone: %w; put it back, and the same command continues", s.name, ErrMoved)
	case err != nil:
		return 0, err
	case s.stable && !s.disk.same(mine, current):
		return 0, fmt.Errorf("%s is another file now: %w; put the old one back, and the same command continues", s.name,
			ErrMoved)
	case mine.Size() < s.size:
		return 0,
			fmt.Errorf(
				"%s was cut from %d to %d bytes: somebody else changes it; the same command plays again what is missing", s.name, s.size, mine.Size())
	}
	return mine.Size(), nil
}

// leadAt returns what must be written before the next line at the end of a file
// of that size, which another process wrote to.
func (s *appender) leadAt(size int64) ([]byte, error) {
	if size == 0 {
		return nil, nil
	}
	last := make([]byte, 1)
	if _, err := s.file.ReadAt(last, size-1); err != nil {
		return nil, err
	}
	if last[0] == '\n' {
		return nil, nil
	}
	return []byte(tornEnd), nil
}

// arrived reports whether lines, the end of n bytes that were written to a file
// of the size before, stand there in one piece and at the start of a line.
func (s *appender) arrived(oldSize int64, n int, lines []byte) (bool, error) {
	info, err := s.file.Stat()
	if err != nil {
		return false, err
	}
	s.size, s.lead = info.Size(), nil
	if s.size == oldSize+int64(n) {
		return true, nil // no other process wrote
	}
	start := max(0, oldSize-1)
	content := make([]byte, max(0, s.size-start))
	if _, err := s.file.ReadAt(content, start); err != nil {
		return false, err
	}
	if s.lead, err = s.leadAt(s.size); err != nil {
		return false, err
	}
	atStart := oldSize == 0 && bytes.HasPrefix(content, lines)
	return atStart || bytes.Contains(content, append([]byte("\n"), lines...)), nil
}
