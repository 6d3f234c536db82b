// Package modelcalls writes the episodes of runs with every call of their models, as lines of JSON for
// other programs: what a model was sent, what it said, and what each step did.
package modelcalls

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"heldout/eval/episode"
	"heldout/scoring"
	"heldout/scoring/record"
	"heldout/scoring/stats"
)

// Written says what was written, and what was not.
type Written struct {
	Conditions, Episodes int
	// Missing counts the planned episodes without a result, Later the left out trials after the first.
	Missing, Later int
	// Recorded counts the episodes of models whose messages are not known; Reason is the first reason.
	Recorded  int
	Reason    error
	Uncovered []string
}

// Write writes runs: first a ConditionLine for each condition with all its seeds; then an EpisodeLine for each
// attempt that counts. The same records give the same bytes.
func Write(ctx context.Context, w io.Writer, runs []record.Chosen, sent episode.Sent, now time.Time) (*Written, error) {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	s := &stream{sent: sent, encoder: encoder}
	sources := make([]*source, len(runs))
	for i, run := range runs {
		var err error
		if sources[i], err = s.survey(run, now); err != nil {
			return nil, fmt.Errorf("%s: %w", run.Name(), err)
		}
	}
	for _, from := range sources {
		if err := s.episodes(ctx, from); err != nil {
			return nil, fmt.Errorf("%s: %w", from.run.Name(), err)
		}
	}
	if s.Episodes == 0 {
		return nil, errors.New("there is nothing to write: no episode was played")
	}
	return &s.Written, nil
}

type stream struct {
	Written
	sent    episode.Sent
	encoder *json.Encoder
}

// source is a run with what has to be known before its episodes are written.
type source struct {
	*scoring.Run
	run     record.Chosen
	plan    *record.Plan
	byGroup []*planned // nil for groups that are left out
}

// planned is a condition with its number among all lines of conditions.
type planned struct {
	number int
	score  *scoring.Score
}

// survey reads which attempts count, and the rates, and writes the lines of the run's conditions.
func (s *stream) survey(run record.Chosen, now time.Time) (*source, error) {
	results, err := scoring.ReadResults(run)
	if err != nil {
		return nil, err
	}
	status, err := run.Status(now.Add(-record.Silent))
	if err != nil {
		return nil, err
	}
	m := results.Manifest
	s.Uncovered = append(s.Uncovered, m.Uncovered...)
	from := &source{Run: results, run: run, plan: m.Plan()}
	byCondition := map[string]*planned{}
	for _, score := range scoring.Compute(results, stats.TheseKinds) {
		if m.Sweep.ExtraAnchor(score.Condition.Model) {
			continue
		}
		byCondition[score.Condition.Key()] = &planned{s.Conditions, score}
		s.Conditions++
		s.Missing += score.Planned - score.Finished
		if err := s.encoder.Encode(newCondition(score, m, filepath.Base(run.Name()), status != nil)); err != nil {
			return nil, err
		}
	}
	for _, g := range m.Groups {
		g.Condition.Seed = 0
		from.byGroup = append(from.byGroup, byCondition[g.Condition.Key()])
	}
	return from, nil
}

// derived is what an attempt that counts gives; the zero derived is none.
type derived struct {
	line    json.RawMessage
	unknown error // why the calls of a model are not known
	err     error
}

// episodes writes the attempts of a run that count, one after the other.
func (s *stream) episodes(ctx context.Context, from *source) error {
	var failed error
	done := map[record.Position]bool{}
	derive := func(_ *record.Manifest, e *record.Episode) derived { return s.derive(ctx, from, e) }
	_, err := record.EachDerived(from.run, derive,
		func(_ *record.Manifest, _ *record.Episode, pos record.Position, d derived) {
			if failed == nil && d.err != nil {
				failed = d.err
			}
			if failed != nil || done[pos] || d.line == nil && pos.Trial == 1 {
				return
			}
			if done[pos] = true; pos.Trial > 1 {
				s.Later++
				return
			}
			s.Episodes++
			if d.unknown != nil {
				s.Recorded++
				s.Reason = cmp.Or(s.Reason, d.unknown)
			}
			failed = s.encoder.Encode(d.line)
		})
	return errors.Join(failed, err)
}

// derive makes the line of an attempt, if it counts.
func (s *stream) derive(ctx context.Context, from *source, e *record.Episode) (d derived) {
	pos, ok := from.plan.Find(e.ID)
	if d.err = ctx.Err(); d.err != nil || !ok || pos.Trial > 1 {
		return d
	}
	of, g := from.byGroup[pos.Group], &from.Manifest.Groups[pos.Group]
	if counts, _ := from.First(int(pos.Group), int(pos.Task)); of == nil || counts != e.Rank() {
		return d
	}
	calls, unknown := s.sent(ctx, from.Manifest, g.Condition, of.score.Environment.Tasks[pos.Task], e)
	line := newEpisode(e, &g.Condition, calls, unknown)
	line.Condition, line.Epoch = of.number, 1+slices.Index(of.score.Seeds, g.Condition.Seed)
	if d.line, d.err = json.Marshal(line); g.Condition.Decoding != nil {
		d.unknown = unknown
	}
	return d
}
