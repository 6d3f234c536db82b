package record

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

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
	x := &Index{dir: dir, name: filepath.Join(dir, episodesFile)}
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
	return x.read(io.NewSectionReader(content.file, x.size, content.size-x.size))
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

// read indexes whole lines. It leaves out a last line without an end, which may
// still be being written.
func (x *Index) read(r io.Reader) error {
	in := bufio.NewReaderSize(r, 1<<20)
	for {
		raw, err := in.ReadSlice('\n')
		if err == bufio.ErrBufferFull {
			raw, err = longLine(in, raw)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", x.name, x.lines+1, err)
		}
		x.lines++
		place := Place{file: x.name, line: x.lines, offset: x.size, length: len(raw)}
		x.size += int64(len(raw))
		if len(raw) == 1 {
			continue
		}
		x.add(raw, place, in)
	}
}

// longLine reads the rest of a line that is longer than the reader's buffer.
func longLine(in *bufio.Reader, start []byte) ([]byte, error) {
	start = bytes.Clone(start)
	rest, err := readLine(in)
	return append(start, rest...), err
}

// add indexes a line; in has what follows it. A slice of in's buffer may be
// overwritten.
func (x *Index) add(raw []byte, place Place, in *bufio.Reader) {
	result, bad := head(raw)
	if bad != nil && !json.Valid(raw) {
		if next, err := in.Peek(1); err != nil || next[0] == '\n' {
			return // a crash left it unfinished
		}
	}
	var want planned
	if bad == nil {
		want, bad = x.plan.check(&result)
	}
	switch {
	case bad == nil:
		want.share(&result)
		result.Reflection = nil
		place.id, place.attempt = result.ID, result.Attempt
		x.Results, x.at = append(x.Results, result), append(x.at, place)
	case len(x.Bad) < maxBad:
		x.Bad = append(x.Bad, BadLine{place.line, bad})
	default:
		x.Others++
	}
}

// head decodes the result of a line. It reads only the part before the goal if
// the line ends in a checksum, and so is whole.
func head(raw []byte) (Result, error) {
	const goal = `,"goal":"` // no string contains these bytes, because quotes in it are escaped
	end := bytes.Index(raw, []byte(goal))
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

// Episode reads the attempt and checks it.
func (p Place) Episode() (*Episode, error) {
	raw, err := p.read()
	if err != nil {
		return nil, err
	}
	e, err := decode(raw)
	if err == nil && (e.ID != p.id || e.Attempt != p.attempt) {
		err = errors.New("another episode is there now: the file was replaced")
	}
	if err != nil {
		return nil, badLine(p.file, &line{number: p.line, bad: err})
	}
	return &e, nil
}

func (p Place) read() ([]byte, error) {
	f, err := os.Open(p.file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw := make([]byte, p.length)
	if _, err := f.ReadAt(raw, p.offset); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", p.file, p.line, err)
	}
	return raw, nil
}

// Planned returns task and condition of a planned episode.
func (x *Index) Planned(id string) (*envs.Task, *Condition, bool) {
	p, ok := x.plan[id]
	return p.task, p.condition, ok
}
