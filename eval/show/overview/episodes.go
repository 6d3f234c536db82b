package overview

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"html/template"
	"path/filepath"
	"slices"
	"time"

	"heldout/envs"
	"heldout/eval/episode"
	"heldout/eval/show/trajectory"
	"heldout/scoring/record"
	"heldout/scoring/report"
)

// Episodes is what a page has of single episodes: a bundle of them or addresses of their pages, and how
// each attempt that counts ended.
type Episodes struct {
	bundle    *trajectory.Bundle // nil if they have pages elsewhere
	addresses trajectory.Addresses
	// attempts has the attempts of unperturbed first trials.
	attempts map[report.Stand]*stood
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

// countedAttempt is an attempt that counts. A page may have a million of them.
type countedAttempt struct {
	run, id string
	number  int32
	reason  trajectory.Reason
	seed    int64
}

// named is the attempt as links name it.
func (a countedAttempt) named() trajectory.Target {
	return trajectory.Target{Run: a.run, Result: &record.Result{ID: a.id, Attempt: int(a.number)}}
}

// Sent returns what the model was sent in an attempt of a run, as bench.Prompts does.
type Sent func(context.Context, *record.Manifest, record.Condition, envs.Task, *record.Episode) ([]episode.Call,
	error)

// of is Sent of an attempt whose place in the plan has to be found.
func (s Sent) of(ctx context.Context, m *record.Manifest, e *record.Episode) ([]episode.Call, error) {
	for i := range m.Groups {
		g := &m.Groups[i]
		if g.Condition.Env != e.Env || g.Condition.Model != e.Model || g.Condition.Seed != e.Seed {
			continue
		}
		env, _ := m.EnvironmentOf(g.Condition)
		for k, task := range env.Tasks {
			if task.ID == e.Task && record.TrialID(g.Episodes[k], max(1, e.Trial)) == e.ID {
				return s(ctx, m, g.Condition, task, e)
			}
		}
	}
	return nil, errors.New("the episode is not in the plan")
}

// Read reads the episodes of runs, with what models were sent.
func Read(ctx context.Context, runs []record.Chosen, rep *report.Report, sent Sent) (*Episodes, error) {
	var size int64
	for _, p := range runs {
		n, err := p.Size()
		if err != nil {
			return nil, err
		}
		size += n
	}
	b := trajectory.NewBundle(size)
	e := &Episodes{bundle: b, addresses: b.Address, attempts: map[report.Stand]*stood{}}
	used := map[string]bool{}
	for _, p := range runs {
		name := filepath.Base(p.Name())
		if used[name] {
			name = p.Name()
		}
		used[name] = true
		if err := e.read(ctx, p, name, rep, sent); err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name(), err)
		}
	}
	return e, e.bundle.Close()
}

// readLinked reads the episodes of runs, which have pages elsewhere.
func readLinked(ctx context.Context, runs []record.Chosen, rep *report.Report, addresses trajectory.Addresses) (
	*Episodes, error) {
	e := &Episodes{addresses: addresses, attempts: map[report.Stand]*stood{}}
	for _, p := range runs {
		if err := e.read(ctx, p, p.String(), rep, nil); err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name(), err)
		}
	}
	return e, nil
}

// ranked is what reading keeps of an attempt.
type ranked struct {
	record.Rank
	reason trajectory.Reason
}

// read reads the episodes of a run, which has a name of its own.
func (e *Episodes) read(ctx context.Context, p record.Chosen, name string, rep *report.Report, sent Sent) error {
	type derived struct {
		html template.HTML
		trajectory.Signs
	}
	called := rep.Called(p.Name())
	var counting [][]ranked // by group and task
	var failed error
	m, err := record.EachDerived(p, func(m *record.Manifest, ep *record.Episode) derived {
		d := derived{Signs: trajectory.SignsOf(ep)}
		if e.bundle == nil {
			return d
		}
		named := *ep
		named.Model = cmp.Or(called[ep.Model], ep.Model)
		d.html = e.bundle.Render(name, &named, func() ([]episode.Call, error) { return sent.of(ctx, m, ep) })
		return d
	}, func(m *record.Manifest, ep *record.Episode, pos record.Position, d derived) {
		if failed != nil {
			return
		}
		reason := d.Reason(&ep.Result, m.Groups[pos.Group].Condition.StepLimit)
		if e.bundle != nil {
			named := ep.Result
			named.Model = cmp.Or(called[ep.Model], ep.Model)
			failed = e.bundle.Add(name, &named, reason, d.html)
		}
		if ep.Ended.After(e.ended) {
			e.ended = ep.Ended
		}
		if counting == nil {
			counting = make([][]ranked, len(m.Groups))
		}
		if pos.Trial > 1 {
			return
		}
		if counting[pos.Group] == nil {
			counting[pos.Group] = make([]ranked, len(m.Groups[pos.Group].Episodes))
		}
		if best := &counting[pos.Group][pos.Task]; ep.Rank().CountsBefore(best.Rank) {
			*best = ranked{ep.Rank(), reason}
		}
	})
	if err == nil {
		err = failed
	}
	if err != nil {
		return err
	}
	e.sessions(m)
	stands := rep.Stands(p.Name(), m)
	for i, of := range counting {
		if stands[i].Model != "" {
			e.keep(name, m, i, stands[i], of)
		}
	}
	return nil
}

// sessions notes when and by which version a run was played.
func (e *Episodes) sessions(m *record.Manifest) {
	for _, s := range m.Sessions {
		if e.began.IsZero() || s.Started.Before(e.began) {
			e.began = s.Started
		}
		if v := s.Tool.Version; v != "" && !slices.Contains(e.versions, v) {
			e.versions = append(e.versions, v)
		}
	}
}

// keep keeps the attempts of a group that have a result.
func (e *Episodes) keep(run string, m *record.Manifest, group int, stand report.Stand, attempts []ranked) {
	env, _ := m.EnvironmentOf(m.Groups[group].Condition)
	s := e.attempts[stand]
	if s == nil {
		s = &stood{byTask: map[string]*taskAttempts{}}
		e.attempts[stand] = s
	}
	for i, a := range attempts {
		if !a.Outcome.Final() {
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
		t.attempts = append(t.attempts, countedAttempt{run, m.Groups[group].Episodes[i], int32(a.Attempt), a.reason,
			m.Groups[group].Condition.Seed})
	}
}

// solved counts the attempts at a task that solved it.
func (t *taskAttempts) solved() (n int) {
	for _, a := range t.attempts {
		if a.reason == trajectory.Solved {
			n++
		}
	}
	return n
}
