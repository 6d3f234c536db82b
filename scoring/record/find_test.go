package record

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"heldout/envs/sharedtest"
)

func TestFind(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{"b", "a/x", "a/x/below", "deep/1/2/3/4/5/6/7/8/9", ".hidden/run", "empty"} {
		sharedtest.OK(t, os.MkdirAll(filepath.Join(root, dir), 0o777))
	}
	for _, dir := range []string{"b", "a/x", "a/x/below", "deep/1/2/3/4/5/6/7/8/9", ".hidden/run"} {
		overwrite(t, filepath.Join(root, dir), manifestFile, nil)
	}
	sharedtest.OK(t, os.Symlink(root, filepath.Join(root, "a", "loop")))
	var problems []string
	find := func(root string) []string {
		return Find(root, func(folder string, err error) {
			problems = append(problems, fmt.Sprintf("%s: %v", filepath.Base(folder), err))
		})
	}
	got := find(root)
	sharedtest.Same(t, got, []string{filepath.Join(root, "a/x"), filepath.Join(root, "b")})
	sharedtest.Same(t, problems, []string{"8: it is too deep: not searched"})
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
		sharedtest.OK(t, os.MkdirAll(filepath.Join(root, fmt.Sprint(i)), 0o777))
		overwrite(t, filepath.Join(root, fmt.Sprint(i)), manifestFile, nil)
	}
	s := finder{remaining: 3, unsearched: map[string][]string{}}
	s.visit(root, maxDepth)
	if len(s.found) != 2 || len(s.reasons) != 1 || s.reasons[0] != ErrTooMany {
		t.Errorf("found %v, reasons %v", s.found, s.reasons)
	}
}

// Folders that are not searched for one reason are one line.
func TestFindGroupsReasons(t *testing.T) {
	root := t.TempDir()
	for i := range 30 {
		sharedtest.OK(t, os.MkdirAll(filepath.Join(root, fmt.Sprint(i), "1/2/3/4/5/6/7/8/9"), 0o777))
	}
	var lines []string
	Find(root, func(folder string, err error) { lines = append(lines, fmt.Sprint(filepath.Base(folder), ": ", err)) })
	if len(lines) != 1 || !strings.HasSuffix(lines[0], ": it is too deep: not searched (and 29 more)") {
		t.Errorf("%q", lines)
	}
}

// heard collects what is told.
func heard(t *testing.T) (tell Tell, lines *[]string) {
	t.Helper()
	lines = new([]string)
	add := func(line string) { *lines = append(*lines, line) }
	return Tell{Say: add, Warn: add}, lines
}

// Below finds runs, and leaves out those that cannot be read; Runs takes what was named, and
// the same directory counts once.
func TestRunsAndBelow(t *testing.T) {
	root := t.TempDir()
	plannedRun(t, filepath.Join(root, "base"), 2)
	plannedRun(t, filepath.Join(root, "deeper", "tuned"), 2)
	names := func(runs []Parts, err error) (out []string) {
		t.Helper()
		sharedtest.OK(t, err)
		for _, p := range runs {
			out = append(out, filepath.Base(p.Name()))
		}
		return out
	}
	tell, lines := heard(t)
	both := []string{"base", "tuned"}
	sharedtest.Same(t, names(RunsBelow([]string{root}, tell)), both)
	sharedtest.Same(t, names(Runs([]string{root}, tell)), both)
	if len(*lines) > 0 {
		t.Errorf("told %q", *lines)
	}
	sharedtest.Same(t, names(Runs([]string{filepath.Join(root, "base"), root}, tell)), both)
	if len(*lines) != 1 || !strings.Contains((*lines)[0], "are the same directory, which counts once") {
		t.Errorf("told %q", *lines)
	}
	for _, folders := range [][]string{{filepath.Join(root, "nowhere")}, {t.TempDir()}} {
		sharedtest.Fails(t, sharedtest.Err(RunsBelow(folders, tell)), "", folders)
	}
}

// A shard that has not begun is told.
func TestRunsTellAbsentShards(t *testing.T) {
	dir, _ := sharded(t, 2)
	dirs := sharedtest.Must(Parts{dir}.Dirs())(t)
	sharedtest.OK(t, os.RemoveAll(dirs[1]))
	tell, lines := heard(t)
	sharedtest.OK(t, sharedtest.Err(Runs([]string{dir}, tell)))
	if len(*lines) != 1 || !strings.Contains((*lines)[0], "not there: ") {
		t.Errorf("told %q", *lines)
	}
}

func TestNatural(t *testing.T) {
	want := []string{"", "a", "a01b", "a1b", "a2", "a2b", "a10", "ab", "checkpoint-200", "checkpoint-1000", "run2/c-1",
		"run10/c-1"}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, Natural)
	sharedtest.Same(t, got, want)
}

// It is an order: antisymmetric and transitive, and only equal names are equal.
func TestNaturalIsAnOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringOfN(rapid.SampledFrom([]rune("01a-b")), 0, 6, -1)
		a, b, c := name.Draw(t, "a"), name.Draw(t, "b"), name.Draw(t, "c")
		if Natural(a, b) != -Natural(b, a) || (Natural(a, b) == 0) != (a == b) {
			t.Errorf("%q %q", a, b)
		}
		if Natural(a, b) < 0 && Natural(b, c) < 0 && Natural(a, c) >= 0 {
			t.Errorf("%q %q %q", a, b, c)
		}
	})
}
