package inspectlog

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/natefinch/atomic"

	"heldout/envs"
	"heldout/eval/episode"
	"heldout/scoring"
	"heldout/scoring/record"
	"heldout/scoring/stats"
)

// Sent returns what the model was sent in an attempt, as bench.Prompts does.
type Sent func(context.Context, *record.Manifest, record.Condition, envs.Task, *record.Episode) ([]episode.Call,
	error)

// Options say what is written.
type Options struct {
	// Dir is the folder for the logs. It is made if it is not there.
	Dir string
	// Force replaces files that are there.
	Force bool
	Sent  Sent
	Now   time.Time
}

// Written says what was written, and what was not.
type Written struct {
	Files    []string
	Episodes int
	// Missing counts the planned episodes without a result, Later the left out trials after the first.
	Missing, Later int
	// Recorded counts the episodes of models whose messages are not known; Reason is the first reason.
	Recorded  int
	Reason    error
	Uncovered []string
}

// Write writes runs, a log for each condition. The same records give the same bytes. Files have
// their names only if all goes well.
func Write(ctx context.Context, runs []record.Chosen, o Options) (*Written, error) {
	if err := os.MkdirAll(o.Dir, 0o777); err != nil {
		return nil, fmt.Errorf("the folder cannot be made: %w; name another one with --out", err)
	}
	work, err := record.OpenWorkplace(o.Dir)
	if err != nil {
		return nil, err
	}
	defer work.Close()
	if err := work.Empty(); err != nil {
		return nil, err
	}
	stop := work.Until(ctx)
	w := &logWriter{Options: o, work: work, runs: map[string]string{}}
	for _, run := range runs {
		if err := w.add(ctx, run); err != nil {
			return nil, fmt.Errorf("%s: %w", run.Name(), cmp.Or(context.Cause(ctx), err))
		}
	}
	if !stop() {
		return nil, context.Cause(ctx)
	}
	if w.Episodes == 0 {
		return nil, errors.New("there is nothing to write: no episode was played")
	}
	for _, name := range w.Files {
		if err := atomic.ReplaceFile(work.Path(filepath.Base(name)), name); err != nil {
			return nil, err
		}
	}
	return &w.Written, nil
}

type logWriter struct {
	Options
	Written
	work *record.Workplace
	runs map[string]string // by file, the run that it is of
}

// source is a run with what has to be known before its episodes are written.
type source struct {
	manifest *record.Manifest
	plan     *record.Plan
	counts   map[record.Position]record.Rank
	logs     []*log
	byGroup  []*log // nil for groups that are left out
}

// add writes the logs of a run.
func (w *logWriter) add(ctx context.Context, run record.Chosen) error {
	s, err := w.survey(run)
	if err != nil {
		return err
	}
	for _, l := range s.logs {
		if err := w.open(l, run.Name()); err != nil {
			return err
		}
	}
	if err := w.episodes(ctx, run, s); err != nil {
		return err
	}
	for _, l := range s.logs {
		if err := l.finish(); err != nil {
			return err
		}
		w.Missing += l.score.Planned - l.score.Finished
	}
	return nil
}

// survey reads which attempts count, and the rates.
func (w *logWriter) survey(run record.Chosen) (*source, error) {
	s := &source{counts: map[record.Position]record.Rank{}}
	var results *scoring.Run
	m, err := record.EachDerived(run, func(*record.Manifest, *record.Episode) struct{} { return struct{}{} },
		func(m *record.Manifest, e *record.Episode, pos record.Position, _ struct{}) {
			if results == nil {
				results = scoring.NewRun(m)
			}
			results.Add(pos, &e.Result, nil)
			if e.Rank().CountsBefore(s.counts[pos]) {
				s.counts[pos] = e.Rank()
			}
		})
	if err != nil {
		return nil, err
	}
	if results == nil {
		results = scoring.NewRun(m)
	}
	for pos := range s.counts {
		if pos.Trial > 1 {
			w.Later++
		}
	}
	status, err := run.Status(w.Now.Add(-record.Silent))
	if err != nil {
		return nil, err
	}
	w.Uncovered = append(w.Uncovered, m.Uncovered...)
	s.manifest, s.plan = m, m.Plan()
	scores, err := scoring.Compute(results, stats.TheseKinds)
	if err != nil {
		return nil, err
	}
	byCondition := map[string]*log{}
	for _, score := range scores {
		if !m.Sweep.ExtraAnchor(score.Condition.Model) {
			l := newLog(score, m, filepath.Base(run.Name()), runIdentity(m), status != nil)
			byCondition[score.Condition.Key()], s.logs = l, append(s.logs, l)
		}
	}
	for _, g := range m.Groups {
		g.Condition.Seed = 0
		s.byGroup = append(s.byGroup, byCondition[g.Condition.Key()])
	}
	return s, nil
}

// runIdentity identifies a run by its start and its plan.
func runIdentity(m *record.Manifest) string {
	var texts []string
	if len(m.Sessions) > 0 {
		texts = append(texts, m.Sessions[0].Started.UTC().String())
	}
	for _, g := range m.Groups {
		texts = append(texts, g.Episodes...)
	}
	return identity(texts...)
}

// open begins the file of a log.
func (w *logWriter) open(l *log, run string) error {
	file := filepath.Join(w.Dir, l.name)
	if other, ok := w.runs[file]; ok {
		return fmt.Errorf("it is the same run as %s: name one of them", other)
	}
	if _, err := os.Stat(file); err == nil && !w.Force {
		return fmt.Errorf("%s exists; --force replaces it", file)
	}
	w.runs[file], w.Files = run, append(w.Files, file)
	l.archive = newArchive(w.work.Path(l.name))
	e, err := pack("_journal/start.json", header{Version: version, Eval: l.spec, Plan: l.plan()})
	if err != nil {
		return err
	}
	return l.archive.add(e)
}

// derived is what an attempt that counts gives; the zero derived is none.
type derived struct {
	entry
	scoredSample
	unknown error
	err     error
}

// episodes writes the attempts that count, one after the other.
func (w *logWriter) episodes(ctx context.Context, run record.Chosen, s *source) error {
	var failed error
	done := map[record.Position]bool{}
	derive := func(_ *record.Manifest, e *record.Episode) derived { return w.derive(ctx, s, e) }
	_, err := record.EachDerived(run, derive,
		func(_ *record.Manifest, e *record.Episode, pos record.Position, d derived) {
			if failed == nil && d.err != nil {
				failed = d.err
			}
			if failed != nil || d.content == nil || done[pos] {
				return
			}
			done[pos] = true
			failed = w.write(s, e, pos, d)
		})
	return errors.Join(failed, err)
}

// derive makes the sample of an attempt, if it counts.
func (w *logWriter) derive(ctx context.Context, s *source, e *record.Episode) (d derived) {
	pos, ok := s.plan.Find(e.ID)
	if d.err = ctx.Err(); d.err != nil || !ok || s.counts[pos] != e.Rank() || pos.Trial > 1 {
		return d
	}
	l, g := s.byGroup[pos.Group], &s.manifest.Groups[pos.Group]
	if l == nil {
		return d
	}
	a := &playedSample{Episode: e, condition: &g.Condition, task: &l.score.Environment.Tasks[pos.Task],
		epoch: l.epoch(g), model: l.spec.Model}
	if a.calls, a.unknown = w.Sent(ctx, s.manifest, g.Condition, *a.task, e); a.unknown != nil {
		a.calls = nil
	}
	sample := a.sample()
	if d.summary, d.err = json.Marshal(sample.summary()); d.err != nil {
		return d
	}
	if e.Outcome.Final() {
		d.scores = map[string]float64{successScore: 0, progressScore: e.Progress, groundingScore: e.Grounding,
			unreadableScore: float64(e.FormatErrors)}
		if e.Success {
			d.scores[successScore] = 1
		}
	}
	if g.Condition.Decoding != nil {
		d.unknown = a.unknown
	}
	d.entry, d.err = pack(fmt.Sprintf("samples/%s_epoch_%d.json", sample.ID, sample.Epoch), sample)
	return d
}

// epoch is the number of a group's seed, from 1.
func (l *log) epoch(g *record.Group) int { return 1 + slices.Index(l.score.Seeds, g.Condition.Seed) }

// write adds a sample to its log.
func (w *logWriter) write(s *source, e *record.Episode, pos record.Position, d derived) error {
	l := s.byGroup[pos.Group]
	l.rows[sampleKey{int(pos.Task), l.epoch(&s.manifest.Groups[pos.Group])}] = d.scoredSample
	if l.began.IsZero() || e.Started.Before(l.began) {
		l.began = e.Started.UTC()
	}
	if e.Ended.After(l.ended) {
		l.ended = e.Ended.UTC()
	}
	w.Episodes++
	if d.unknown != nil {
		w.Recorded++
		w.Reason = cmp.Or(w.Reason, d.unknown)
	}
	return l.archive.add(d.entry)
}
