package main

import (
	"io"
	"sync"
	"sync/atomic"
	"time"

	"heldout/scoring/table"
)

// display is standard error: lines that stay, and on a terminal one line that
// changes. Everything that goes there passes through its one queue and is written
// by one goroutine: a terminal that accepts no output, as after Ctrl-S, blocks no
// caller, and output that it cannot accept is dropped.
type display struct {
	// columns is the width of the terminal, nil without one.
	columns func() int
	texts   chan string        // of the line that changes, as they are written
	notes   chan string        // lines that stay
	flushes chan chan struct{} // each is closed when all notes before it are written
	stop    chan struct{}
	// stuck: a flush has timed out, and nothing has been written since.
	stuck atomic.Bool
}

// maxNotes is how many notes wait for a terminal that takes nothing.
const maxNotes = 64

// newDisplay returns a display that writes to w. columns is the width of the
// terminal that w is, nil if it is none. End it when it is done.
func newDisplay(w io.Writer, columns func() int) *display {
	d := &display{
		columns: columns, texts: make(chan string), notes: make(chan string, maxNotes),
		flushes: make(chan chan struct{}), stop: make(chan struct{}),
	}
	go d.write(w)
	return d
}

// write writes what is shown until the display ends, even if the terminal is gone.
func (d *display) write(w io.Writer) {
	changing := false // the line that changes stands on the terminal
	put := func(text string) {
		_, _ = io.WriteString(w, text)
		d.stuck.Store(false)
	}
	putNote := func(note string) {
		if changing {
			note = eraseLine + note
		}
		put(note)
		changing = false
	}
	putNotes := func() {
		for len(d.notes) > 0 {
			putNote(<-d.notes)
		}
	}
	for {
		select {
		case note := <-d.notes:
			putNote(note)
		case text := <-d.texts:
			putNotes()
			put(text)
			changing = d.columns != nil
		case done := <-d.flushes:
			putNotes()
			if changing {
				putNote("")
			}
			close(done)
		case <-d.stop:
			return
		}
	}
}

// note shows a line that stays, or several.
func (d *display) note(line string) { _, _ = d.Write([]byte(line + "\n")) }

// Write implements io.Writer for libraries. It takes whole lines.
func (d *display) Write(b []byte) (int, error) {
	select {
	case d.notes <- string(b):
	default:
	}
	return len(b), nil
}

// eraseLine returns to the start of a terminal's line and erases it (ISO 6429).
const eraseLine = "\r\x1b[K"

// usualColumns is the width of a terminal that does not tell it, in characters.
const usualColumns = 80

// show shows a text of the line that changes; without a terminal, a line.
func (d *display) show(line string) {
	select {
	case d.texts <- d.text(line):
	default: // the last one is still being written
	}
}

// text is what is written to show a line. It never wraps: the next could not erase it.
func (d *display) text(line string) string {
	if d.columns == nil {
		return line + "\n"
	}
	width := d.columns()
	if width <= 0 {
		width = usualColumns
	}
	return eraseLine + table.Cut(line, width-1)
}

// patience is how long a flush waits for a terminal that takes nothing.
const patience = time.Second

// flush waits until all notes are written, and removes the line that changes. It
// gives up on a terminal that accepts no output; further flushes then do not
// wait, until the terminal accepts output again.
func (d *display) flush() {
	if d.stuck.Load() {
		return
	}
	late := time.NewTimer(patience)
	defer late.Stop()
	done := make(chan struct{})
	select {
	case d.flushes <- done:
	case <-late.C:
		d.stuck.Store(true)
		return
	}
	select {
	case <-done:
	case <-late.C:
		d.stuck.Store(true)
	}
}

func (d *display) end() {
	d.flush()
	close(d.stop)
}

// How often progress is shown: on a terminal, and in a log.
const (
	barEvery  = 200 * time.Millisecond
	lineEvery = 10 * time.Second
)

func (s *system) pace() time.Duration {
	if s.interactive {
		return barEvery
	}
	return lineEvery
}

// sometimes returns a function that shows a line of progress, or leaves it out while the last
// one is young.
func (s *system) sometimes() func(line func() string) {
	last := s.now()
	return func(line func() string) {
		if now := s.now(); now.Sub(last) >= s.pace() {
			last = now
			s.display.show(line())
		}
	}
}

// follow shows a line of progress until finish is called, which shows one that stays.
func (s *system) follow(line func() string) (finish func()) {
	stop := make(chan struct{})
	var showing sync.WaitGroup
	showing.Go(func() {
		tick := time.NewTicker(s.pace())
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				s.display.show(line())
			}
		}
	})
	return func() {
		close(stop)
		showing.Wait()
		s.display.note(line())
	}
}
