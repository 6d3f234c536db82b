package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/charmbracelet/x/ansi"

	"heldout/configs"
	"heldout/eval/model"
	"heldout/eval/progress"
)

// display is standard error: lines that stay, and below them on a terminal lines that change. Everything that goes
// there passes through its one queue and is written by one goroutine: a terminal that accepts no output, as after
// Ctrl-S, blocks no caller, and output that it cannot accept is dropped.
type display struct {
	// size tells the terminal's size in characters; nil without one that understands escapes.
	size    func() (columns, rows int)
	broken  func(string) string // breaks lines that stay
	frames  chan []string       // the lines that change
	notes   chan string         // lines that stay
	flushes chan chan struct{}  // each is closed when all notes before it are written
	stop    chan struct{}
	// stuck: a flush has timed out, and nothing has been written since.
	stuck atomic.Bool
}

// maxNotes is how many notes wait for a terminal that takes nothing.
const maxNotes = 64

// newDisplay returns a display that writes to w. size tells the size of the terminal that w
// is, nil if it is none. End it when it is done.
func newDisplay(w io.Writer, size func() (columns, rows int)) *display {
	d := &display{
		size: size, frames: make(chan []string), notes: make(chan string, maxNotes),
		flushes: make(chan chan struct{}), stop: make(chan struct{}), broken: strings.Clone,
	}
	go d.write(w)
	return d
}

// write writes what is shown until the display ends, even if the terminal is gone.
func (d *display) write(w io.Writer) {
	var changing []string // the lines that change, as they stand on the terminal
	var drawn [2]int      // the terminal's size when they were drawn
	put := func(text string) {
		if text != "" {
			_, _ = io.WriteString(w, text)
		}
		d.stuck.Store(false)
	}
	putNotes := func() {
		for len(d.notes) > 0 {
			put(<-d.notes)
		}
	}
	for {
		select {
		case note := <-d.notes:
			columns, _ := d.screen()
			put(erased(changing, columns) + note + strings.Join(changing, lineFeed))
		case lines := <-d.frames:
			if d.size == nil {
				put(strings.Join(lines, "\n") + "\n")
				continue
			}
			columns, rows := d.screen()
			text := ""
			if size := [2]int{columns, rows}; size != drawn { // the terminal may have lost some
				text, changing, drawn = erased(changing, columns), nil, size
			}
			put(text + redrawn(changing, lines))
			changing = lines
		case done := <-d.flushes:
			columns, _ := d.screen()
			put(erased(changing, columns))
			changing = nil
			putNotes()
			close(done)
		case <-d.stop:
			return
		}
	}
}

// lineFeed goes to the start of the next line, whatever the terminal makes of a line feed.
const lineFeed = "\r\n"

// redrawn is what makes a terminal of the same size show other lines where it shows some. Lines that stay the
// same are not written again, except the last, behind which the cursor stands.
func redrawn(old, lines []string) string {
	if len(lines) < len(old) {
		return cursorUp(len(old)) + ansi.EraseScreenBelow + strings.Join(lines, lineFeed)
	}
	if slices.Equal(old, lines) {
		return ""
	}
	var b strings.Builder
	b.WriteString(cursorUp(len(old)))
	for i, line := range lines {
		if i > 0 {
			b.WriteString(lineFeed)
		}
		if i >= len(old) || line != old[i] || i == len(lines)-1 {
			b.WriteString(line + ansi.EraseLineRight)
		}
	}
	return b.String()
}

// erased removes lines from a terminal, and leaves the cursor where they began. If it has got
// narrower, it has wrapped them.
func erased(old []string, columns int) string {
	if len(old) == 0 {
		return ""
	}
	return cursorUp(height(old, columns)) + ansi.EraseScreenBelow
}

// up goes to the start of the first of so many lines, from the last.
func cursorUp(lines int) string {
	if lines < 2 {
		return "\r"
	}
	return "\r" + ansi.CursorUp(lines-1)
}

// height is how many lines of a terminal some lines fill.
func height(lines []string, columns int) (n int) {
	for _, line := range lines {
		n += max(1, (ansi.StringWidth(line)+columns-1)/columns)
	}
	return n
}

// note shows a line that stays, or several.
func (d *display) note(line string) { _, _ = d.Write([]byte(line + "\n")) }

// Write implements io.Writer for libraries. It takes whole lines. Commands that are made and not
// run have no display, which shows nothing.
func (d *display) Write(b []byte) (int, error) {
	if d == nil {
		return len(b), nil
	}
	select {
	case d.notes <- d.broken(string(b)):
	default:
	}
	return len(b), nil
}

// The size of a terminal that does not tell it, in characters.
const usualColumns, usualRows = 80, 24

// screen is the size of the terminal now.
func (d *display) screen() (columns, rows int) {
	if d.size == nil {
		return usualColumns, usualRows
	}
	columns, rows = d.size()
	if columns <= 0 || rows <= 0 {
		return usualColumns, usualRows
	}
	return columns, rows
}

// show shows a line in place of those that change; without a terminal it stays.
func (d *display) show(line string) {
	if d.size != nil {
		columns, _ := d.screen()
		line = ansi.Truncate(line, columns-1, "…")
	} else {
		line = d.broken(line)
	}
	d.draw([]string{line})
}

// draw shows lines in place of those that change. They must fit the terminal: it could not
// take back what it wraps or scrolls away.
func (d *display) draw(lines []string) {
	select {
	case d.frames <- lines:
	default: // the last ones are still being written
	}
}

// patience is how long a flush waits for a terminal that takes nothing.
const patience = time.Second

// flush waits until all notes are written, and removes the lines that change. It gives up on a terminal that
// accepts no output; further flushes then do not wait, until the terminal accepts output again.
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
	screenEvery = 200 * time.Millisecond
	lineEvery   = time.Minute
	// eventsEvery is how often a log looks for events.
	eventsEvery = time.Second
)

// sometimes returns a function that shows a line of progress, or leaves it out while the last one is young.
func (s *system) sometimes() func(line func() string) {
	last, pace := s.now(), lineEvery
	if s.interactive {
		pace = screenEvery
	}
	return func(line func() string) {
		if now := s.now(); now.Sub(last) >= pace {
			last = now
			s.display.show(line())
		}
	}
}

// follow shows a line of progress until finish is called, which shows one that stays.
func (s *system) follow(line func() string) (finish func()) {
	return s.repeat(line, func() { s.display.show(line()) }, func() string { return "" })
}

// followRun shows the progress of a run: as a table on a terminal, with the names that the user
// gave to models, else its totals.
func (s *system) followRun(run *progress.Tracker, names configs.Names) (finish func()) {
	style := s.style(s.interactive)
	return s.repeat(run.Line, func() {
		v := run.View()
		for i, model := range v.Models {
			v.Models[i] = cmp.Or(names[model], model)
		}
		columns, rows := s.display.screen()
		s.display.draw(style.screen(v, columns, rows))
	}, run.State)
}

// repeat shows progress until finish is called, which shows a last line that stays. A log gets
// a line now and then, and whenever the state has changed.
func (s *system) repeat(line func() string, show func(), state func() string) (finish func()) {
	pace, last, lastState := screenEvery, s.now(), state()
	if !s.interactive {
		pace = eventsEvery
		show = func() {
			if state := state(); state != lastState || s.now().Sub(last) >= lineEvery {
				last, lastState = s.now(), state
				s.display.show(line())
			}
		}
	}
	stop := model.Repeat(pace, show)
	return func() {
		stop()
		s.display.flush() // nothing is left of the lines that change
		if text := line(); text != "" {
			s.display.note(text)
		}
	}
}

// work shows what takes time, and how long it has taken, until finish is called.
func (s *system) work() (doing func(job string), finish func()) {
	var line atomic.Value
	idle := func() string { return "" }
	line.Store(idle)
	end := s.follow(func() string { return line.Load().(func() string)() })
	doing = func(job string) {
		started := s.now()
		line.Store(func() string { return fmt.Sprintf("%s: %v", job, s.now().Sub(started).Round(time.Second)) })
	}
	return doing, func() {
		line.Store(idle)
		end()
	}
}
