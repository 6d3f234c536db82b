package overview

import (
	"cmp"
	"fmt"
	"html/template"
	"path/filepath"
	"slices"
	"time"

	"heldout/eval/show/trajectory"
	"heldout/scoring/record"
	"heldout/scoring/report"
)

// Episodes is what a page has of single episodes: a bundle of them, and how each attempt
// that counts ended.
type Episodes struct {
	bundle *trajectory.Bundle
	// at has the attempts of unperturbed first trials.
	at map[report.Stand]*stood
	// began and ended are the first and the last time in the records.
	began, ended time.Time
	versions     []string // of heldout, that played
}

// stood has the attempts of a model in a place, by task.
type stood struct {
	tasks []string // keys of byTask, in the order of the plans
	by    map[string]*tried
}

// tried is a task with the attempts at it that count, one for each seed.
type tried struct {
	name, kind string
	attempts   []attempt
}

// attempt is an attempt that counts. A page may have a million of them.
type attempt struct {
	run, id string
	number  int32
	why     reason
	seed    int64
}

// result is what names an attempt in a bundle.
func (a attempt) result() *record.Result { return &record.Result{ID: a.id, Attempt: int(a.number)} }

// Read reads the episodes of runs.
func Read(runs []record.Chosen, from *report.Report) (*Episodes, error) {
	var size int64
	for _, p := range runs {
		n, err := p.Size()
		if err != nil {
			return nil, err
		}
		size += n
	}
	e := &Episodes{bundle: trajectory.NewBundle(size), at: map[report.Stand]*stood{}}
	taken := map[string]bool{}
	for _, p := range runs {
		name := filepath.Base(p.Name())
		if taken[name] {
			name = p.Name()
		}
		taken[name] = true
		if err := e.read(p, name, from); err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name(), err)
		}
	}
	return e, e.bundle.Close()
}

// seen is what reading keeps of an attempt.
type seen struct {
	record.Rank
	why reason
}

// read reads the episodes of a run, which has a name of its own.
func (e *Episodes) read(p record.Chosen, name string, from *report.Report) error {
	type derived struct {
		html template.HTML
		signs
	}
	called := from.Called(p.Name())
	var counting [][]seen // by group and task
	var failed error
	m, err := record.EachDerived(p, func(_ *record.Manifest, of *record.Episode) derived {
		d := derived{signs: signsOf(of)}
		named := *of
		named.Model = cmp.Or(called[of.Model], of.Model)
		d.html = e.bundle.Render(name, &named)
		return d
	}, func(m *record.Manifest, of *record.Episode, at record.Position, d derived) {
		if failed != nil {
			return
		}
		named := of.Result
		named.Model = cmp.Or(called[of.Model], of.Model)
		failed = e.bundle.Add(name, &named, d.html)
		if of.Ended.After(e.ended) {
			e.ended = of.Ended
		}
		if counting == nil {
			counting = make([][]seen, len(m.Groups))
		}
		if at.Trial > 1 {
			return
		}
		if counting[at.Group] == nil {
			counting[at.Group] = make([]seen, len(m.Groups[at.Group].Episodes))
		}
		if there := &counting[at.Group][at.Task]; of.Rank().CountsBefore(there.Rank) {
			*there = seen{of.Rank(), d.why(of, m.Groups[at.Group].Condition.StepLimit)}
		}
	})
	if err == nil {
		err = failed
	}
	if err != nil {
		return err
	}
	e.sessions(m)
	stands := from.Stands(p.Name(), m)
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
func (e *Episodes) keep(run string, m *record.Manifest, group int, where report.Stand, of []seen) {
	env, _ := m.EnvironmentOf(m.Groups[group].Condition)
	s := e.at[where]
	if s == nil {
		s = &stood{by: map[string]*tried{}}
		e.at[where] = s
	}
	for i, a := range of {
		if !a.Outcome.Final() {
			continue
		}
		task := env.Tasks[i]
		key := task.ID + " " + task.Digest
		t := s.by[key]
		if t == nil {
			t = &tried{name: task.ID, kind: task.Type}
			s.by[key] = t
			s.tasks = append(s.tasks, key)
		}
		t.attempts = append(t.attempts, attempt{run, m.Groups[group].Episodes[i], int32(a.Attempt), a.why,
			m.Groups[group].Condition.Seed})
	}
}

// solved counts the attempts at a task that solved it.
func (t *tried) solved() (n int) {
	for _, a := range t.attempts {
		if a.why == solved {
			n++
		}
	}
	return n
}
