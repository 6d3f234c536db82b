package main

import (
	"context"
	"io"
	"time"

	"heldout/scoring/table"
)

// display shows one line that changes on a terminal, and lines one after the
// other elsewhere. Writing happens in a goroutine of its own: a terminal that
// takes nothing, as after Ctrl-S, holds nobody up, and what it cannot take is
// dropped.
type display struct {
	// columns is the width of the terminal, nil without one.
	columns func() int
	texts   chan string
	notes   chan string   // lines that stay
	written chan struct{} // closed after the last text
}

// newDisplay returns a display on standard error.
func newDisplay(sys *system) *display {
	d := &display{texts: make(chan string), notes: make(chan string, maxNotes), written: make(chan struct{})}
	if sys.interactive {
		d.columns = sys.stderrColumns
	}
	go d.write(sys.stderr)
	return d
}

// maxNotes is how many notes wait for a terminal that takes nothing.
const maxNotes = 64

// write writes what is shown until the display ends. A terminal that is gone is
// no reason to stop.
func (d *display) write(w io.Writer) {
	defer close(d.written)
	for {
		select {
		case note := <-d.notes:
			_, _ = io.WriteString(w, note)
		case text, more := <-d.texts:
			for len(d.notes) > 0 {
				_, _ = io.WriteString(w, <-d.notes)
			}
			if !more {
				return
			}
			_, _ = io.WriteString(w, text)
		}
	}
}

// note shows a line that stays.
func (d *display) note(line string) {
	text := line + "\n"
	if d.columns != nil {
		text = eraseLine + text
	}
	select {
	case d.notes <- text:
	default:
	}
}

// eraseLine returns to the start of a terminal's line and erases it (ISO 6429).
const eraseLine = "\r\x1b[K"

// usualColumns is the width of a terminal that does not tell it, in characters.
const usualColumns = 80

// show shows a line.
func (d *display) show(line string) {
	select {
	case d.texts <- d.text(line):
	default: // the last one is still being written
	}
}

// text is what is written to show a line. On a terminal it never wraps: the
// next one could not erase it.
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

// patience is how long the end of a run waits for a terminal that takes nothing.
const patience = time.Second

// finish shows a last line, if there is one, which stays, and ends the display.
func (d *display) finish(line string) {
	text := line
	if line != "" {
		text += "\n"
	}
	if d.columns != nil && line != "" {
		text = eraseLine + text
	}
	late, stop := context.WithTimeout(context.Background(), patience)
	defer stop()
	select {
	case d.texts <- text:
	case <-late.Done():
	}
	close(d.texts)
	select {
	case <-d.written:
	case <-late.Done():
	}
}
