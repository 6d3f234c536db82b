package record

import (
	"bufio"
	"fmt"
	"io"
	"runtime"
	"sync"
)

// scanned is a line of a file that is only added to.
type scanned struct {
	number int    // from 1
	offset int64  // in the file
	raw    []byte // with its newline; the last line may lack it
	bad    error  // why the line is not a record
	// torn: the line is unfinished, and the end of the file or an empty line follows. An
	// interrupted write looks like this; the line never counted.
	torn    bool
	episode Episode // the content of a line of an episodes file, and derived what was made of the line
	derived any
}

// chunk is lines that one goroutine decodes.
type chunk struct {
	lines []*scanned
	raw   []byte        // the lines
	done  chan struct{} // closed when they are decoded
	err   error         // why there are no more lines; io.EOF at the end
}

// chunkSize is from how many bytes on lines are a chunk.
const chunkSize = 256 << 10

// decoder decodes lines, one after the other. Derived is what it makes of an episode, if it makes anything.
type decoder func(raw []byte, e *Episode) (derived any, err error)

// The decoders that derive nothing: of the result, of everything, of what continuing a run needs, and of nothing but
// what shows that a line is whole.
var (
	heading, entirely = decoding(head), decoding(decode)
	briefly, checking = decoding(decodeBriefly), decoding(checkCall)
)

func decoding(decode func(raw []byte, e *Episode) error) func() decoder {
	return func() decoder {
		return func(raw []byte, e *Episode) (any, error) { return nil, decode(raw, e) }
	}
}

// deriving decodes everything and derives something from it. The episode is then
// without its trajectory, whose room the next one takes.
func deriving(derive func(*Episode) any) decoder {
	var steps []Step
	return func(raw []byte, e *Episode) (derived any, err error) {
		e.Trajectory = steps
		if err = decode(raw, e); err == nil {
			derived = derive(e)
			steps, e.Trajectory = e.Trajectory, nil
		}
		return derived, err
	}
}

// scan visits the non-empty lines of a file, in their order. Lines are decoded by as many goroutines as there are
// processors, each with a decoder of its own. A raw line is used until it was visited. An error before the end is
// visit's error or a read error.
func scan(r io.Reader, name string, newDecoder func() decoder, visit func(*scanned) error) error {
	n := runtime.GOMAXPROCS(0)
	chunks, inOrder, stop := make(chan *chunk), make(chan *chunk, 2*n), make(chan struct{})
	var used sync.Pool // chunks whose raw lines are not needed any more
	var working sync.WaitGroup
	defer working.Wait()
	defer close(stop)
	working.Go(func() {
		defer close(inOrder)
		defer close(chunks)
		readChunks(r, &used, func(c *chunk) bool {
			for _, queue := range []chan *chunk{inOrder, chunks} {
				select {
				case queue <- c:
				case <-stop:
					return false
				}
			}
			return true
		})
	})
	for range n {
		working.Go(func() {
			decode := newDecoder()
			for c := range chunks {
				for _, l := range c.lines {
					l.derived, l.bad = decode(l.raw, &l.episode)
					l.torn = l.torn && l.bad != nil && unfinished(l.raw)
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
func (c *chunk) read(in *bufio.Reader, offset int64, skipped int) (n int) {
	var ends []int
	for c.err == nil && len(c.raw) < chunkSize {
		n++
		start := len(c.raw)
		if c.raw, c.err = appendLine(c.raw, in); c.err != nil && c.err != io.EOF {
			c.err = fmt.Errorf("%d: %w", skipped+n, c.err)
			break
		}
		if raw := c.raw[start:]; len(raw) > 1 || len(raw) == 1 && raw[0] != '\n' {
			next, err := in.Peek(1)
			last := err == io.EOF || len(next) == 1 && next[0] == '\n'
			c.lines = append(c.lines, &scanned{number: skipped + n, offset: offset + int64(start), torn: last})
			ends = append(ends, len(c.raw))
		}
	}
	for i, l := range c.lines { // the buffer no longer moves
		l.raw = c.raw[l.offset-offset : ends[i] : ends[i]]
	}
	return n
}
