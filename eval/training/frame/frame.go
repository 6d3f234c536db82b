// Package frame writes records as lines of JSON, of which the Python package makes data frames and Parquet
// files: one for each condition and one for each attempt.
package frame

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"time"

	"heldout/scoring"
	"heldout/scoring/record"
	"heldout/scoring/stats"
)

// Options say what is written.
type Options struct {
	// Attempts writes all attempts, not only those that count.
	Attempts bool
	// Trajectories writes the steps of attempts.
	Trajectories bool
}

// Summary says what was written.
type Summary struct {
	Runs, Episodes, Steps int
	Uncovered             []string // lines and files without a checksum
}

// conditionLine is what one planned group of episodes was played under, how far it is, and its rates.
type conditionLine struct {
	Run       string           `json:"run"`
	Dir       string           `json:"dir"`
	Condition record.Condition `json:"condition"`
	// Planned counts first trials, Finished the episodes with a result, later trials included, and Failed the
	// attempts without one.
	Planned  int `json:"planned"`
	Finished int `json:"finished"`
	Failed   int `json:"failed_attempts"`
	// Complete: no first trial lacks a result. Rates are of first trials.
	Complete         bool                 `json:"complete"`
	Success          boundedRate          `json:"success"`
	Progress         boundedRate          `json:"progress"`
	Interval         stats.Question       `json:"interval"`
	PromptTokens     int                  `json:"prompt_tokens"`
	CompletionTokens int                  `json:"completion_tokens"`
	ModelSeconds     float64              `json:"model_seconds"`
	Started          *time.Time           `json:"started"` // of the first attempt
	Ended            *time.Time           `json:"ended"`   // of the last one
	Tool             record.Tool          `json:"tool"`
	Server           *record.ServerReport `json:"server"` // when the run was last started

	results *scoring.Run
}

// boundedRate is a fraction and the ends of its 95 % interval, nil where there is none.
type boundedRate struct {
	Mean *float64 `json:"mean"`
	Low  *float64 `json:"low"`
	High *float64 `json:"high"`
}

// attemptLine is an attempt of a run. Counts: it is the result of its episode.
type attemptLine struct {
	Run    string          `json:"run"`
	Counts bool            `json:"counts"`
	Record *record.Episode `json:"record"`
}

// about is what the intervals are about, as by default in tables.
const about = stats.TheseKinds

// Write writes the lines of runs, one after the other: first the conditions of a run, then its attempts in the
// order of their files.
func Write(ctx context.Context, w io.Writer, runs []record.Parts, o Options) (*Summary, error) {
	out := bufio.NewWriter(w)
	f := &frame{Options: o, lines: json.NewEncoder(out)}
	for _, run := range runs {
		if err := f.run(ctx, run); err != nil {
			return nil, err
		}
	}
	return &f.Summary, out.Flush()
}

type frame struct {
	Options
	Summary
	lines *json.Encoder
}

func (f *frame) run(ctx context.Context, parts record.Parts) error {
	ranks, err := f.conditions(parts)
	if err != nil {
		return err
	}
	f.Runs++
	var failed error
	name := filepath.Base(parts.Name())
	encode := func(_ *record.Manifest, e *record.Episode) encoded {
		rank, ok := ranks[e.ID]
		counts, row := ok && e.Rank() == rank, *e
		if !counts && !f.Attempts {
			return encoded{}
		}
		if !f.Trajectories {
			row.Trajectory = nil
		}
		row.Started, row.Ended = e.Started.UTC(), e.Ended.UTC()
		text, err := json.Marshal(attemptLine{name, counts, &row})
		return encoded{text, len(row.Trajectory), err}
	}
	_, err = record.EachDerived(parts, encode,
		func(_ *record.Manifest, _ *record.Episode, _ record.Position, line encoded) {
			if failed = cmp.Or(failed, line.err, ctx.Err()); failed == nil && line.text != nil {
				f.Episodes++
				f.Steps += line.steps
				failed = f.lines.Encode(line.text)
			}
		})
	return errors.Join(err, failed)
}

// encoded is the line of an attempt; the zero encoded is none.
type encoded struct {
	text  json.RawMessage
	steps int
	err   error
}

// conditions writes the lines of a run's conditions. It returns the ranks of the attempts that count, by id.
func (f *frame) conditions(parts record.Parts) (counts map[string]record.Rank, err error) {
	counts = map[string]record.Rank{}
	var conditions []conditionLine
	plan := func(m *record.Manifest) {
		if conditions == nil {
			conditions = planned(parts, m)
		}
	}
	m, err := record.EachDerived(parts, func(*record.Manifest, *record.Episode) struct{} { return struct{}{} },
		func(m *record.Manifest, e *record.Episode, pos record.Position, _ struct{}) {
			plan(m)
			c := &conditions[pos.Group]
			if rank, ok := counts[e.ID]; e.Outcome.Final() && (!ok || e.Rank().CountsBefore(rank)) {
				counts[e.ID] = e.Rank()
				if !ok {
					c.Finished++
				}
			}
			c.add(e, pos)
		})
	if err != nil {
		return nil, err
	}
	plan(m) // nothing was played yet
	f.Uncovered = append(f.Uncovered, m.Uncovered...)
	for i := range conditions {
		c := &conditions[i]
		scores := scoring.Compute(c.results, about)
		c.Complete = scores[0].Complete()
		c.Success, c.Progress = newRate(scores[0].Success), newRate(scores[0].Progress)
		if err := f.lines.Encode(c); err != nil {
			return nil, err
		}
	}
	return counts, nil
}

// planned returns the conditions of a run, without what was played.
func planned(parts record.Parts, m *record.Manifest) []conditionLine {
	conditions := make([]conditionLine, len(m.Groups))
	for i, g := range m.Groups {
		alone := *m
		alone.Groups = m.Groups[i : i+1]
		conditions[i] = conditionLine{Run: filepath.Base(parts.Name()), Dir: parts.Name(), Condition: g.Condition,
			Planned: len(g.Episodes), Interval: about, Tool: m.Tool, results: scoring.NewRun(&alone)}
		if servers := m.Servers[g.Condition.Model]; len(servers) > 0 {
			conditions[i].Server = &servers[len(servers)-1]
		}
	}
	return conditions
}

func (c *conditionLine) add(e *record.Episode, pos record.Position) {
	c.PromptTokens += e.PromptTokens
	c.CompletionTokens += e.CompletionTokens
	c.ModelSeconds += e.ModelSeconds
	started, ended := e.Started.UTC(), e.Ended.UTC()
	if c.Started == nil || started.Before(*c.Started) {
		c.Started = &started
	}
	if c.Ended == nil || ended.After(*c.Ended) {
		c.Ended = &ended
	}
	if !e.Outcome.Final() {
		c.Failed++
	}
	pos.Group = 0
	c.results.Add(pos, &e.Result, nil)
}

func newRate(r scoring.Rate) (out boundedRate) {
	out.Mean, out.Low, out.High = r.Bounds()
	return out
}
