package scoring

import (
	"cmp"
	"fmt"
	"strings"
	"sync"
	"time"

	"heldout/scoring/record"
	"heldout/scoring/refinement"
)

// Run is what tables need of a run directory: its plan, and for each planned episode
// the attempt that counts. It is small, because a run can have millions of episodes.
type Run struct {
	Manifest *record.Manifest
	// attempts holds the attempts that count, by group, trial and task. A trial is nil
	// until an attempt at it is added.
	attempts [][][]attempt
	// spent is what the attempts of each group took, also those that do not count.
	spent []Spent
	// withSteps: trajectories were read.
	withSteps bool
	// Ended is when the last attempt ended.
	Ended time.Time
}

// attempt is what tables need of an attempt. Without any attempt, the outcome is empty.
type attempt struct {
	record.Rank
	success, loose                 bool
	trimmed                        bool // to fit the context
	cut                            bool // prompts, by the server
	untouched                      bool // a perturbation changed no message
	steps, formatErrors            int32
	asAsked                        int32   // replies that name the model that was asked
	score                          float64 // the value of the preset's metric
	promptTokens, completionTokens int
	record.TokenDetails
	modelSeconds, seconds float64
	counts                *refinement.Counts // nil if it was read without its trajectory
	actions               uint64             // of a trial; see actionsOf
	// result is all that is known of the few that have more: replies or decoding with flaws, or several trials. The
	// others share an empty one.
	result *record.Result
}

var unremarkable record.Result

// NewRun returns a run without attempts.
func NewRun(m *record.Manifest) *Run {
	return &Run{Manifest: m, attempts: make([][][]attempt, len(m.Groups)), spent: make([]Spent, len(m.Groups))}
}

// StepCounts is what tables need of the steps of an attempt.
type StepCounts struct {
	Counts  *refinement.Counts // nil if they were not asked for
	actions uint64             // of a trial, see actionsOf
}

// stepReader measures steps.
type stepReader struct {
	counter *refinement.Counter
	forms   sync.Once
	old     map[perturbed]func(string) bool
	damaged error // of the rules of the run's perturbations
}

// newStepReader returns a reader that compares thoughts with the known ones, which may be none.
func newStepReader(thoughts []string) *stepReader {
	return &stepReader{counter: refinement.NewCounter(thoughts)}
}

// Measuring measures steps, except by comparison with known thoughts.
func Measuring() *record.Measuring { return newStepReader(nil).measuring(refinement.Version) }

func (s *stepReader) measuring(version int) *record.Measuring {
	return record.NewMeasuring(version, s.measure)
}

// oldForm is the test of an episode's actions.
func (s *stepReader) oldForm(m *record.Manifest, e *record.Episode) func(string) bool {
	s.forms.Do(func() { s.old, s.damaged = oldForms(m) })
	return s.old[perturbed{e.Env, e.Perturbation}]
}

func (s *stepReader) measure(m *record.Manifest, e *record.Episode) *StepCounts {
	counts := s.counter.Count(e, s.oldForm(m, e))
	return &StepCounts{&counts, actionsOf(e)}
}

// results is measure without the measures of refinement. Sweeps of families have all measures but those of
// thoughts: their first table has what models adapt to.
func (s *stepReader) results(m *record.Manifest, e *record.Episode) *StepCounts {
	out := &StepCounts{actions: actionsOf(e)}
	if m.Sweep.Combines() {
		out.Counts = new(refinement.WithoutThoughts(e, s.oldForm(m, e)))
	}
	return out
}

// Companion makes something else of attempts while they are read, as record.Companion does, and visits one after the
// other with it, which is nil if there is nothing.
type Companion struct {
	record.Companion
	Visit func(*record.Manifest, *record.Result, record.Position, *refinement.Counts, any)
}

// ReadRun reads a run, checks its records against the plan and counts what its episodes contribute to the measures
// of refinement. Thoughts are compared with the known ones, which may be none.
func ReadRun(p record.Readable, thoughts []string, companion Companion) (*Run, error) {
	s, version := newStepReader(thoughts), refinement.Version
	if len(thoughts) > 0 { // the next reader may know others
		version = record.Unkept
	}
	return s.read(p, func(visit visitor) (*record.Manifest, error) {
		return record.EachMeasured(p, s.measuring(version), companion.Companion, func(m *record.Manifest,
			e *record.Episode, pos record.Position, steps *StepCounts, extra any) {
			visit(m, e, pos, steps)
			if companion.Visit != nil {
				companion.Visit(m, &e.Result, pos, steps.Counts, extra)
			}
		})
	})
}

// ReadResults is ReadRun without these measures, in half the time.
func ReadResults(p record.Readable) (*Run, error) {
	s := newStepReader(nil)
	return s.read(p, func(visit visitor) (*record.Manifest, error) {
		return record.EachDerived(p, s.results, visit)
	})
}

// Collector makes what ReadResults returns of attempts that are read elsewhere.
type Collector struct {
	run   *Run
	steps *stepReader
}

// NewCollector returns a Collector without attempts.
func NewCollector(m *record.Manifest) *Collector { return &Collector{NewRun(m), newStepReader(nil)} }

// Add adds an attempt at a planned episode, with its trajectory, and keeps neither.
func (c *Collector) Add(pos record.Position, e *record.Episode) {
	c.run.add(pos, &e.Result, c.steps.results(c.run.Manifest, e))
}

// Run returns the run. The error is one of the rules of its perturbations.
func (c *Collector) Run() (*Run, error) {
	c.steps.oldForm(c.run.Manifest, &record.Episode{})
	return c.run, c.steps.damaged
}

// MeasureRun is ReadResults that measures the steps for later readers, which then need not decode them.
func MeasureRun(p record.Readable) (*Run, error) {
	s := newStepReader(nil)
	return s.read(p, func(visit visitor) (*record.Manifest, error) {
		return record.EachMeasured(p, s.measuring(refinement.Version), record.Companion{}, func(m *record.Manifest,
			e *record.Episode, pos record.Position, steps *StepCounts, _ any) {
			short := StepCounts{actions: steps.actions}
			if m.Sweep.Combines() {
				short.Counts = new(*steps.Counts)
				short.Counts.Thoughts = refinement.Thoughts{}
			}
			visit(m, e, pos, &short)
		})
	})
}

// visitor receives an attempt without its steps, and what was made of them.
type visitor func(*record.Manifest, *record.Episode, record.Position, *StepCounts)

// read makes a run of what each visits.
func (s *stepReader) read(p record.Readable, visitAll func(visitor) (*record.Manifest, error)) (*Run, error) {
	var r *Run
	m, err := visitAll(func(m *record.Manifest, e *record.Episode, pos record.Position, steps *StepCounts) {
		if r == nil {
			r = NewRun(m)
		}
		r.add(pos, &e.Result, cmp.Or(steps, &StepCounts{}))
	})
	if err == nil && r != nil {
		s.oldForm(m, &record.Episode{})
	}
	if err == nil && s.damaged != nil {
		err = fmt.Errorf("%s: %w", p.Name(), s.damaged)
	}
	if err == nil && r == nil {
		r = NewRun(m)
	}
	return r, err
}

// Add adds an attempt at a planned episode. counts is nil if its trajectory is unknown.
func (r *Run) Add(pos record.Position, result *record.Result, counts *refinement.Counts) {
	r.add(pos, result, &StepCounts{Counts: counts})
}

// add keeps an attempt if it counts rather than the one that is there.
func (r *Run) add(pos record.Position, result *record.Result, steps *StepCounts) {
	a := newAttempt(result, steps.Counts, steps.actions)
	r.withSteps = a.counts != nil
	r.spent[pos.Group].add(result)
	if result.Ended.After(r.Ended) {
		r.Ended = result.Ended
	}
	trials := &r.attempts[pos.Group]
	for len(*trials) < int(pos.Trial) {
		*trials = append(*trials, nil)
	}
	tasks := &(*trials)[pos.Trial-1]
	if *tasks == nil {
		*tasks = make([]attempt, len(r.Manifest.Groups[pos.Group].Episodes))
	}
	if previous := &(*tasks)[pos.Task]; a.CountsBefore(previous.Rank) {
		*previous = a
	}
}

// First returns the rank and the counts of the attempt that counts of a first trial; both are empty without one.
func (r *Run) First(group, task int) (record.Rank, *refinement.Counts) {
	a := r.attempt(group, 1, task)
	return a.Rank, a.counts
}

// attempt returns the attempt that counts of a trial, from 1; empty if there is none.
func (r *Run) attempt(group, trial, task int) *attempt {
	trials := r.attempts[group]
	if trial > len(trials) || trials[trial-1] == nil {
		return &attempt{result: &unremarkable}
	}
	return &trials[trial-1][task]
}

func newAttempt(r *record.Result, counts *refinement.Counts, actions uint64) attempt {
	a := attempt{
		Rank: r.Rank(), success: r.Success, loose: r.Loose != nil && *r.Loose, trimmed: r.Trimmed > 0,
		untouched: r.Rewritten != nil && *r.Rewritten == 0,
		cut:       r.CutPrompts > 0,
		steps:     int32(r.Steps), formatErrors: int32(r.FormatErrors), score: metricOf(r),
		promptTokens: r.PromptTokens, completionTokens: r.CompletionTokens, TokenDetails: r.TokenDetails,
		modelSeconds: r.ModelSeconds, seconds: r.Ended.Sub(r.Started).Seconds(), counts: counts, actions: actions,
		result: &unremarkable,
	}
	a.asAsked = int32(r.Answered[askedName(r)])
	if r.Trial == 0 && len(r.Faults) == 0 && len(r.Repairs) == 0 && len(r.Dropped) == 0 && r.Cut == "" &&
		(len(r.Answered) == 0 || len(r.Answered) == 1 && a.asAsked > 0) {
		return a
	}
	result := *r
	if r.Reflection != nil {
		short := *r.Reflection
		short.Text, short.Reasoning = "", ""
		result.Reflection = &short
	}
	a.result = &result
	return a
}

// askedName is the name of the model that was asked, without its provider.
func askedName(r *record.Result) string {
	_, name, _ := strings.Cut(r.Model, ":")
	return name
}
