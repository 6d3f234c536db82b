package bundle

import (
	"archive/tar"
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/klauspost/compress/zstd"

	"heldout/configs"
	"heldout/envs/datafile"
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
	var clean []record.Parts
	var local []string
	for i, run := range runs {
		dest := filepath.Join(dir, runDir(i))
		m, err := writeRun(ctx, dest, run)
		if err != nil {
			return nil, err
		}
		clean, local = append(clean, record.Parts{dest}), append(local, paths(m)...)
	}
	tables, err := tables(clean, true)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, tablesFile), tables, 0o644); err != nil {
		return nil, err
	}
	m := Manifest{Schema: Schema, About: about}
	for _, name := range names(len(runs)) {
		file := filepath.Join(dir, filepath.FromSlash(name))
		info, err := os.Stat(file)
		if err != nil {
			return nil, err
		}
		sum, err := datafile.Sum(file)
		if err != nil {
			return nil, err
		}
		m.Files = append(m.Files, File{name, info.Size(), sum})
	}
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

// writeRun writes a run without what belongs to the machine, in the order of its plan, and returns its manifest.
func writeRun(ctx context.Context, dir string, run record.Parts) (*record.Manifest, error) {
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
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, err
	}
	m, err := record.EncodeFile(cleanManifest(x.Manifest))
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, manifestFile), m, 0o644); err != nil {
		return nil, err
	}
	f, err := os.Create(filepath.Join(dir, episodesFile))
	if err != nil {
		return nil, err
	}
	w := bufio.NewWriterSize(stoppable{ctx, f}, 1<<20)
	return x.Manifest, errors.Join(writeEpisodes(w, x), w.Flush(), f.Close())
}

// writeEpisodes writes the attempts in the order of the plan. The attempts at an episode
// are numbered anew in their order, because two processes can have given one number.
func writeEpisodes(w io.Writer, x *record.Index) error {
	id, attempt := "", 0
	line, last := &bytes.Buffer{}, &bytes.Buffer{}
	return x.Results().EachPlanned(func(e *record.Episode) error {
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
		line, last = last, line
		_, err := w.Write(last.Bytes())
		return err
	})
}

// Tables returns the content of tables.json: the rates of the runs, with intervals.
func Tables(runs []record.Parts) ([]byte, error) { return tables(runs, false) }

// tables is Tables, for runs that this process has written or that others have.
func tables(runs []record.Parts, written bool) ([]byte, error) {
	source, err := report.Inputs{Interval: string(stats.TheseKinds), Written: written}.Load()
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
