package record

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// repliesFile has the replies to the episodes in flight. Nothing but continuing a run reads it.
const repliesFile = "replies.jsonl"

// ReplyKey says which call a reply answers. It begins a line of replies.jsonl.
type ReplyKey struct {
	Schema  int    `json:"schema"`
	Episode string `json:"episode"`
	Attempt int    `json:"attempt"`
	Call    int    `json:"call"` // the number of the call in the attempt, from 0
}

// Replies are the replies to the attempts that have not come to an end, as lines that are
// written as they come: an attempt that is interrupted goes on with them. They are safe for
// concurrent use. A nil *Replies holds and keeps none.
type Replies struct {
	name string
	disk disk
	send func([]byte) error // takes the lines in place of a file

	mu   sync.Mutex
	file *os.File    // nil while there are none
	size int64       // of the file
	text io.ReaderAt // has the lines that were read
	// The file is written anew once it has the least size and twice what it had the last time.
	oldest, prior int64
	// lines are where the lines of attempts stand that have not ended, by their episodes, as of when they were read.
	lines map[string][]Span
	first map[string]int // the attempts whose lines an episode begins with
	// pending are the lines of a batch, which are written together and are not in the file yet. soon writes them if
	// nobody does; nil before the first line.
	pending []byte
	batch   atomic.Int64
	soon    *time.Timer
	err     error // a write failed, or the file is closed
}

// mostPending is how long a line waits for others to be written with.
const mostPending = 50 * time.Millisecond

// ReplyError says that a reply could not be written.
type ReplyError struct{ Err error }

// Error implements error.
func (e *ReplyError) Error() string { return fmt.Sprintf("recording replies: %v", e.Err) }

// Unwrap returns the error inside.
func (e *ReplyError) Unwrap() error { return e.Err }

// OpenReplies opens the replies of the run. Due are the attempts that can go on, by episode: with replies to that
// attempt or a later one. All others are removed, and so are lines that are damaged.
func (s *Store) OpenReplies(due map[string]int) error {
	r := &Replies{name: filepath.Join(s.dir, repliesFile), disk: s.disk, oldest: leastRewritten,
		lines: map[string][]Span{}, first: maps.Clone(due)}
	if r.first == nil {
		r.first = map[string]int{}
	}
	s.Replies = r
	old, err := wholeFile(r.name)
	if err != nil || old == nil {
		return err
	}
	r.read(io.NewSectionReader(old.file, 0, old.size), due)
	return errors.Join(r.rewrite(old.file), old.file.Close())
}

// ReadReplies reads lines of an attempt that were sent. Those that follow are sent, too.
func ReadReplies(text []byte, episode string, attempt int, send func(lines []byte) error) *Replies {
	r := &Replies{name: repliesFile, text: bytes.NewReader(text), send: send, lines: map[string][]Span{},
		first: map[string]int{episode: attempt}}
	if len(text) > 0 {
		r.read(bytes.NewReader(text), r.first)
	}
	return r
}

// DropReplies removes the replies of the run, whose attempts then begin again, and reports whether there were any.
func (s *Store) DropReplies() (dropped bool, err error) {
	err = os.Remove(filepath.Join(s.dir, repliesFile))
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// episodeStart is in a line before the id of the episode.
const episodeStart = `"episode":"`

var errEnded = errors.New("the attempt has ended")

// read notes where the lines of attempts are that can go on. A later line takes the place of
// the lines from its call on; what follows a gap is of no use, nor is what cannot be read.
func (r *Replies) read(file io.Reader, due map[string]int) {
	r.lines = map[string][]Span{}
	keyOf := func(raw []byte, _ *Episode) (derived any, err error) {
		_, id, _ := bytes.Cut(raw, []byte(episodeStart))
		if id, _, _ = bytes.Cut(id, []byte(`"`)); due[string(id)] == 0 {
			return nil, errEnded // most lines of a grown file belong to such attempts, so they are not decoded
		}
		var key ReplyKey
		if err := unmarshal(raw, &key); err != nil {
			return nil, err
		}
		return key, checkCRC(raw)
	}
	_ = scan(file, r.name, func() decoder { return keyOf }, func(l *scanned) error {
		key, _ := l.derived.(ReplyKey)
		if first := due[key.Episode]; l.bad == nil && key.Schema == Schema && first > 0 && key.Attempt >= first {
			r.note(key, Span{l.offset, int64(len(l.raw))})
		}
		return nil
	})
}

// note notes where a line is.
func (r *Replies) note(key ReplyKey, span Span) {
	if lines := r.lines[key.Episode]; key.Call >= 0 && key.Call <= len(lines) {
		r.lines[key.Episode] = append(lines[:key.Call], span)
	}
}

// leastRewritten is the least size of a file that is written anew while it grows.
const leastRewritten = 64 << 20

// rewrite writes the lines that are noted, as they are in a file, to a new file.
func (r *Replies) rewrite(old *os.File) error {
	lines, size := map[string][]Span{}, int64(0)
	err := r.disk.replaceWith(r.name, func(f *os.File) error {
		clear(lines)
		size = 0
		for episode, spans := range r.lines {
			var text []byte
			for _, span := range spans {
				lines[episode] = append(lines[episode], Span{size + int64(len(text)), span.Length})
				text = append(text, make([]byte, span.Length)...)
				if _, err := old.ReadAt(text[int64(len(text))-span.Length:], span.Offset); err != nil {
					return err
				}
			}
			if _, err := r.disk.write(f, text); err != nil {
				return err
			}
			size += int64(len(text))
		}
		return nil
	})
	if err != nil {
		return err
	}
	r.lines, r.size, r.prior = lines, size, size
	return r.open()
}

// open opens the file for more lines.
func (r *Replies) open() (err error) {
	if r.file != nil {
		_ = r.file.Close() // it has another name by now
	}
	r.file, err = os.OpenFile(r.name, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o666)
	r.text = r.file
	return err
}

// Interrupted is the number of attempts that go on.
func (r *Replies) Interrupted() int {
	if r == nil {
		return 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.lines)
}

// Recall decodes the line of a call, whose first field is a ReplyKey; false if there is none. It may belong to an
// earlier attempt.
func (r *Replies) Recall(key ReplyKey, line any) bool {
	raw := r.line(key)
	if raw == nil || checkCRC(raw) != nil {
		return false
	}
	var found ReplyKey
	if unmarshal(raw, &found) != nil || found.Attempt > key.Attempt {
		return false
	}
	key.Schema, key.Attempt = Schema, found.Attempt
	return found == key && unmarshal(raw, line) == nil
}

func (r *Replies) line(key ReplyKey) []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	lines := r.lines[key.Episode]
	if key.Call >= len(lines) {
		return nil
	}
	raw := make([]byte, lines[key.Call].Length)
	if _, err := r.text.ReadAt(raw, lines[key.Call].Offset); err != nil {
		return nil
	}
	return raw
}

// Keep adds the line of a call to the batch that is written next. Fields appends what it says
// after its key, as JSON, each after a comma.
func (r *Replies) Keep(key ReplyKey, fields func([]byte) []byte) (batch int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if key.Call == 0 {
		r.lines[key.Episode], r.first[key.Episode] = nil, key.Attempt // it has some now
	}
	start := len(r.pending)
	switch {
	case r.soon == nil:
		r.soon = time.AfterFunc(mostPending, func() { _ = r.Flush(r.batch.Load()) }) // an error comes again
	case start == 0:
		r.soon.Reset(mostPending)
	}
	r.pending = sealed(fields(key.appendJSON(r.pending)), start)
	return r.batch.Load()
}

func (k ReplyKey) appendJSON(b []byte) []byte {
	b = strconv.AppendInt(append(b, `{"schema":`...), int64(k.Schema), 10)
	b = append(append(append(append(b, ','), episodeStart...), k.Episode...), `","attempt":`...)
	b = strconv.AppendInt(b, int64(k.Attempt), 10)
	return strconv.AppendInt(append(b, `,"call":`...), int64(k.Call), 10)
}

// crcStart begins the end of a line: its CRC-32C, which costs a tenth of the checksum that other lines have.
const crcStart = `,"crc":`

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sealed ends an object, which begins at start and lacks its brace, in its CRC.
func sealed(b []byte, start int) []byte {
	sum := crc32.Checksum(b[start:], castagnoli)
	return append(strconv.AppendUint(append(b, crcStart...), uint64(sum), 10), "}\n"...)
}

func checkCRC(raw []byte) error {
	end := bytes.LastIndex(raw, []byte(crcStart))
	if end < 0 || !bytes.Equal(raw[end:], sealed(raw[:end:end], 0)[end:]) {
		return errors.New("crc: it does not fit the line")
	}
	return nil
}

// Flush writes a batch, unless it is written. A batch is also written once its first line has waited mostPending.
// The lines survive the end of the process, not the system's, once Flush has returned. After a failed write all
// others fail.
func (r *Replies) Flush(batch int64) error {
	if r.batch.Load() != batch {
		return nil
	}
	runtime.Gosched() // replies that have come meanwhile are written together
	if r.batch.Load() != batch {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.batch.Load() == batch && r.err == nil && len(r.pending) > 0 {
		r.err = r.write()
	}
	if r.err != nil {
		return &ReplyError{r.err}
	}
	return nil
}

func (r *Replies) write() error {
	if r.send != nil {
		err := r.send(r.pending)
		r.settle(err)
		return err
	}
	if r.file == nil {
		if err := r.open(); err != nil {
			return err
		}
	}
	n, err := r.disk.write(r.file, r.pending)
	r.settle(err)
	if r.size += int64(n); err != nil || r.size < max(r.oldest, 2*r.prior) {
		return err
	}
	due := map[string]int{}
	for episode := range r.lines {
		due[episode] = r.first[episode]
	}
	r.read(io.NewSectionReader(r.file, 0, r.size), due)
	return r.rewrite(r.file)
}

// written begins the next batch, unless the last one failed.
func (r *Replies) settle(err error) {
	if err == nil {
		r.pending = r.pending[:0]
		r.batch.Add(1)
	}
}

// Forget forgets the replies to an episode: its attempt is recorded, or others are wanted.
func (r *Replies) Forget(episode string) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.lines, episode)
}

// close closes the file, and removes it if nothing goes on.
func (r *Replies) close() error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.err = os.ErrClosed
	if r.file == nil {
		return nil
	}
	err := r.file.Close()
	if len(r.lines) == 0 {
		err = errors.Join(err, removeIfThere(r.name))
	}
	return err
}
