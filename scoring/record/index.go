package record

import (
	"bufio"
	"bytes"
	"context"
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

// Index is a run for readers that want single episodes of it. It holds what
// lists say of the attempts and where their lines are, not the trajectories, and can be brought up to date
// while other processes work on the run or its shards. It is not safe for concurrent
// use, except for the method Episode of a Place.
//
// The index reads the beginning of each line, up to the goal, and compares the line with
// its checksum. So it finds a line that was changed or contradicts the plan, but not one
// that has no trial before it or, in a line without a checksum, contradicts its
// trajectory.
type Index struct {
	// Manifest is run.json, or that of all shards.
	Manifest *Manifest
	// Bad are the lines that are not records, at most maxBad of them; OmittedBad counts
	// the rest.
	Bad        []BadLine
	OmittedBad int
	// Absent are the shards that have not begun.
	Absent []Shard

	parts   Chosen
	part    int64 // how much is worth a processor, in bytes
	entries []listed
	reading *reading
	plan    *Plan // of what is read
	checks  *Plan // of all, which lines are compared with
	files   []*indexed
}

// indexed is a directory with the part of its episodes file that is indexed.
type indexed struct {
	dir, name string
	manifest  fs.FileInfo
	file      fs.FileInfo
	size      int64 // of what is indexed
	lines     int   // in it
	bare      int   // those of them without a checksum
}

// maxBad is how many bad lines an index describes.
const maxBad = 20

// OpenIndex reads the beginnings of all lines of a run.
func OpenIndex(p Readable) (*Index, error) {
	x := &Index{parts: p.chosen(), part: usualPart}
	if err := x.Update(); err != nil {
		return nil, err
	}
	return x, nil
}

// Update reads what was added since the last call. If files were replaced or came, it
// reads all of them again from the start; indices of results are then others.
func (x *Index) Update() error {
	if err := x.findFiles(); err != nil {
		return err
	}
	contents := make([]*sized, len(x.files))
	for i, f := range x.files {
		content, err := wholeFile(f.name)
		if err != nil {
			return err
		}
		if content != nil {
			defer content.file.Close()
		}
		contents[i] = content
	}
	// The manifests are read after the sizes of the files were: lines up to there are
	// planned in them.
	if err := x.readManifests(); err != nil {
		return err
	}
	if err := x.forgetReplaced(contents); err != nil {
		return err
	}
	for i, f := range x.files {
		if c := contents[i]; c != nil && c.size > f.size {
			if err := x.read(f, c.file, c.size); err != nil {
				return err
			}
		}
	}
	return nil
}

// findFiles finds the directories that have begun.
func (x *Index) findFiles() error {
	dirs, err := x.parts.Dirs()
	if err != nil {
		return err
	}
	x.Absent = absent(dirs)
	if slices.EqualFunc(x.files, dirs, func(f *indexed, dir string) bool { return f.dir == dir }) {
		return nil
	}
	x.files = nil
	for _, dir := range dirs {
		x.files = append(x.files, &indexed{dir: dir, name: filepath.Join(dir, episodesFile)})
	}
	x.forget()
	return nil
}

// forgetReplaced empties the index if a file is another one than before.
func (x *Index) forgetReplaced(contents []*sized) error {
	for i, f := range x.files {
		var info fs.FileInfo
		if c := contents[i]; c != nil {
			var err error
			if info, err = c.file.Stat(); err != nil {
				return err
			}
		}
		if f.size > 0 && (info == nil || !os.SameFile(f.file, info) || contents[i].size < f.size) {
			x.forget()
		}
		f.file = info
	}
	return nil
}

// forget empties the index.
func (x *Index) forget() {
	for _, f := range x.files {
		f.size, f.lines, f.bare = 0, 0, 0
	}
	x.entries, x.Bad, x.OmittedBad, x.reading = nil, nil, 0, new(reading)
}

// readManifests reads the manifests if one of them has changed.
func (x *Index) readManifests() error {
	var infos []fs.FileInfo
	changed := x.Manifest == nil
	for _, f := range x.files {
		info, err := os.Stat(filepath.Join(f.dir, manifestFile))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		same := err == nil && f.manifest != nil && os.SameFile(info, f.manifest) &&
			info.ModTime().Equal(f.manifest.ModTime()) && info.Size() == f.manifest.Size()
		changed = changed || !same
		infos = append(infos, info)
	}
	if !changed {
		return nil
	}
	var dirs []string
	for _, f := range x.files {
		dirs = append(dirs, f.dir)
	}
	m, err := manifestOf(dirs)
	if err != nil {
		return err
	}
	for i, f := range x.files {
		f.manifest = infos[i]
	}
	x.Manifest, x.checks = m.Only(x.parts.Only), m.Plan()
	if x.plan = x.checks; x.Manifest != m {
		x.plan = x.Manifest.Plan()
	}
	x.forget() // what was not planned may be planned now
	return nil
}

// usualPart is how much of a file is worth a processor of its own, in bytes.
const usualPart = 8 << 20

// read indexes the lines of a file up to a size, in parts at the same time. It leaves
// out a last line without an end, which may still be being written.
func (x *Index) read(file *indexed, f io.ReaderAt, size int64) error {
	n := min(int64(runtime.GOMAXPROCS(0)), (size-file.size)/x.part+1)
	parts := make([]fileRange, n)
	var working errgroup.Group
	for i := range parts {
		p := &parts[i]
		p.plan, p.chosen, p.name, p.file, p.size = x.checks, x.plan, file.name, f, size
		p.start = file.size + int64(i)*(size-file.size)/n
		p.stop = file.size + int64(i+1)*(size-file.size)/n
		if file.size == 0 { // most of the plan may be there
			p.entries = make([]listed, 0, len(x.plan.byID)/int(n)/len(x.files))
		}
		working.Go(p.read)
	}
	if err := working.Wait(); err != nil {
		return fmt.Errorf("%s: %w", file.name, err)
	}
	found := 0
	for i := range parts {
		found += len(parts[i].entries)
	}
	x.entries = slices.Grow(x.entries, found)
	for i := range parts {
		x.join(file, &parts[i])
		parts[i] = fileRange{} // a large run has large parts
	}
	return nil
}

// join adds a part that follows what is indexed of its file.
func (x *Index) join(file *indexed, p *fileRange) {
	for i := range p.entries {
		p.entries[i].line += int32(file.lines)
	}
	x.entries = append(x.entries, p.entries...)
	for _, b := range p.bad {
		b.Number += file.lines
		if _, ok := shardOf(file.dir); ok {
			b.Why = fmt.Errorf("%s: %w", filepath.Base(file.dir), b.Why)
		}
		if len(x.Bad) < maxBad {
			x.Bad = append(x.Bad, b)
		} else {
			x.OmittedBad++
		}
	}
	file.lines, file.bare = file.lines+p.lines, file.bare+p.bare
	file.size = max(file.size, p.end)
}

// fileRange is the lines of a file that begin between two offsets.
type fileRange struct {
	plan        *Plan  // of the run
	chosen      *Plan  // of what is read
	name        string // of the file
	file        io.ReaderAt
	size        int64
	start, stop int64

	entries []listed
	bad     []BadLine
	bare    int // lines without a checksum
	lines   int
	end     int64 // of the last whole line
}

// read reads the part.
func (p *fileRange) read() error {
	// One byte earlier: if it ends a line, the next one begins here.
	offset := max(0, p.start-1)
	in := bufio.NewReaderSize(io.NewSectionReader(p.file, offset, p.size-offset), 1<<20)
	if p.start > 0 {
		skipped, err := in.ReadSlice('\n')
		for err == bufio.ErrBufferFull {
			offset += int64(len(skipped))
			skipped, err = in.ReadSlice('\n')
		}
		offset += int64(len(skipped))
	}
	for offset < p.stop {
		raw, err := in.ReadSlice('\n')
		if err == bufio.ErrBufferFull {
			raw, err = appendLine(bytes.Clone(raw), in) // it is longer than the buffer
		}
		if err == io.EOF && !reachesEnd(raw) {
			return nil
		}
		if err != nil && err != io.EOF {
			return fmt.Errorf("the line at byte %d: %w", offset, err)
		}
		p.lines++
		place := Place{file: p.name, line: p.lines, offset: offset, length: len(raw)}
		offset += int64(len(raw))
		p.end = offset
		if len(raw) > 1 {
			p.add(raw, place, in)
		}
	}
	return nil
}

// add indexes a line; in has what follows it. A slice of in's buffer may be
// overwritten.
func (p *fileRange) add(raw []byte, place Place, in *bufio.Reader) {
	result, covered, bad := head(raw)
	if bad != nil && unfinished(raw) {
		if next, err := in.Peek(1); err != nil || next[0] == '\n' {
			return // a crash left it unfinished
		}
	}
	var want planned
	if bad == nil {
		want, bad = p.plan.check(&result)
	}
	if bad != nil {
		p.bad = append(p.bad, BadLine{place.line, bad})
		return
	}
	if !covered {
		p.bare++
	}
	pos, selected := want.pos, true
	if p.chosen != p.plan {
		pos, selected = p.chosen.Find(result.ID)
	}
	if selected {
		p.entries = append(p.entries, newListed(&result, pos, place))
	}
}

// head decodes the result of a line; covered is false if the line has no checksum.
func head(raw []byte) (r Result, covered bool, err error) {
	if r, ok := decodeResult(raw); ok {
		return r, true, r.check()
	}
	e, err := decode(raw)
	return e.Result, e.Checksum != "", err
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

// Results are the attempts so far.
func (x *Index) Results() Results { return Results{x.plan, x.entries, x.reading} }

// Planned returns task and condition of a planned episode.
func (x *Index) Planned(id string) (*envs.Task, *Condition, bool) {
	p, ok := x.plan.lookup(id)
	return p.task, p.condition, ok
}

// Uncovered is that of the manifest, with the lines.
func (x *Index) Uncovered() []string {
	out := slices.Clone(x.Manifest.Uncovered)
	for _, f := range x.files {
		out = append(out, Uncovered(f.bare, f.name)...)
	}
	return out
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
	pattern := plain(text)
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
		if pattern != nil && !bytes.Contains(bytes.ToLower(raw), pattern) {
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
