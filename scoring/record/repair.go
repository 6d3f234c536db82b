package record

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Repaired says what Repair found and did.
type Repaired struct {
	Attempts int       // the number of attempts that stay
	Bad      []BadLine // the lines that were set aside in File
	File     string
	// Planned counts the planned episodes, with the later trials that are due after failures; Missing are those
	// without a result. Nothing is planned if run.json is missing.
	Planned   int
	Missing   []Missing
	Uncovered []string // the names of what stays and has no checksum
	// Warnings list what the file system does not guarantee.
	Warnings []string
}

// BadLine is a line that is not a record.
type BadLine struct {
	Number int // from 1
	Cause  error
}

// Missing are the tasks of one condition that have no result.
type Missing struct {
	Condition Condition
	Tasks     []string
}

// errUnfinished is why a torn line is set aside.
var errUnfinished = errors.New("a crash left it unfinished; it never counted")

// Repair takes the bad lines out of the episodes file of a run directory and adds
// them to a file beside it. No other process may work on the directory.
func Repair(dir string) (*Repaired, error) { return repairOn(realDisk(), dir) }

func repairOn(d disk, dir string) (*Repaired, error) {
	m, err := ReadManifest(dir)
	if errors.Is(err, fs.ErrNotExist) {
		if _, statErr := os.Stat(filepath.Join(dir, episodesFile)); statErr == nil {
			m, err = nil, nil // its lines can be checked all the same
		}
	}
	if err != nil {
		return nil, err
	}
	s, err := lockOn(d, dir)
	if err != nil {
		return nil, err
	}
	r, err := s.repair(m)
	if err := errors.Join(err, s.release()); err != nil {
		return nil, err
	}
	r.Warnings = s.TakeWarnings()
	return r, nil
}

func (s *Store) repair(m *Manifest) (*Repaired, error) {
	r, bare := &Repaired{}, 0
	plan, results := m.Plan(), map[string]Outcome{}
	err := s.scan(plan, func(l *scanned) error {
		var schema *schemaError
		switch {
		case errors.As(l.bad, &schema) && schema.newer():
			return badLine(s.name, l)
		case l.bad != nil:
			r.Bad = append(r.Bad, BadLine{l.number, l.bad})
		default:
			if r.Attempts++; l.episode.Checksum == "" {
				bare++
			}
			if e := &l.episode; e.Outcome.Final() && results[e.ID] == "" {
				results[e.ID] = e.Outcome
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	r.Uncovered = Uncovered(bare, s.name)
	if m != nil {
		r.Uncovered = append(r.Uncovered, m.Uncovered...)
	}
	r.Planned, r.Missing = m.missing(results)
	if len(r.Bad) == 0 {
		return r, nil
	}
	r.File = filepath.Join(s.dir, asideFile)
	return r, s.part(plan, r.File)
}

// scan visits the lines of the episodes file, each checked against the plan.
func (s *Store) scan(p *Plan, visit func(*scanned) error) error {
	content, err := s.content()
	if err != nil {
		return err
	}
	return scan(content, s.name, entirely, newChecker(p).lines(func(l *scanned, _ Position) error {
		if l.torn {
			l.bad = errUnfinished
		}
		return visit(l)
	}))
}

// part adds the bad lines to a file, and then replaces the episodes file with the good lines, each all or nothing.
// If the process is killed in between, the next repair sets the bad lines aside again.
func (s *Store) part(p *Plan, aside string) error {
	err := s.disk.replaceWith(s.name, func(good *os.File) error {
		return s.disk.replaceWith(aside, func(bad *os.File) error {
			if err := copyLinesOf(aside, bad); err != nil {
				return err
			}
			return s.copyLines(p, good, bad)
		})
	})
	if err != nil {
		return fmt.Errorf("%w; %s is as it was", err, s.name)
	}
	return nil
}

// copyLinesOf copies a file, if there is one, and ends its last line, which an earlier
// version left open when it was killed.
func copyLinesOf(name string, dst *os.File) error {
	in, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer in.Close()
	n, err := io.Copy(dst, in)
	if err != nil || n == 0 {
		return err
	}
	last := make([]byte, 1)
	if _, err := in.ReadAt(last, n-1); err != nil || last[0] == '\n' {
		return err
	}
	_, err = dst.WriteString("\n")
	return err
}

func (s *Store) copyLines(p *Plan, good, bad *os.File) error {
	goodOut, badOut := bufio.NewWriter(good), bufio.NewWriter(bad)
	err := s.scan(p, func(l *scanned) error {
		out := goodOut
		if l.bad != nil {
			out = badOut
		}
		_, err := out.Write(append(bytes.TrimSuffix(l.raw, []byte("\n")), '\n'))
		return err
	})
	return errors.Join(err, goodOut.Flush(), badOut.Flush())
}

// missing counts the episodes that are planned or due, and lists those without a
// result by condition. A later trial is due after a failure. A shard has only its own.
func (m *Manifest) missing(results map[string]Outcome) (due int, out []Missing) {
	if m == nil {
		return 0, nil
	}
	for i := range m.Groups {
		g := &m.Groups[i]
		env, _ := m.EnvironmentOf(g.Condition)
		entry := Missing{Condition: g.Condition}
		for j, id := range g.Episodes {
			if m.Shard != nil && !m.Shard.Contains(id) {
				continue
			}
			trials, missing := g.Condition.due(id, results)
			due += trials
			if missing && trials == 1 {
				entry.Tasks = append(entry.Tasks, env.Tasks[j].ID)
			} else if missing {
				entry.Tasks = append(entry.Tasks, fmt.Sprintf("%s (trial %d)", env.Tasks[j].ID, trials))
			}
		}
		if len(entry.Tasks) > 0 {
			out = append(out, entry)
		}
	}
	return due, out
}

// due is the number of trials that are due of the episode with the given id, and
// whether the last of them has no result.
func (c *Condition) due(id string, results map[string]Outcome) (trials int, missing bool) {
	for trial := 1; ; trial++ {
		switch result := results[TrialID(id, trial)]; {
		case result == "":
			return trial, true
		case result == Success || trial == c.MostTrials():
			return trial, false
		}
	}
}
