package record

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"heldout/envs"
	"heldout/scoring/table"
)

// Index is a run for readers that want single episodes of it. It holds what lists say of the attempts and where
// their lines are, not the trajectories, and can be brought up to date while other processes work on the run or its
// shards. It is not safe for concurrent use, but its Results are.
//
// The index reads the beginning of each line, up to the goal, and compares the line with its checksum. So it finds
// a line that was changed or contradicts the plan, but not one that has no trial before it or, in a line without a
// checksum, contradicts its trajectory.
type Index struct {
	Manifest *Manifest // run.json, or the manifest of all shards
	// Bad are the lines that are not records, at most maxBad of them; OmittedBad counts the rest.
	Bad        []BadLine
	OmittedBad int
	Absent     []Shard // the shards that have not begun

	parts   Chosen
	entries []listed
	plan    *Plan // of what is read
	checks  *Plan // of all, which lines are compared with
	files   []*indexed

	// measuring measures the steps, and note makes of the measures what lists say of them; nil if they do not.
	measuring *Measuring
	note      func(r *Result, stepLimit int, measures any) uint8
}

// indexed is a directory with the part of its episodes file that is indexed.
type indexed struct {
	dir, name string
	manifest  fs.FileInfo
	file      fs.FileInfo
	size      int64 // of what is indexed
	lines     int   // in it
	bare      int   // those without a checksum
}

// maxBad is how many bad lines an index describes.
const maxBad = 20

// OpenIndex reads the beginnings of all lines of a run.
func OpenIndex(p Readable) (*Index, error) { return OpenNoted(p, nil, nil) }

// OpenNoted is OpenIndex with a note on the steps of each attempt, by what EachMeasured makes of them.
func OpenNoted(p Readable, g *Measuring, note func(r *Result, stepLimit int, measures any) uint8) (*Index, error) {
	x := &Index{parts: p.chosen(), measuring: g, note: note}
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
	// The manifests are read after the sizes of the files were: lines up to there are planned in them.
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
	x.files = table.Each(dirs, func(dir string) *indexed {
		return &indexed{dir: dir, name: filepath.Join(dir, episodesFile)}
	})
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
	x.entries, x.Bad, x.OmittedBad = nil, nil, 0
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
	m, err := manifestOf(table.Each(x.files, func(f *indexed) string { return f.dir }))
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

// read indexes the lines of a file up to a size. It leaves out a last line without an end, which may
// still be being written.
func (x *Index) read(file *indexed, f io.ReaderAt, size int64) error {
	start, skipped := file.size, file.lines
	newDecoder := heading
	if x.measuring != nil {
		var measured []lineMeasures // new lines have none
		if start == 0 {
			measured = x.measuring.load(file.dir)
		}
		fresh := &measurements{Measuring: x.measuring, dir: file.dir, lines: measured}
		newDecoder = fresh.decoder(x.Manifest)
		defer fresh.keep()
	}
	return scan(io.NewSectionReader(f, start, size-start), file.name, newDecoder, func(l *scanned) error {
		if !bytes.HasSuffix(l.raw, []byte("\n")) && !reachesEnd(l.raw) {
			return nil
		}
		at := place{file.name, start + l.offset, int32(skipped + l.number), int32(len(l.raw))}
		file.lines, file.size = skipped+l.number, at.offset+int64(at.length)
		if !l.torn { // else a crash left it unfinished
			x.add(file, l, at)
		}
		return nil
	})
}

// add indexes a line.
func (x *Index) add(file *indexed, l *scanned, at place) {
	var want planned
	if l.bad == nil {
		want, l.bad = x.checks.check(&l.episode.Result)
	}
	if l.bad != nil {
		if _, ok := shardOf(file.dir); ok {
			l.bad = fmt.Errorf("%s: %w", filepath.Base(file.dir), l.bad)
		}
		if len(x.Bad) < maxBad {
			x.Bad = append(x.Bad, BadLine{int(at.line), l.bad})
		} else {
			x.OmittedBad++
		}
		return
	}
	if l.episode.Checksum == "" {
		file.bare++
	}
	pos, selected := want.pos, true
	if x.plan != x.checks {
		pos, selected = x.plan.Find(l.episode.ID)
	}
	if selected {
		entry := newListed(&l.episode.Result, pos, at)
		if x.measuring != nil {
			entry.note = x.note(&l.episode.Result, want.condition.StepLimit, l.derived.(findings).measures)
		}
		x.entries = append(x.entries, entry)
	}
}

// head decodes the result of a line, and its checksum if it has one.
func head(raw []byte, e *Episode) error {
	*e = Episode{}
	sum, ok := decodeResult(raw, &e.Result)
	if e.Checksum = sum; ok {
		return e.Result.check()
	}
	err := decode(raw, e)
	*e = Episode{Result: e.Result, Checksum: e.Checksum}
	return err
}

// place is where the line of an attempt is.
type place struct {
	file         string
	offset       int64
	line, length int32
}

// Results are the attempts so far.
func (x *Index) Results() Results { return Results{x.plan, x.entries} }

// Planned returns task and condition of a planned episode.
func (x *Index) Planned(id string) (*envs.Task, *Condition, bool) {
	p, ok := x.plan.lookup(id)
	return p.task, p.condition, ok
}

// Uncovered names what Manifest.Uncovered does, and the lines without a checksum.
func (x *Index) Uncovered() []string {
	out := slices.Clone(x.Manifest.Uncovered)
	for _, f := range x.files {
		out = append(out, Uncovered(f.bare, f.name)...)
	}
	return out
}

// Episode reads an attempt and checks it.
func (r Results) Episode(i int) (*Episode, error) {
	lines := lineReader{Results: r}
	defer lines.close()
	e := &Episode{}
	return e, lines.episode(i, e)
}

// lineReader reads lines of attempts, one after the other, and keeps their file open.
type lineReader struct {
	Results
	file *os.File
	raw  []byte // of the last line
}

func (r *lineReader) open(p place) (err error) {
	if r.file != nil && r.file.Name() == p.file {
		return nil
	}
	r.close()
	r.file, err = os.Open(p.file)
	return err
}

func (r *lineReader) close() {
	if r.file != nil {
		r.file.Close()
	}
}

func (r *lineReader) read(p place) error {
	r.raw = slices.Grow(r.raw[:0], int(p.length))[:p.length]
	if _, err := r.file.ReadAt(r.raw, p.offset); err != nil {
		return fmt.Errorf("%s:%d: %w", p.file, p.line, err)
	}
	return nil
}

// episode reads an attempt and checks it. Its trajectory takes the room of the one that is there.
func (r *lineReader) episode(i int, e *Episode) error {
	p := r.entries[i].place
	if err := r.open(p); err != nil {
		return err
	}
	if err := r.read(p); err != nil {
		return err
	}
	return r.decode(i, e)
}

// decode decodes the last line, which is of an attempt.
func (r *lineReader) decode(i int, e *Episode) error {
	l, err := &r.entries[i], decode(r.raw, e)
	if err == nil && (e.ID != r.plan.planned(l.pos).id || e.Attempt != l.attempt) {
		err = errors.New("another episode is there now: the file was replaced")
	}
	if err != nil {
		return badLine(l.file, &scanned{number: int(l.line), bad: err})
	}
	return nil
}

// Search reads some attempts one after the other, and visits those that may contain a text, in lower or upper case,
// by their number among the found, until visit returns false or ctx is done. bad counts the attempts that cannot be
// read.
func (r Results) Search(ctx context.Context, found []int, text string, visit func(n int, e *Episode) bool) (
	bad int, err error) {
	pattern := plain(text)
	lines := lineReader{Results: r}
	defer lines.close()
	for n, i := range found {
		p := r.entries[i].place
		if err := errors.Join(ctx.Err(), lines.open(p)); err != nil {
			return bad, err
		}
		if lines.read(p) != nil {
			bad++
			continue
		}
		if pattern != nil && !bytes.Contains(bytes.ToLower(lines.raw), pattern) {
			continue
		}
		e := &Episode{}
		if lines.decode(i, e) != nil {
			bad++
			continue
		}
		if !visit(n, e) {
			break
		}
	}
	return bad, nil
}

// plain returns a text as a line contains it, in lower case; nil if JSON may write it in several ways.
func plain(text string) []byte {
	for _, r := range text {
		if r < ' ' || r > '~' || strings.ContainsRune(`"\\<>&/`, r) {
			return nil
		}
	}
	return []byte(strings.ToLower(text))
}

// Results are the attempts of an index at one moment. They stay as they are when the index is updated.
type Results struct {
	plan    *Plan
	entries []listed
}

// listed is an attempt in an index: where its line is, and what the plan does not say. It
// is small, because a run can have millions.
type listed struct {
	place
	pos                 Position
	attempt             int
	ended               time.Time
	outcome             Outcome
	failure             string // why there is no result
	progress, grounding float64
	replyTokens         int32
	steps, formatErrors uint16
	note                uint8 // of OpenNoted
}

// newListed takes what is listed of a checked result.
func newListed(r *Result, pos Position, at place) listed {
	return listed{place: at, pos: pos, attempt: r.Attempt, ended: r.Ended, outcome: r.Outcome.shared(),
		failure: r.Error, progress: r.Progress, grounding: r.Grounding, replyTokens: int32(r.CompletionTokens),
		steps: uint16(r.Steps), formatErrors: uint16(r.FormatErrors)}
}

// Len is the number of attempts.
func (r Results) Len() int { return len(r.entries) }

// Result returns what lists and rates say of an attempt, in the order of the lines: of what a
// line says, identity, outcome, progress, steps, errors, tokens of replies and the end.
func (r Results) Result(i int) Result {
	l := &r.entries[i]
	want := r.plan.planned(l.pos)
	out := Result{Schema: Schema, TaskIndex: want.task.Index, Seed: want.condition.Seed, Trial: want.trial,
		Attempt: l.attempt, Outcome: l.outcome, Error: l.failure, Success: l.outcome == Success, Progress: l.progress,
		Grounding: l.grounding, Steps: int(l.steps), FormatErrors: int(l.formatErrors),
		CompletionTokens: int(l.replyTokens), Ended: l.ended}
	want.share(&out)
	return out
}

// Position returns where an attempt stands in the plan.
func (r Results) Position(i int) Position { return r.entries[i].pos }

// StepLimit returns the step limit of an attempt.
func (r Results) StepLimit(i int) int { return r.plan.planned(r.entries[i].pos).condition.StepLimit }

// Note returns the note on the steps of an attempt; 0 without OpenNoted.
func (r Results) Note(i int) uint8 { return r.entries[i].note }

// EachPlanned reads and checks the attempts in the order of the plan, and those at one episode in theirs. Visit must
// keep neither an attempt nor its steps.
func (r Results) EachPlanned(visit func(*Episode, Position) error) error {
	order := make([]int, len(r.entries))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := &r.entries[i], &r.entries[j]
		return cmp.Or(cmp.Compare(a.pos.Group, b.pos.Group), cmp.Compare(a.pos.Task, b.pos.Task),
			cmp.Compare(a.pos.Trial, b.pos.Trial), cmp.Compare(a.attempt, b.attempt), a.ended.Compare(b.ended))
	})
	lines := lineReader{Results: r}
	defer lines.close()
	var e Episode
	checks := newChecker(r.plan)
	for _, i := range order {
		l := &r.entries[i]
		want := r.plan.planned(l.pos)
		if err := lines.episode(i, &e); err != nil {
			return err
		}
		if err := cmp.Or(want.check(&e.Result), checks.checkPlanned(&e, want)); err != nil {
			return badLine(l.file, &scanned{number: int(l.line), bad: err})
		}
		if err := visit(&e, want.pos); err != nil {
			return err
		}
	}
	return nil
}
