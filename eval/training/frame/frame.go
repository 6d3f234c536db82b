// Package frame writes records as Parquet files for data frames: a row for each
// condition, episode and step. The columns have the names of SCHEMA.md.
package frame

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"

	"heldout/eval/training/export"
	"heldout/scoring/record"
)

// Options say what is written.
type Options struct {
	// Dir is the folder for runs.parquet, episodes.parquet and steps.parquet. It is
	// made if it is not there.
	Dir string
	// Attempts writes all attempts, not only those that count.
	Attempts bool
	// Texts writes goals, thoughts, actions, observations and replies.
	Texts bool
	// Steps writes steps.parquet.
	Steps bool
	// Force replaces files that are there.
	Force bool
}

// Summary says what was written.
type Summary struct {
	Runs, Episodes, Steps int
	Files                 []string
	// Uncovered are lines and files without a checksum.
	Uncovered []string
}

// Write writes runs, one after the other, each in the order of its file. The same
// records give the same bytes. Files have their names only if all goes well.
func Write(ctx context.Context, runs []record.Parts, o Options) (*Summary, error) {
	if err := os.MkdirAll(o.Dir, 0o777); err != nil {
		return nil, err
	}
	counts := map[position]record.Rank{}
	for {
		w := &writer{Options: o, counts: counts}
		retry, err := w.writeAll(ctx, runs)
		if !retry {
			return &w.report, err
		}
	}
}

type position struct {
	run int
	pos record.Position
}

// writer writes the files. Steps is nil without them.
type writer struct {
	Options
	runs     *file[RunRow]
	episodes *file[EpisodeRow]
	steps    *file[StepRow]
	manifest *export.File
	report   Summary
	// counts are the attempts that count, so far as is known.
	counts map[position]record.Rank
}

// writeAll writes all files. retry says that an attempt was taken for the one that
// counts, and a later line showed another: then nothing is written, and the next time
// it is known. That happens where two processes worked on a run at once.
func (w *writer) writeAll(ctx context.Context, runs []record.Parts) (retry bool, err error) {
	if err := w.open(); err != nil {
		w.abort()
		return false, err
	}
	for i, run := range runs {
		wrong, err := w.add(ctx, i, run)
		if err != nil {
			w.abort()
			return false, err
		}
		retry = retry || wrong
	}
	if retry {
		w.abort()
		return true, nil
	}
	return false, w.commit()
}

func (w *writer) open() (err error) {
	if w.manifest, err = export.Create(export.Options{Out: filepath.Join(w.Dir, "tables")}.ManifestFile(),
		w.Force); err != nil {
		return err
	}
	if w.runs, err = create[RunRow](w.Options, "runs", groupRows); err != nil {
		return err
	}
	if w.episodes, err = create[EpisodeRow](w.Options, "episodes", groupRows); err != nil || !w.Steps {
		return err
	}
	w.steps, err = create[StepRow](w.Options, "steps", stepGroupRows)
	return err
}

func (w *writer) abort() {
	w.runs.abort()
	w.episodes.abort()
	w.steps.abort()
	if w.manifest != nil {
		w.manifest.Abort()
	}
}

// commit gives the files their names once all of them are whole, the manifest last.
func (w *writer) commit() error {
	err := errors.Join(w.runs.finish(), w.episodes.finish(), w.steps.finish())
	files := []*export.File{w.runs.written(), w.episodes.written()}
	if w.Steps {
		files = append(files, w.steps.written())
	}
	if err == nil {
		err = w.writeManifest(files)
	}
	for _, f := range append(files, w.manifest) {
		if err == nil {
			w.report.Files = append(w.report.Files, f.Name())
			err = f.Commit()
		}
	}
	if err != nil {
		w.abort()
	}
	return err
}

// sums has the checksums of the files, in the form that heldout export --check reads.
type sums struct {
	Schema int    `json:"schema"`
	Parts  []part `json:"parts"`
}

type part struct {
	File   string `json:"file"`
	SHA256 string `json:"sha256"`
}

// writeManifest puts the manifest on disk, under its unfinished name, in place of the one before.
func (w *writer) writeManifest(files []*export.File) error {
	m := sums{Schema: record.Schema}
	for _, f := range files {
		m.Parts = append(m.Parts, part{filepath.Base(f.Name()), f.Sum()})
	}
	text, err := record.EncodeFile(m)
	if err != nil {
		return err
	}
	if _, err := w.manifest.Write(text); err != nil {
		return err
	}
	if err := w.manifest.Flush(); err != nil {
		return err
	}
	if err := os.Remove(w.manifest.Name()); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

type rows struct {
	episode EpisodeRow
	steps   []StepRow
}

// add writes run i. Wrong says that an attempt does not count that was taken for one
// that does.
func (w *writer) add(ctx context.Context, i int, parts record.Parts) (wrong bool, err error) {
	name := filepath.Base(parts.Name())
	derive := func(_ *record.Manifest, e *record.Episode) rows {
		r := rows{episode: episodeRow(name, e, w.Texts)}
		if w.Steps {
			r.steps = stepRows(name, e, w.Texts)
		}
		return r
	}
	var conditions []conditionRow
	var failed error
	m, err := record.EachDerived(parts, derive,
		func(m *record.Manifest, e *record.Episode, pos record.Position, r rows) {
			if failed = cmp.Or(failed, ctx.Err()); failed != nil {
				return
			}
			if conditions == nil {
				if conditions, failed = conditionsOf(name, parts.Name(), m); failed != nil {
					return
				}
			}
			rank, ok := w.counts[position{i, pos}]
			r.episode.Counts = e.Outcome.Final() && (!ok || rank == e.Rank())
			if r.episode.Counts {
				w.counts[position{i, pos}] = e.Rank()
			} else if e.Outcome.Final() && e.Rank().CountsBefore(rank) {
				w.counts[position{i, pos}], wrong = e.Rank(), true
			}
			conditions[pos.Group].add(e, pos, r.episode.Counts)
			failed = w.write(r)
		})
	if err := errors.Join(err, failed); err != nil {
		return false, err
	}
	if conditions == nil { // nothing was played yet
		if conditions, err = conditionsOf(name, parts.Name(), m); err != nil {
			return false, err
		}
	}
	w.report.Runs++
	w.report.Uncovered = append(w.report.Uncovered, m.Uncovered...)
	rated, err := ratedRows(conditions)
	if err != nil {
		return false, err
	}
	return wrong, w.runs.write(rated)
}

func (w *writer) write(r rows) error {
	if !r.episode.Counts && !w.Attempts {
		return nil
	}
	w.report.Episodes++
	w.report.Steps += len(r.steps)
	if err := w.episodes.write([]EpisodeRow{r.episode}); err != nil {
		return err
	}
	return w.steps.write(r.steps)
}
