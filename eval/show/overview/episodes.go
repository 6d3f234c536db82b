package overview

import (
	"cmp"
	"context"
	"html/template"
	"path/filepath"
	"slices"
	"time"

	"heldout/eval/episode"
	"heldout/eval/show/trajectory"
	"heldout/scoring"
	"heldout/scoring/record"
	"heldout/scoring/refinement"
	"heldout/scoring/report"
	"heldout/scoring/table"
)

// Episodes is what a page has of single episodes: a bundle of them or addresses of their pages, and how
// each attempt that counts ended.
type Episodes struct {
	bundle    *trajectory.Bundle // nil if they have pages elsewhere
	addresses trajectory.Addresses
	attempts  map[report.Stand]*stood // the attempts of unperturbed first trials
	// began and ended are the first and the last time in the records.
	began, ended time.Time
	versions     []string // of heldout, that played
}

// stood has the attempts of a model in a place, by task.
type stood struct {
	tasks  []string // keys of byTask, in the order of the plans
	byTask map[string]*taskAttempts
}

// taskAttempts is a task with the attempts at it that count, one for each seed.
type taskAttempts struct {
	name, kind string
	attempts   []countedAttempt
}

// countedAttempt is an attempt that counts, by its place in a run. A page may have a million of them.
type countedAttempt struct {
	*namedGroup
	task int32
	trajectory.Reason
}

// namedGroup is a group of a run, which has a name.
type namedGroup struct {
	name  string
	run   *scoring.Run
	group int
	*record.Group
}

// named is the attempt as links name it.
func (a countedAttempt) named() trajectory.Target {
	rank, _ := a.run.First(a.group, int(a.task))
	result := record.Result{ID: a.Episodes[a.task], Attempt: rank.Attempt}
	return trajectory.Target{Run: a.name, Name: trajectory.Name(&result)}
}

// Collector makes a bundle of the episodes of runs while a report reads them.
type Collector struct {
	names  []string // of runs in the bundle, each a name of its own
	bundle *trajectory.Bundle
	sent   episode.Sent
	failed error
}

// NewCollector returns a collector of runs, whose models were sent that.
func NewCollector(runs []record.Chosen, sent episode.Sent) (*Collector, error) {
	r := &Collector{sent: sent}
	var size int64
	for _, p := range runs {
		n, err := p.Size()
		if err != nil {
			return nil, err
		}
		size += n
		name := filepath.Base(p.Name())
		if slices.Contains(r.names, name) {
			name = p.Name()
		}
		r.names = append(r.names, name)
	}
	r.bundle = trajectory.NewBundle(size)
	return r, nil
}

// Beside adds the episodes of a run to the bundle, for report.Inputs.
func (r *Collector) Beside(ctx context.Context) func(int, map[string]string) scoring.Companion {
	return func(run int, called map[string]string) scoring.Companion {
		name := r.names[run]
		derive := func(m *record.Manifest, pos record.Position, ep *record.Episode) any {
			named := *ep
			named.Model = cmp.Or(called[ep.Model], ep.Model)
			condition := m.Groups[pos.Group].Condition
			env, _ := m.EnvironmentOf(condition)
			sent, err := r.sent(ctx, m, condition, env.Tasks[pos.Task], ep)
			return r.bundle.Render(name, &named, sent, err)
		}
		visit := func(m *record.Manifest, result *record.Result, pos record.Position, counts *refinement.Counts,
			html any) {
			rendered, ok := html.(template.HTML)
			if !ok {
				r.bundle.Omit()
				return
			}
			named := *result
			named.Model = cmp.Or(called[named.Model], named.Model)
			reason := trajectory.ReasonOf(named.Outcome, counts, m.Groups[pos.Group].Condition.StepLimit)
			r.failed = cmp.Or(r.failed, r.bundle.Add(name, &named, reason, rendered))
		}
		return scoring.Companion{Companion: record.Companion{Takes: r.bundle.Takes, Derive: derive}, Visit: visit}
	}
}

// Episodes are what was read for a report.
func (r *Collector) Episodes(rep *report.Report) (*Episodes, error) {
	e := newEpisodes(r.names, rep, r.bundle.Address)
	e.bundle = r.bundle
	return e, cmp.Or(r.failed, r.bundle.Close())
}

// newEpisodes has the attempts of a report's runs, by these names.
func newEpisodes(names []string, rep *report.Report, addresses trajectory.Addresses) *Episodes {
	e := &Episodes{addresses: addresses, attempts: map[report.Stand]*stood{}}
	for i, name := range names {
		run := rep.Runs[i].Run
		e.sessions(run)
		for group, stand := range rep.Stands(rep.Runs[i].Name, run.Manifest) {
			if stand.Model != "" {
				e.keep(name, run, group, stand)
			}
		}
	}
	return e
}

// sessions notes when and by which version a run was played.
func (e *Episodes) sessions(run *scoring.Run) {
	if run.Ended.After(e.ended) {
		e.ended = run.Ended
	}
	for _, s := range run.Manifest.Sessions {
		if e.began.IsZero() || s.Started.Before(e.began) {
			e.began = s.Started
		}
		if v := s.Tool.Version; v != "" && !slices.Contains(e.versions, v) {
			e.versions = append(e.versions, v)
		}
	}
}

// keep keeps the attempts of a group that have a result.
func (e *Episodes) keep(name string, run *scoring.Run, group int, stand report.Stand) {
	g := &namedGroup{name, run, group, &run.Manifest.Groups[group]}
	env, _ := run.Manifest.EnvironmentOf(g.Condition)
	s := e.attempts[stand]
	if s == nil {
		s = &stood{byTask: map[string]*taskAttempts{}}
		e.attempts[stand] = s
	}
	for i := range g.Episodes {
		rank, counts := run.First(group, i)
		if !rank.Outcome.Final() {
			continue
		}
		task := env.Tasks[i]
		key := task.ID + " " + task.Digest
		t := s.byTask[key]
		if t == nil {
			t = &taskAttempts{name: task.ID, kind: task.Type}
			s.byTask[key] = t
			s.tasks = append(s.tasks, key)
		}
		t.attempts = append(t.attempts, countedAttempt{g, int32(i),
			trajectory.ReasonOf(rank.Outcome, counts, g.Condition.StepLimit)})
	}
}

// solved counts the attempts at a task that solved it.
func (t *taskAttempts) solved() int {
	return len(table.Filter(t.attempts, func(a countedAttempt) bool { return a.Reason == trajectory.Solved }))
}
