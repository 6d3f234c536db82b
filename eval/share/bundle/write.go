package bundle

import (
	"archive/tar"
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/klauspost/compress/zstd"

	"heldout/configs"
	"heldout/scoring"
	"heldout/scoring/record"
	"heldout/scoring/report"
	"heldout/scoring/stats"
	"heldout/scoring/table"
)

// Stage writes the files of a bundle of runs into an empty directory.
func Stage(ctx context.Context, dir string, runs []record.Parts, about configs.About) (*Contents, error) {
	if len(runs) > maxRuns {
		return nil, fmt.Errorf("there are %d runs, a bundle has at most %d", len(runs), maxRuns)
	}
	s := staging{ctx: ctx, dir: dir}
	var staged []record.Parts
	var results []*scoring.Run
	var local []string
	for i, run := range runs {
		r, err := s.run(runDir(i), run)
		if err != nil {
			return nil, err
		}
		staged, results = append(staged, record.Parts{filepath.Join(dir, runDir(i))}), append(results, r)
		local = append(local, paths(r.Manifest)...)
	}
	tables, err := tables(staged, results)
	if err != nil {
		return nil, err
	}
	if err := s.content(tablesFile, tables); err != nil {
		return nil, err
	}
	m := Manifest{Schema, about, s.files}
	if _, err := m.runs(); err != nil {
		return nil, err
	}
	b, err := record.EncodeFile(m)
	if err != nil {
		return nil, err
	}
	if len(b) > maxAbout {
		return nil, fmt.Errorf("%s has %d bytes, the limit is %d: declare fewer training tasks", aboutFile, len(b),
			maxAbout)
	}
	c := m.contents(dir)
	c.Paths = local
	return c, os.WriteFile(filepath.Join(dir, aboutFile), b, 0o644)
}

// staging writes the files of a bundle into a directory, one after the other.
type staging struct {
	ctx   context.Context
	dir   string
	files []File // those that are written
}

// write writes a file by a function.
func (s *staging) write(name string, fill func(io.Writer) error) error {
	f, err := os.Create(filepath.Join(s.dir, filepath.FromSlash(name)))
	if err != nil {
		return err
	}
	sum := sha256.New()
	w := bufio.NewWriterSize(stoppable{s.ctx, io.MultiWriter(f, sum)}, 1<<20)
	err = errors.Join(fill(w), w.Flush())
	size, err2 := f.Seek(0, io.SeekCurrent)
	s.files = append(s.files, File{name, size, hex.EncodeToString(sum.Sum(nil))})
	return errors.Join(err, err2, f.Close())
}

// content writes a file of some bytes.
func (s *staging) content(name string, b []byte) error {
	return s.write(name, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
}

// run writes a run without what belongs to the machine, in the order of its plan, and returns what it has written.
func (s *staging) run(name string, run record.Parts) (*scoring.Run, error) {
	x, err := record.OpenIndex(run)
	if err != nil {
		return nil, err
	}
	if len(x.Bad) > 0 {
		return nil, fmt.Errorf("%s has lines that are not records: heldout repair sets them aside", run)
	}
	if len(x.Absent) > 0 {
		return nil, fmt.Errorf("%s lacks %s", run, record.NameShards(x.Absent))
	}
	if err := os.Mkdir(filepath.Join(s.dir, name), 0o755); err != nil {
		return nil, err
	}
	m := cleanManifest(x.Manifest)
	b, err := record.EncodeFile(m)
	if err != nil {
		return nil, err
	}
	if err := s.content(name+"/"+manifestFile, b); err != nil {
		return nil, err
	}
	results := scoring.NewCollector(m)
	err = s.write(name+"/"+episodesFile, func(w io.Writer) error { return writeEpisodes(w, x.Results(), results.Add) })
	if err != nil {
		return nil, err
	}
	return results.Run()
}

// writeEpisodes writes the attempts in the order of the plan, and visits them. The attempts at an episode
// are numbered anew in their order, because two processes can have given one number.
func writeEpisodes(w io.Writer, r record.Results, visit func(record.Position, *record.Episode)) error {
	id, attempt := "", 0
	line, last := &bytes.Buffer{}, &bytes.Buffer{}
	return r.EachPlanned(func(e *record.Episode, pos record.Position) error {
		if e.ID != id {
			id, attempt = e.ID, 0
		}
		cleanEpisode(e)
		line.Reset()
		e.Attempt = attempt
		if attempt > 0 && record.Encode(line, e) == nil && bytes.Equal(line.Bytes(), last.Bytes()) {
			return nil // two directories had it
		}
		line.Reset()
		attempt++
		e.Attempt = attempt
		if err := record.Encode(line, e); err != nil {
			return err
		}
		visit(pos, e)
		line, last = last, line
		_, err := w.Write(last.Bytes())
		return err
	})
}

// Tables returns the content of tables.json: the rates of the runs, with intervals.
func Tables(runs []record.Parts) ([]byte, error) { return tables(runs, nil) }

// tables is Tables of runs whose results are read already, unless they are nil.
func tables(runs []record.Parts, results []*scoring.Run) ([]byte, error) {
	source, err := report.Inputs{Interval: string(stats.TheseKinds), Collected: results}.Load()
	if err != nil {
		return nil, err
	}
	var chosen []record.Chosen
	for _, p := range runs {
		chosen = append(chosen, record.Chosen{Parts: p})
	}
	rep, _, err := source.Read(chosen, false)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = table.Render(&b, table.JSON, append(rep.Tables("headline"), rep.Tables("results")...)...)
	return b.Bytes(), err
}

// Pack writes the files that Stage wrote as one. Equal files give equal bytes.
func Pack(w io.Writer, dir string, c *Contents) error {
	z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedBetterCompression),
		zstd.WithWindowSize(window))
	if err != nil {
		return err
	}
	t := tar.NewWriter(z)
	files := []string{aboutFile}
	for _, f := range c.Files {
		files = append(files, f.Name)
	}
	for _, name := range files {
		if err := add(t, dir, name); err != nil {
			return errors.Join(err, z.Close())
		}
	}
	return errors.Join(t.Close(), z.Close())
}

func add(t *tar.Writer, dir, name string) error {
	f, err := os.Open(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := t.WriteHeader(header(name, info.Size())); err != nil {
		return err
	}
	_, err = io.Copy(t, f)
	return err
}

// header is the only one that a file of a name and a size has.
func header(name string, size int64) *tar.Header {
	return &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o644, ModTime: time.Unix(0, 0),
		Format: tar.FormatUSTAR}
}
