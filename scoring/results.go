package scoring

import (
	"fmt"
	"strings"
	"sync"

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

// ReadRun reads a run, checks its records against the plan and counts
// what its episodes contribute to the measures of refinement. Thoughts are compared
// with the known ones, which may be none.
func ReadRun(p record.Readable, thoughts []string) (*Run, error) {
	return read(p, refinement.NewCounter(thoughts).Count)
}

// ReadResults is ReadRun without these measures, in half the time. Sweeps of families have
// all but those of thoughts: their first table has what models adapt to.
func ReadResults(p record.Readable) (*Run, error) { return read(p, nil) }

// read reads a run. count counts what an episode contributes to measures of refinement, given which actions are in
// an old form; it is nil if nothing is counted.
func read(p record.Readable, count func(*record.Episode, func(string) bool) refinement.Counts) (*Run, error) {
	var r *Run
	var damaged error
	var forms sync.Once
	var old map[perturbed]func(string) bool
	derive := func(m *record.Manifest, e *record.Episode) derived {
		forms.Do(func() { old, damaged = oldForms(m) })
		var counts *refinement.Counts
		count := count
		if count == nil && m.Sweep.Combines() {
			count = refinement.WithoutThoughts
		}
		if count != nil {
			c := count(e, old[perturbed{e.Env, e.Perturbation}])
			counts = &c
		}
		var actions uint64
		if e.Trial > 0 {
			actions = actionsOf(e)
		}
		d := derived{attempt: newAttempt(&e.Result, counts, actions)}
		d.spent.add(&e.Result)
		return d
	}
	m, err := record.EachDerived(p, derive,
		func(m *record.Manifest, _ *record.Episode, pos record.Position, d derived) {
			if r == nil {
				r = NewRun(m)
			}
			r.add(pos, &d)
		})
	if err == nil && damaged != nil {
		err = fmt.Errorf("%s: %w", p.Name(), damaged)
	}
	if err == nil && r == nil {
		r = NewRun(m)
	}
	return r, err
}

// Add adds an attempt at a planned episode. counts is nil if its trajectory is unknown.
func (r *Run) Add(pos record.Position, result *record.Result, counts *refinement.Counts) {
	d := derived{attempt: newAttempt(result, counts, 0)}
	d.spent.add(result)
	r.add(pos, &d)
}

// derived is what an episode gives.
type derived struct {
	attempt
	spent Spent
}

// add keeps an attempt if it counts rather than the one that is there.
func (r *Run) add(pos record.Position, d *derived) {
	a := &d.attempt
	r.withSteps = a.counts != nil
	r.spent[pos.Group] = r.spent[pos.Group].Plus(d.spent)
	trials := &r.attempts[pos.Group]
	for len(*trials) < int(pos.Trial) {
		*trials = append(*trials, nil)
	}
	tasks := &(*trials)[pos.Trial-1]
	if *tasks == nil {
		*tasks = make([]attempt, len(r.Manifest.Groups[pos.Group].Episodes))
	}
	if previous := &(*tasks)[pos.Task]; a.CountsBefore(previous.Rank) {
		*previous = *a
	}
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
	a.asAsked = int32(r.Answered[asked(r)])
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

// asked is the name of the model that was asked, without its provider.
func asked(r *record.Result) string {
	_, name, _ := strings.Cut(r.Model, ":")
	return name
}
