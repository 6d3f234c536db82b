package record

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFind(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{"b", "a/x", "a/x/below", "deep/1/2/3/4/5/6/7/8/9", ".hidden/run", "empty"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{"b", "a/x", "a/x/below", "deep/1/2/3/4/5/6/7/8/9", ".hidden/run"} {
		overwrite(t, filepath.Join(root, dir), manifestFile, nil)
	}
	if err := os.Symlink(root, filepath.Join(root, "a", "loop")); err != nil {
		t.Fatal(err)
	}
	var problems []string
	find := func(root string) []string {
		return Find(root, func(folder string, err error) {
			problems = append(problems, fmt.Sprintf("%s: %v", filepath.Base(folder), err))
		})
	}
	got := find(root)
	if diff := cmp.Diff([]string{filepath.Join(root, "a/x"), filepath.Join(root, "b")}, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"8: it is too deep: not searched"}, problems); diff != "" {
		t.Error(diff)
	}
	if got := find(filepath.Join(root, "b")); len(got) != 1 {
		t.Errorf("the folder itself: %v", got)
	}
	problems = nil
	if got := find(filepath.Join(root, "nowhere")); got != nil || len(problems) != 1 ||
		!strings.Contains(problems[0], "no such file") {
		t.Errorf("no folder: %v, %v", got, problems)
	}
}

// A search of too many files stops and says so, once.
func TestFindIsBounded(t *testing.T) {
	root := t.TempDir()
	for i := range 4 {
		if err := os.MkdirAll(filepath.Join(root, fmt.Sprint(i)), 0o777); err != nil {
			t.Fatal(err)
		}
		overwrite(t, filepath.Join(root, fmt.Sprint(i)), manifestFile, nil)
	}
	var problems []error
	s := search{left: 3, problem: func(_ string, err error) { problems = append(problems, err) }}
	s.visit(root, maxDepth)
	if len(s.found) != 2 || len(problems) != 1 || problems[0] != ErrTooMany {
		t.Errorf("found %v, problems %v", s.found, problems)
	}
}
