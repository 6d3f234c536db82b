package record

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"sync"
)

// line is a line of an episodes file.
type line struct {
	rawLine
	// episode is the content of the line, and derived what was made of it.
	episode Episode
	derived any
}

// chunk is lines that one goroutine decodes.
type chunk struct {
	lines []*line
	raw   []byte        // the lines
	done  chan struct{} // closed when they are decoded
	// err is why there are no more lines; io.EOF at the end.
	err error
}

// chunkSize is from how many bytes on lines are a chunk.
const chunkSize = 256 << 10

// scan visits the non-empty lines of an episodes file, in their order. An error
// before the end is visit's error or a read error.
func scan(r io.Reader, name string, visit func(*line) error) error {
	return scanDeriving(r, name, nil, visit)
}

// scanDeriving is scan for what takes long: derive, unless it is nil, makes
// something of each episode before it is visited, without its trajectory. Lines are
// decoded and derived from by as many goroutines as there are processors. A raw line is used until it was
// visited.
func scanDeriving(r io.Reader, name string, derive func(*Episode) any, visit func(*line) error) error {
	n := runtime.GOMAXPROCS(0)
	todo, inOrder, stop := make(chan *chunk), make(chan *chunk, 2*n), make(chan struct{})
	var used sync.Pool // chunks whose raw lines are no longer needed
	var working sync.WaitGroup
	defer working.Wait()
	defer close(stop)
	working.Go(func() {
		defer close(inOrder)
		defer close(todo)
		readChunks(r, &used, func(c *chunk) bool {
			for _, to := range []chan *chunk{inOrder, todo} {
				select {
				case to <- c:
				case <-stop:
					return false
				}
			}
			return true
		})
	})
	for range n {
		working.Go(func() {
			var steps []Step // of one line after the other
			for c := range todo {
				for _, l := range c.lines {
					steps = l.decode(derive, steps)
				}
				close(c.done)
			}
		})
	}
	for c := range inOrder {
		<-c.done
		for _, l := range c.lines {
			if err := visit(l); err != nil {
				return err
			}
		}
		used.Put(c)
		if c.err != nil && c.err != io.EOF {
			return fmt.Errorf("%s:%w", name, c.err)
		}
	}
	return nil
}

// decode fills in everything but the raw line. An end of the file or an empty line
// follows if l.torn is set. What derive does not keep is garbage at once: the
// trajectory is then used for the next line.
func (l *line) decode(derive func(*Episode) any, steps []Step) []Step {
	if derive == nil {
		l.episode, l.bad = decode(l.raw)
	} else if l.episode, l.bad = decodeInto(l.raw, steps); l.bad == nil {
		l.derived = derive(&l.episode)
		steps, l.episode.Trajectory = l.episode.Trajectory, nil
	}
	l.torn = l.torn && l.bad != nil && !json.Valid(l.raw)
	return steps
}

// readChunks reads lines until take refuses a chunk.
func readChunks(r io.Reader, used *sync.Pool, take func(*chunk) bool) {
	in := bufio.NewReaderSize(r, 1<<20)
	offset, number := int64(0), 0
	for {
		c := &chunk{done: make(chan struct{})}
		if old, ok := used.Get().(*chunk); ok {
			c.raw = old.raw[:0]
		}
		number += c.read(in, offset, number)
		offset += int64(len(c.raw))
		if !take(c) || c.err != nil {
			return
		}
	}
}

// read reads the lines of a chunk, which begins at an offset after so many lines. It
// returns the number of lines, empty ones included.
func (c *chunk) read(in *bufio.Reader, offset int64, before int) (n int) {
	var ends []int
	for c.err == nil && len(c.raw) < chunkSize {
		n++
		start := len(c.raw)
		if c.raw, c.err = appendLine(c.raw, in); c.err != nil && c.err != io.EOF {
			c.err = fmt.Errorf("%d: %w", before+n, c.err)
			break
		}
		if raw := c.raw[start:]; len(raw) > 1 || len(raw) == 1 && raw[0] != '\n' {
			next, err := in.Peek(1)
			last := err == io.EOF || len(next) == 1 && next[0] == '\n'
			c.lines = append(c.lines, &line{rawLine: rawLine{number: before + n, offset: offset + int64(start), torn: last}})
			ends = append(ends, len(c.raw))
		}
	}
	for i, l := range c.lines { // the buffer no longer moves
		l.raw = c.raw[l.offset-offset : ends[i] : ends[i]]
	}
	return n
}
