package record

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The limits of Find: how deep it looks and how many entries of directories it visits.
const (
	maxDepth   = 8
	maxEntries = 200_000
)

// ErrTooMany says that a search visited as many files as it may.
var ErrTooMany = errors.New("there are too many files: what is further on was not searched")

// Find returns the run directories below a folder, or the folder itself if it is one, in the natural order of their
// names. A folder with shards stands for them. Find follows no links, except for root, and skips hidden folders.
// problem receives the first folder that was not searched for each reason, and how many others there are.
func Find(root string, problem func(folder string, err error)) []string {
	s := finder{remaining: maxEntries, unsearched: map[string][]string{}}
	s.visit(filepath.Clean(root), maxDepth)
	for _, reason := range s.reasons {
		folders := s.unsearched[reason.Error()]
		if n := len(folders) - 1; n > 0 {
			reason = fmt.Errorf("%w (and %d more)", reason, n)
		}
		problem(folders[0], reason)
	}
	return s.found
}

// Tell receives what a user should know of directories: Say a line, Warn one that must not be overlooked.
type Tell struct{ Say, Warn func(line string) }

// RunsBelow lists the runs below folders, each once. Those that cannot be read are told.
func RunsBelow(folders []string, tell Tell) ([]Parts, error) {
	var runs []string
	for _, dir := range folders {
		if info, err := os.Stat(dir); err == nil && !info.IsDir() {
			return nil, notFolder(dir)
		} else if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s does not exist: name a folder that holds run directories, such as runs", dir)
		} else if err != nil {
			return nil, fmt.Errorf("%s cannot be read: %w", dir, err)
		}
		runs = append(runs, Find(dir, tell.problem)...)
	}
	runs = slices.DeleteFunc(runs, func(dir string) bool {
		_, err := Parts{dir}.Dirs()
		if err != nil { // the others can be shown
			tell.Warn(err.Error())
		}
		return err != nil
	})
	if len(runs) == 0 {
		return nil, fmt.Errorf("no run directory in %s: a run directory holds run.json",
			strings.Join(folders, ", "))
	}
	return Runs(runs, tell)
}

func (t Tell) problem(folder string, err error) { t.Warn(fmt.Sprintf("%s: %v", folder, err)) }

// Runs divides directories into runs, and tells which shards are missing. A folder that is no run stands for those
// below it, in the natural order of their names. Even under different names, the same records count once.
func Runs(dirs []string, tell Tell) ([]Parts, error) {
	var folders []string
	for _, dir := range dirs {
		var problems []error
		found := Find(dir, func(folder string, err error) {
			problems = append(problems, fmt.Errorf("%s: %w", folder, err))
		})
		if len(found) == 0 || found[0] == filepath.Clean(dir) { // reading it says what is wrong
			folders = append(folders, dir)
			continue
		}
		for _, err := range problems {
			tell.Warn(err.Error())
		}
		folders = append(folders, found...)
	}
	runs, err := Together(folders, tell.Say)
	if err != nil {
		return nil, err
	}
	for _, p := range runs {
		absent, err := p.Absent()
		if err != nil {
			return nil, err
		}
		if len(absent) > 0 {
			tell.Warn(fmt.Sprintf("%s: not there: %s", p, NameShards(absent)))
		}
	}
	return runs, nil
}

type finder struct {
	found     []string
	remaining int
	// reasons why folders were not searched, in order, and the folders of each.
	reasons    []error
	unsearched map[string][]string
}

func (s *finder) problem(folder string, err error) {
	if failed, ok := errors.AsType[*os.PathError](err); ok { // which names the folder
		err = failed.Err
	}
	if s.unsearched[err.Error()] == nil {
		s.reasons = append(s.reasons, err)
	}
	s.unsearched[err.Error()] = append(s.unsearched[err.Error()], folder)
}

func (s *finder) visit(dir string, depth int) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		s.problem(dir, err)
		return
	}
	if _, err := os.Stat(filepath.Join(dir, manifestFile)); err == nil {
		s.found = append(s.found, dir)
		return
	}
	shards, err := Shards(dir)
	if err != nil {
		s.problem(dir, err)
	}
	if slices.ContainsFunc(shards, IsRun) {
		s.found = append(s.found, dir)
	}
	slices.SortFunc(entries, func(a, b os.DirEntry) int { return Natural(a.Name(), b.Name()) })
	for _, e := range entries {
		if s.remaining--; s.remaining == 0 {
			s.problem(dir, ErrTooMany)
		}
		if s.remaining <= 0 {
			return
		}
		if !e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if _, ok := shardOf(e.Name()); ok && len(shards) > 0 {
			continue
		}
		if depth == 0 {
			s.problem(filepath.Join(dir, e.Name()), errors.New("it is too deep: not searched"))
			continue
		}
		s.visit(filepath.Join(dir, e.Name()), depth-1)
	}
}

// Natural compares names as people count: checkpoint-200 comes before checkpoint-1000.
func Natural(a, b string) int {
	s, t := a, b
	for s != "" && t != "" {
		x, y := runOf(s), runOf(t)
		s, t = s[len(x):], t[len(y):]
		if digit(x[0]) && digit(y[0]) {
			m, n := strings.TrimLeft(x, "0"), strings.TrimLeft(y, "0")
			if order := cmp.Or(cmp.Compare(len(m), len(n)), cmp.Compare(m, n)); order != 0 {
				return order
			}
			continue
		}
		if order := cmp.Compare(x, y); order != 0 {
			return order
		}
	}
	return cmp.Or(cmp.Compare(len(s), len(t)), cmp.Compare(a, b))
}

// runOf returns what a text begins with: digits, or others.
func runOf(text string) string {
	end := 1
	for end < len(text) && digit(text[end]) == digit(text[0]) {
		end++
	}
	return text[:end]
}

func digit(c byte) bool { return '0' <= c && c <= '9' }
