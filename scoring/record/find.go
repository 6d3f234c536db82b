package record

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The limits of Find: how deep it looks and how many entries of directories it
// visits.
const (
	maxDepth   = 8
	maxEntries = 200_000
)

// ErrTooMany says that a search visited as many files as it may.
var ErrTooMany = errors.New("there are too many files: what is further on was not searched")

// Find returns the run directories below a folder, or the folder itself if it is
// one, in the order of their names. A folder with shards stands for them. Find follows
// no links, except for root, and skips hidden folders. problem receives each folder
// that cannot be read.
func Find(root string, problem func(folder string, err error)) []string {
	s := search{problem: problem, left: maxEntries}
	s.visit(filepath.Clean(root), maxDepth)
	return s.found
}

type search struct {
	found   []string
	problem func(string, error)
	left    int
}

func (s *search) visit(dir string, depth int) {
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
	for _, e := range entries {
		if s.left--; s.left == 0 {
			s.problem(dir, ErrTooMany)
		}
		if s.left <= 0 {
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
