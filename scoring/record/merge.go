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
	"runtime"
)

// Merged says what a merge has written.
type Merged struct {
	// Lines are the attempts, Twice those that were there more than once, byte for byte, and are written once.
	Lines, Twice int
	// Planned is the number of planned tasks, Missing the tasks without a result, by group.
	Planned int
	Missing []Missing
	Absent  []Shard // the shards that no directory has
	// Uncovered names what of the parts has no checksum, Warnings what the file system does not guarantee.
	Uncovered, Warnings []string
}

// Merge writes the records of directories that are parts of one run into a new run
// directory. A directory with shards stands for all of them. If two parts have
// different results of one episode, they are two runs, and nothing is written.
func Merge(out string, dirs []string) (*Merged, error) {
	if _, err := os.Lstat(out); !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s exists already: give the merged run a new directory", out)
	}
	parts, err := Parts(dirs).Dirs()
	if err != nil {
		return nil, err
	}
	m, err := joined(parts)
	if err != nil {
		return nil, err
	}
	d := realDisk()
	if err := d.makeDir(filepath.Dir(filepath.Clean(out))); err != nil {
		return nil, err
	}
	// The directory gets its name once it is complete.
	temporary := filepath.Join(filepath.Dir(filepath.Clean(out)), "."+filepath.Base(out)+Unfinished)
	s, err := lockOn(d, temporary)
	if err != nil {
		return nil, err
	}
	defer s.release()             // again, if it was released before
	defer os.RemoveAll(temporary) // it has its name by then if all went well
	report, err := s.merge(m, parts)
	if err != nil {
		return nil, err
	}
	report.Warnings = s.TakeWarnings()
	if runtime.GOOS == "windows" { // which moves no directory with open files
		err = s.release()
	}
	if err = errors.Join(err, os.Rename(temporary, out)); err != nil {
		return nil, err
	}
	if err := d.syncDir(filepath.Dir(filepath.Clean(out))); err != nil && !tolerable(err) {
		return nil, err
	}
	return report, nil
}

// merge writes the files of a merged run, over what a killed process left.
func (s *Store) merge(m *Manifest, parts []string) (*Merged, error) {
	if err := s.file.Truncate(0); err != nil {
		return nil, err
	}
	w := &merger{out: bufio.NewWriterSize(s.file, 1<<20), copied: map[string]bool{}, results: map[string]Outcome{},
		origins: map[string]string{}}
	for _, part := range parts {
		if err := w.add(part, m); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(w.out.Flush(), s.disk.sync(s.file), s.SetManifest(m)); err != nil {
		return nil, err
	}
	w.report.Uncovered = append(m.Uncovered, Uncovered(w.bare, "the parts")...)
	w.report.Planned, w.report.Missing = m.missing(w.results)
	w.report.Absent = absent(parts)
	return &w.report, nil
}

// merger copies lines.
type merger struct {
	out     *bufio.Writer
	report  Merged
	bare    int                // lines without a checksum
	copied  map[string]bool    // the lines that were written, by id and checksum
	results map[string]Outcome // the results of the episodes, from the directories where they were found
	origins map[string]string
}

// add copies the lines of a part.
func (w *merger) add(dir string, m *Manifest) error {
	name := filepath.Join(dir, episodesFile)
	content, err := wholeFile(name)
	if err != nil || content == nil {
		return err
	}
	defer content.file.Close()
	in := io.NewSectionReader(content.file, 0, content.size)
	return scan(in, name, entirely, newChecker(m.Plan()).lines(func(l *scanned, _ Position) error {
		switch {
		case l.torn:
			return nil
		case l.bad != nil:
			return badLine(name, l)
		}
		return w.copy(dir, l)
	}))
}

// copy writes a line unless it is there already.
func (w *merger) copy(dir string, l *scanned) error {
	raw := append(bytes.TrimSuffix(l.raw, []byte("\n")), '\n')
	e := &l.episode
	line := e.ID + checksum(raw)
	if w.copied[line] {
		w.report.Twice++
		return nil
	}
	w.copied[line] = true
	if e.Outcome.Final() {
		if origin := w.origins[e.ID]; origin != "" && origin != dir {
			return fmt.Errorf(
				"%s and %s have different results of the episode %s (task %s): they are two runs; merge one of them",
				origin, dir, e.ID, e.Task)
		}
		if w.origins[e.ID] = dir; w.results[e.ID] == "" {
			w.results[e.ID] = e.Outcome
		}
	}
	if w.report.Lines++; e.Checksum == "" {
		w.bare++
	}
	_, err := w.out.Write(raw)
	return err
}
