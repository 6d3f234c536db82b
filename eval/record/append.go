package record

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// batch is the lines that are written and flushed together.
type batch struct {
	lines []byte
	done  chan struct{} // closed when err is set
	err   error
}

// Append writes one attempt. It is on disk when Append returns without error.
// Attempts that come while others are being written wait, and are then written
// together with one flush. A record that contradicts itself is refused. After a
// failed write, all other writes are refused: the content of the disk is unknown
// until it is read again.
func (s *Store) Append(e *Episode) error {
	e.Schema = Schema
	if err := e.check(); err != nil {
		return err
	}
	text, err := encode(e)
	if err != nil {
		return err
	}
	b, leads := s.join(text)
	if leads {
		s.writing.Lock()
		s.close(b)
		b.err = s.commit(b.lines)
		s.writing.Unlock()
		close(b.done)
	}
	<-b.done
	return b.err
}

// join adds a line to the batch that waits. The caller that begins a batch must
// write it.
func (s *Store) join(text []byte) (b *batch, leads bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if leads = s.pending == nil; leads {
		s.pending = &batch{done: make(chan struct{})}
	}
	s.pending.lines = append(s.pending.lines, text...)
	return s.pending, leads
}

// close ends the batch that waits: the next line begins another.
func (s *Store) close(b *batch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pending == b {
		s.pending = nil
	}
}

// commit writes lines and flushes them.
func (s *Store) commit(lines []byte) error {
	if s.broken != nil {
		return s.broken
	}
	err := s.write(lines)
	if err == nil {
		if err = s.disk.sync(s.episodes); unsupported(err) {
			err = nil // Open warned of it
		}
	}
	if err != nil {
		s.broken = fmt.Errorf("recording episodes in %s: %w", s.name, err)
	}
	return s.broken
}

// write writes lines in one piece. If locks do nothing, another process may write
// at the same time and leave an unfinished line before these. So write checks
// whether the lines arrived whole, and writes them again if they did not.
func (s *Store) write(lines []byte) error {
	const attempts = 10
	for range attempts {
		before, err := s.inPlace()
		if err != nil {
			return err
		}
		if before != s.size {
			s.warn("another process writes to %s: locks do nothing here; episodes are played twice, but none is lost", episodesFile)
			if s.lead, err = s.leadAt(before); err != nil {
				return err
			}
		}
		text := append(bytes.Clone(s.lead), lines...)
		if _, err := s.disk.write(s.episodes, text); err != nil {
			return err
		}
		whole, err := s.arrived(before, len(text), lines)
		if err != nil || whole {
			return err
		}
	}
	return errors.New("another process writes to the file and damages lines; let only one work on this directory")
}

// inPlace returns the size of the episodes file, or an error if the one in the
// directory is not the one that this process writes to.
func (s *Store) inPlace() (size int64, err error) {
	mine, err := s.episodes.Stat()
	if err != nil {
		return 0, err
	}
	there, err := os.Stat(s.name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0, fmt.Errorf("%s is gone: %w; put it back, and the same command continues", s.name, ErrMoved)
	case err != nil:
		return 0, err
	case s.stable && !s.disk.same(mine, there):
		return 0, fmt.Errorf("%s is another file now: %w; put the old one back, and the same command continues", s.name, ErrMoved)
	case mine.Size() < s.size:
		return 0, fmt.Errorf("%s was cut from %d to %d bytes: somebody else changes it; the same command plays again what is missing", s.name, s.size, mine.Size())
	}
	return mine.Size(), nil
}

// leadAt returns what must be written before the next line at the end of a file
// of that size, which another process wrote to.
func (s *Store) leadAt(size int64) ([]byte, error) {
	if size == 0 {
		return nil, nil
	}
	last := make([]byte, 1)
	if _, err := s.episodes.ReadAt(last, size-1); err != nil {
		return nil, err
	}
	if last[0] == '\n' {
		return nil, nil
	}
	return []byte("\n\n"), nil // ends the line and says that it is unfinished
}

// arrived reports whether lines, the end of n bytes that were written to a file
// of the size before, stand there in one piece and at the start of a line.
func (s *Store) arrived(before int64, n int, lines []byte) (bool, error) {
	info, err := s.episodes.Stat()
	if err != nil {
		return false, err
	}
	s.size, s.lead = info.Size(), nil
	if s.size == before+int64(n) {
		return true, nil // no other process wrote
	}
	from := max(0, before-1)
	there := make([]byte, max(0, s.size-from))
	if _, err := s.episodes.ReadAt(there, from); err != nil {
		return false, err
	}
	if s.lead, err = s.leadAt(s.size); err != nil {
		return false, err
	}
	atStart := before == 0 && bytes.HasPrefix(there, lines)
	return atStart || bytes.Contains(there, append([]byte("\n"), lines...)), nil
}
