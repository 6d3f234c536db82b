package record

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"heldout/envs"
)

// Index is a run directory for readers that want single episodes of it. It holds
// the results and where their lines are, not the trajectories, and can be brought
// up to date while another process works on the run. It is not safe for concurrent
// use, except for the method Episode of a Place.
//
// The index reads the beginning of each line, up to the goal. So it finds a line
// that contradicts the plan, but not one that was changed in its trajectory or has
// no trial before it: the first shows when the episode is read.
type Index struct {
	// Manifest is run.json, Results what episodes.jsonl says, in its order, without
	// reflections.
	Manifest *Manifest
	Results  []Result
	// Bad are the lines that are no records, at most maxBad of them; Others counts
	// the rest.
	Bad    []BadLine
	Others int

	dir, name string
	part      int64   // how much is worth a processor, in bytes
	at        []Place // of each result
	manifest  fs.FileInfo
	plan      plan
	file      fs.FileInfo
	size      int64 // of what is indexed
	lines     int   // in it
}

// maxBad is how many bad lines an index describes.
const maxBad = 20

// OpenIndex reads the beginnings of all lines of a run directory.
func OpenIndex(dir string) (*Index, error) {
	x := &Index{dir: dir, name: filepath.Join(dir, episodesFile), part: usualPart}
	if err := x.Update(); err != nil {
		return nil, err
	}
	return x, nil
}

// Update reads what was added since the last call. If the files were replaced, it
// reads them again from the start; indices of results are then others.
func (x *Index) Update() error {
	content, err := wholeFile(x.name)
	if err != nil {
		return err
	}
	if content != nil {
		defer content.file.Close()
	}
	// The manifest is read after the size of the file was: lines up to there are
	// planned in it.
	if err := x.readManifest(); err != nil {
		return err
	}
	if content == nil {
		x.forget(nil)
		return nil
	}
	info, err := content.file.Stat()
	if err != nil {
		return err
	}
	if x.file == nil || !os.SameFile(x.file, info) || content.size < x.size {
		x.forget(info)
	}
	if content.size == x.size {
		return nil
	}
	return x.read(content.file, content.size)
}

// forget empties the index for a file that is another one.
func (x *Index) forget(file fs.FileInfo) {
	x.file, x.size, x.lines = file, 0, 0
	x.Results, x.at, x.Bad, x.Others = nil, nil, nil, 0
}

// readManifest reads run.json if it has changed.
func (x *Index) readManifest() error {
	info, err := os.Stat(filepath.Join(x.dir, manifestFile))
	if err == nil && x.manifest != nil && os.SameFile(info, x.manifest) && info.ModTime().Equal(x.manifest.ModTime()) && info.Size() == x.manifest.Size() {
		return nil
	}
	m, err := ReadManifest(x.dir)
	if err != nil {
		return err
	}
	x.Manifest, x.manifest, x.plan = m, info, m.plan()
	x.forget(nil) // what was not planned may be planned now
	return nil
}

// usualPart is how much of a file is worth a processor of its own, in bytes.
const usualPart = 8 << 20

// read indexes the lines of a file up to a size, in parts at the same time. It leaves
// out a last line without an end, which may still be being written.
func (x *Index) read(f io.ReaderAt, size int64) error {
	n := min(int64(runtime.GOMAXPROCS(0)), (size-x.size)/x.part+1)
	parts := make([]part, n)
	var working errgroup.Group
	for i := range parts {
		p := &parts[i]
		p.index, p.file, p.size = x, f, size
		p.from = x.size + int64(i)*(size-x.size)/n
		p.to = x.size + int64(i+1)*(size-x.size)/n
		if x.size == 0 { // most of the plan may be there
			p.results, p.at = make([]Result, 0, len(x.plan)/int(n)), make([]Place, 0, len(x.plan)/int(n))
		}
		working.Go(p.read)
	}
	if err := working.Wait(); err != nil {
		return fmt.Errorf("%s: %w", x.name, err)
	}
	found := 0
	for i := range parts {
		found += len(parts[i].results)
	}
	x.Results, x.at = slices.Grow(x.Results, found), slices.Grow(x.at, found)
	for i := range parts {
		x.join(&parts[i])
	}
	return nil
}

// join adds a part that follows what is indexed.
func (x *Index) join(p *part) {
	for i := range p.at {
		p.at[i].line += x.lines
	}
	x.Results, x.at = append(x.Results, p.results...), append(x.at, p.at...)
	for _, b := range p.bad {
		b.Number += x.lines
		if len(x.Bad) < maxBad {
			x.Bad = append(x.Bad, b)
		} else {
			x.Others++
		}
	}
	x.lines += p.lines
	x.size = max(x.size, p.end)
}

// part is the lines of a file that begin between two offsets.
type part struct {
	index    *Index // only its plan and name are used
	file     io.ReaderAt
	size     int64
	from, to int64

	results []Result
	at      []Place
	bad     []BadLine
	lines   int
	end     int64 // of the last whole line
}

// read reads the part.
func (p *part) read() error {
	// One byte earlier: if it ends a line, the next one begins here.
	at := max(0, p.from-1)
	in := bufio.NewReaderSize(io.NewSectionReader(p.file, at, p.size-at), 1<<20)
	if p.from > 0 {
		skipped, err := in.ReadSlice('\n')
		for err == bufio.ErrBufferFull {
			at += int64(len(skipped))
			skipped, err = in.ReadSlice('\n')
		}
		at += int64(len(skipped))
	}
	for at < p.to {
		raw, err := in.ReadSlice('\n')
		if err == bufio.ErrBufferFull {
			raw, err = longLine(in, raw)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("the line at byte %d: %w", at, err)
		}
		p.lines++
		place := Place{file: p.index.name, line: p.lines, offset: at, length: len(raw)}
		at += int64(len(raw))
		p.end = at
		if len(raw) > 1 {
			p.add(raw, place, in)
		}
	}
	return nil
}

// longLine reads the rest of a line that is longer than the reader's buffer.
func longLine(in *bufio.Reader, start []byte) ([]byte, error) {
	start = bytes.Clone(start)
	rest, err := readLine(in)
	return append(start, rest...), err
}

// add indexes a line; in has what follows it. A slice of in's buffer may be
// overwritten.
func (p *part) add(raw []byte, place Place, in *bufio.Reader) {
	result, bad := head(raw)
	if bad != nil && !json.Valid(raw) {
		if next, err := in.Peek(1); err != nil || next[0] == '\n' {
			return // a crash left it unfinished
		}
	}
	var want planned
	if bad == nil {
		want, bad = p.index.plan.check(&result)
	}
	if bad != nil {
		p.bad = append(p.bad, BadLine{place.line, bad})
		return
	}
	want.share(&result)
	result.Reflection = nil
	place.id, place.attempt = result.ID, result.Attempt
	p.results, p.at = append(p.results, result), append(p.at, place)
}

// head decodes the result of a line. It reads only the part before the goal if
// the line ends in a checksum, and so is whole.
func head(raw []byte) (Result, error) {
	end := bytes.Index(raw, []byte(goalStart))
	tail := len(checksumStart) + checksumSize + len(checksumEnd)
	if end < 0 || len(raw) < tail || !bytes.HasPrefix(raw[len(raw)-tail:], []byte(checksumStart)) || !bytes.HasSuffix(raw, []byte(checksumEnd)) {
		e, err := decode(raw)
		return e.Result, err
	}
	var r Result
	raw[end] = '}'
	err := json.Unmarshal(raw[:end+1], &r)
	raw[end] = ','
	if err == nil {
		err = r.check()
	}
	return r, err
}

// Place is where the line of an attempt is.
type Place struct {
	file    string
	line    int
	offset  int64
	length  int
	id      string
	attempt int
}

// Place returns where the attempt with result i is.
func (x *Index) Place(i int) Place { return x.at[i] }

// Places returns where all attempts are. Like Results, the slice stays as it is when
// the index is updated.
func (x *Index) Places() []Place { return x.at }

// Planned returns task and condition of a planned episode.
func (x *Index) Planned(id string) (*envs.Task, *Condition, bool) {
	p, ok := x.plan[id]
	return p.task, p.condition, ok
}

// Episode reads the attempt and checks it.
func (p Place) Episode() (*Episode, error) {
	f, err := os.Open(p.file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw := make([]byte, p.length)
	if err := p.read(f, raw); err != nil {
		return nil, err
	}
	return p.decode(raw)
}

func (p Place) read(f io.ReaderAt, raw []byte) error {
	if _, err := f.ReadAt(raw, p.offset); err != nil {
		return fmt.Errorf("%s:%d: %w", p.file, p.line, err)
	}
	return nil
}

func (p Place) decode(raw []byte) (*Episode, error) {
	e, err := decode(raw)
	if err == nil && (e.ID != p.id || e.Attempt != p.attempt) {
		err = errors.New("another episode is there now: the file was replaced")
	}
	if err != nil {
		return nil, badLine(p.file, &line{rawLine: rawLine{number: p.line, bad: err}})
	}
	return &e, nil
}

// Search reads attempts one after the other, and visits those that may contain a
// text, in lower or upper case, until visit returns false or ctx is done. bad counts
// the attempts that cannot be read.
func Search(ctx context.Context, places []Place, text string, visit func(i int, e *Episode) bool) (bad int, err error) {
	wanted := plain(text)
	var f *os.File
	defer func() {
		if f != nil {
			f.Close()
		}
	}()
	var raw []byte
	for i, p := range places {
		if err := ctx.Err(); err != nil {
			return bad, err
		}
		if f == nil || f.Name() != p.file {
			if f != nil {
				f.Close()
			}
			if f, err = os.Open(p.file); err != nil {
				return bad, err
			}
		}
		raw = slices.Grow(raw[:0], p.length)[:p.length]
		if p.read(f, raw) != nil {
			bad++
			continue
		}
		if wanted != nil && !bytes.Contains(bytes.ToLower(raw), wanted) {
			continue
		}
		e, err := p.decode(raw)
		if err != nil {
			bad++
			continue
		}
		if !visit(i, e) {
			break
		}
	}
	return bad, nil
}

// plain returns a text as a line contains it, in lower case; nil if JSON may write
// it in several ways.
func plain(text string) []byte {
	for _, r := range text {
		if r < ' ' || r > '~' || strings.ContainsRune(`"\\<>&/`, r) {
			return nil
		}
	}
	return []byte(strings.ToLower(text))
}
