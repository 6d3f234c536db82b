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

// Summary says what was written, and what was not.
type Summary struct {
	Conditions, Episodes int
	// Missing counts the planned episodes without a result, Skipped the trials left out after the first.
	Missing, Skipped int
	// Recorded counts the episodes of models whose messages are not known; Reason is the first reason.
	Recorded  int
	Reason    error
	Uncovered []string
}

// Write writes runs: first a ConditionLine for each condition with all its seeds; then an EpisodeLine for each
// attempt that counts. The same records give the same bytes.
func Write(ctx context.Context, w io.Writer, runs []record.Chosen, sent episode.Sent, now time.Time) (*Summary, error) {
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
	for _, origin := range sources {
		if err := s.episodes(ctx, origin); err != nil {
			return nil, fmt.Errorf("%s: %w", origin.run.Name(), err)
		}
	}
	if s.Episodes == 0 {
		return nil, errors.New("there is nothing to write: no episode was played")
	}
	return &s.Summary, nil
}

type stream struct {
	Summary
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
	origin := &source{Run: results, run: run, plan: m.Plan()}
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
		origin.byGroup = append(origin.byGroup, byCondition[g.Condition.Key()])
	}
	return origin, nil
}

// derived is what an attempt that counts gives; the zero derived is none.
type derived struct {
	line    json.RawMessage
	unknown error // why the calls of a model are not known
	err     error
}

// episodes writes the attempts of a run that count, one after the other.
func (s *stream) episodes(ctx context.Context, origin *source) error {
	var failed error
	done := map[record.Position]bool{}
	derive := func(_ *record.Manifest, e *record.Episode) derived { return s.derive(ctx, origin, e) }
	_, err := record.EachDerived(origin.run, derive,
		func(_ *record.Manifest, _ *record.Episode, pos record.Position, d derived) {
			if failed == nil && d.err != nil {
				failed = d.err
			}
			if failed != nil || done[pos] || d.line == nil && pos.Trial == 1 {
				return
			}
			if done[pos] = true; pos.Trial > 1 {
				s.Skipped++
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
func (s *stream) derive(ctx context.Context, origin *source, e *record.Episode) (d derived) {
	pos, ok := origin.plan.Find(e.ID)
	if d.err = ctx.Err(); d.err != nil || !ok || pos.Trial > 1 {
		return d
	}
	group, g := origin.byGroup[pos.Group], &origin.Manifest.Groups[pos.Group]
	if counts, _ := origin.First(int(pos.Group), int(pos.Task)); group == nil || counts != e.Rank() {
		return d
	}
	calls, unknown := s.sent(ctx, origin.Manifest, g.Condition, group.score.Environment.Tasks[pos.Task], e)
	line := newEpisode(e, &g.Condition, calls, unknown)
	line.Condition, line.Epoch = group.number, 1+slices.Index(group.score.Seeds, g.Condition.Seed)
	if d.line, d.err = json.Marshal(line); g.Condition.Decoding != nil {
		d.unknown = unknown
	}
	return d
}
