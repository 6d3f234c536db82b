package view

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"heldout/scoring/record"
)

// shownRuns are the runs of a server. They become more while it serves.
type shownRuns struct {
	mu    sync.Mutex
	list  []*shownRun
	names map[string]bool
	found time.Time // when they were last looked for, and cost how long that took
	cost  time.Duration
}

// add adds the runs that are not there yet. Names stay, because addresses have them.
func (s *shownRuns) add(runs []record.Chosen, now func() time.Time) {
	if s.names == nil {
		s.names = map[string]bool{}
	}
	for _, p := range runs {
		if slices.ContainsFunc(s.list, func(r *shownRun) bool { return r.parts.String() == p.String() }) {
			continue
		}
		s.list = append(s.list, &shownRun{name: s.freeName(p.Name()), parts: p, now: now, patience: patience,
			opened: make(chan struct{}), noted: make(chan struct{})})
	}
}

// freeName names a run in addresses by its folder.
func (s *shownRuns) freeName(dir string) string {
	if absolute, err := filepath.Abs(dir); err == nil {
		dir = absolute
	}
	base := filepath.Base(dir)
	name := base
	for i := 2; s.names[name]; i++ {
		name = base + "~" + strconv.Itoa(i)
	}
	s.names[name] = true
	return name
}

// lookout is how often runs are looked for that began later, at most; in large folders this is rarer.
const lookout = 3 * time.Second

// runs are the runs that there are now. Those of a folder that cannot be read any more stay.
func (s *Server) runs() []*shownRun {
	s.listed.mu.Lock()
	defer s.listed.mu.Unlock()
	const share = 20 // of the time, at most, goes into looking
	now := s.options.Now()
	if wait := max(lookout, share*s.listed.cost); s.options.Find != nil && now.Sub(s.listed.found) >= wait {
		if found, err := s.options.Find(); err == nil {
			s.listed.add(found, s.options.Now)
		}
		s.listed.found = s.options.Now()
		s.listed.cost = s.listed.found.Sub(now)
	}
	return slices.Clone(s.listed.list)
}

// run returns the run that a request names.
func (s *Server) run(name string) (*shownRun, error) {
	for _, r := range s.runs() {
		if r.name == name {
			r.open(s.readers)
			return r, nil
		}
	}
	return nil, notFound(fmt.Sprintf("unknown run %s", name))
}

// openAll begins to read runs and waits for them, but not long.
func (s *Server) openAll(runs []*shownRun) {
	if len(runs) == 0 {
		return
	}
	for _, r := range runs {
		r.open(s.readers)
	}
	late := time.NewTimer(runs[0].patience)
	defer late.Stop()
	for _, r := range runs {
		select {
		case <-r.opened:
		case <-late.C:
			return
		}
	}
}
