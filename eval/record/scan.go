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
// something of each episode before it is visited. Lines are decoded and derived
// from by as many goroutines as there are processors.
func scanDeriving(r io.Reader, name string, derive func(*Episode) any, visit func(*line) error) error {
	n := runtime.GOMAXPROCS(0)
	todo, inOrder, stop := make(chan *chunk), make(chan *chunk, 2*n), make(chan struct{})
	var working sync.WaitGroup
	defer working.Wait()
	defer close(stop)
	working.Go(func() {
		defer close(inOrder)
		defer close(todo)
		readChunks(r, func(c *chunk) bool {
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
			for c := range todo {
				for _, l := range c.lines {
					l.decode(derive)
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
		if c.err != nil && c.err != io.EOF {
			return fmt.Errorf("%s:%w", name, c.err)
		}
	}
	return nil
}

// decode fills in everything but the raw line. An end of the file or an empty line
// follows if l.torn is set.
func (l *line) decode(derive func(*Episode) any) {
	if l.episode, l.bad = decode(l.raw); l.bad == nil {
		l.torn = false
		if derive != nil {
			l.derived = derive(&l.episode)
		}
		return
	}
	l.torn = l.torn && !json.Valid(l.raw)
}

// readChunks reads lines until take refuses a chunk.
func readChunks(r io.Reader, take func(*chunk) bool) {
	in := bufio.NewReaderSize(r, 1<<20)
	end, size := int64(0), 0
	c := &chunk{done: make(chan struct{})}
	for n := 1; ; n++ {
		raw, err := readLine(in)
		end += int64(len(raw))
		if err != nil && err != io.EOF {
			c.err = fmt.Errorf("%d: %w", n, err)
			take(c)
			return
		}
		if len(raw) > 0 && (len(raw) > 1 || raw[0] != '\n') {
			next, peekErr := in.Peek(1)
			last := peekErr == io.EOF || len(next) == 1 && next[0] == '\n'
			c.lines = append(c.lines, &line{rawLine: rawLine{number: n, offset: end - int64(len(raw)), raw: raw, torn: last}})
			size += len(raw)
		}
		if err == io.EOF {
			c.err = io.EOF
			take(c)
			return
		}
		if size < chunkSize {
			continue
		}
		if !take(c) {
			return
		}
		c, size = &chunk{done: make(chan struct{})}, 0
	}
}
