package record

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/gofrs/flock"

	"heldout/envs/sharedtest"
)

func openDisk(t testing.TB, d disk, dir string) *Store {
	t.Helper()
	return sharedtest.Must(openOn(d, dir))(t)
}

// noLocks makes locks do nothing, as some network file systems do.
func noLocks(d disk) disk {
	d.tryLock = func(*flock.Flock) (bool, error) { return true, nil }
	return d
}

// TestGroupCommit: while one write is flushed, all others wait for one flush together, and none returns before it.
func TestGroupCommit(t *testing.T) {
	d := realDisk()
	var flushes atomic.Int64
	first, release := make(chan struct{}), make(chan struct{})
	open := false
	d.sync = func(f *os.File) error {
		if open && flushes.Add(1) == 1 {
			close(first)
			<-release
		}
		return f.Sync()
	}
	s := openDisk(t, d, t.TempDir())
	open = true
	var all sync.WaitGroup
	var flushed atomic.Int64
	add := func(i int) {
		all.Go(func() {
			if err := s.Append(episode(fmt.Sprint(i))); err != nil {
				t.Error(err)
			}
			flushed.Add(1)
		})
	}
	add(0)
	<-first
	const n = 100
	for i := range n {
		add(1 + i)
	}
	waiting := func() int {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.pending == nil {
			return 0
		}
		return len(s.pending.lines)
	}
	for waiting() < n { // they are on their way
		runtime.Gosched()
	}
	sharedtest.Equal(t, flushed.Load(), 0, "returned before they were flushed")
	close(release)
	all.Wait()
	sharedtest.Equal(t, flushes.Load(), 2, "flushes for one attempt and those that waited:", n)
	closed(t, s)
}

// TestTwoWriters: where locks do nothing, two processes on one directory lose and
// damage nothing, and both are told.
func TestTwoWriters(t *testing.T) {
	dir := t.TempDir()
	stores := []*Store{openDisk(t, noLocks(realDisk()), dir), openDisk(t, noLocks(realDisk()), dir)}
	var all sync.WaitGroup
	const workers, each = 4, 25
	for i, s := range stores {
		for w := range workers {
			all.Go(func() {
				for n := range each {
					e := episode(fmt.Sprintf("%d-%d-%d", i, w, n))
					e.Goal = strings.Repeat("g", 5000*w)
					if err := s.Append(e); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	all.Wait()
	for i, s := range stores {
		if w := s.TakeWarnings(); len(w) != 1 || !strings.Contains(w[0], "another process writes to episodes.jsonl") {
			t.Errorf("process %d warns %q", i, w)
		}
		closed(t, s)
	}
	results := sharedtest.Must(readAll(dir))(t)
	seen := map[string]bool{}
	for _, r := range results {
		seen[r.ID] = true
	}
	sharedtest.Equal(t, len(seen), len(stores)*workers*each)
}

// TestWriterBesideHalfALine: another process leaves half a line between our look at
// the file and our write. Our line is written again, whole.
func TestWriterBesideHalfALine(t *testing.T) {
	dir := t.TempDir()
	recorded(t, dir, "a")
	d := noLocks(realDisk())
	torn := 0
	d.write = func(f *os.File, b []byte) (int, error) {
		if torn++; torn <= 2 {
			other, err := os.OpenFile(f.Name(), os.O_WRONLY|os.O_APPEND, 0)
			if err != nil {
				t.Error(err)
			}
			defer other.Close()
			if _, err := other.WriteString(`{"schema":1,"id":"ha`); err != nil {
				t.Error(err)
			}
		}
		return f.Write(b)
	}
	s := openDisk(t, d, dir)
	sharedtest.OK(t, s.Append(episode("b")))
	closed(t, s)
	content, err := os.ReadFile(filepath.Join(dir, episodesFile))
	want, encodeErr := encode(episode("b"))
	if err != nil || encodeErr != nil || !bytes.Contains(content, append([]byte("\n"), want...)) {
		t.Errorf("errors %v, %v; the line is not there whole:\n%s", err, encodeErr, content)
	}
	sharedtest.Equal(t, torn, 3, "writes")
}

// TestFileIsNotInPlace: what happens to the file behind the back of a run ends it
// with an error that names the file, before another attempt counts.
func TestFileIsNotInPlace(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(dir, file string) error
		want  string
	}{
		"deleted":         {func(_, file string) error { return os.Remove(file) }, "is gone"},
		"moved":           {func(_, file string) error { return os.Rename(file, file+".old") }, "is gone"},
		"directory moved": {func(dir, _ string) error { return os.Rename(dir, dir+".old") }, "is gone"},
		"replaced": {func(_, file string) error {
			return errors.Join(os.Rename(file, file+".old"), os.WriteFile(file, nil, 0o644))
		}, "is another file now"},
		"cut": {func(_, file string) error { return os.Truncate(file, 10) }, "was cut from"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "run")
			file := filepath.Join(dir, episodesFile)
			s := open(t, dir)
			sharedtest.OK(t, s.Append(episode("a")))
			sharedtest.OK(t, c.spoil(dir, file))
			for range 2 {
				sharedtest.Fails(t, s.Append(episode("b")), file+" "+c.want, "error")
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		t.Run(name+" at the end", func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "run")
			s := open(t, dir)
			sharedtest.OK(t, s.Append(episode("a")))
			sharedtest.OK(t, c.spoil(dir, filepath.Join(dir, episodesFile)))
			sharedtest.Fails(t, s.Close(), c.want, "closed with error")
		})
	}
}

// TestPoorFileSystems: what a file system cannot do is said, and the run goes on; what fails is an error.
func TestPoorFileSystems(t *testing.T) {
	isDir := func(f *os.File) bool { info, err := f.Stat(); return err == nil && info.IsDir() }
	for name, c := range map[string]struct {
		poor    func(*disk)
		warning string // of Open
		refusal string
	}{
		"none":          {func(d *disk) {}, "", ""},
		"no locks":      {func(d *disk) { d.tryLock = noLock(syscall.ENOLCK) }, "has no locks", ""},
		"flock unknown": {func(d *disk) { d.tryLock = noLock(syscall.ENOSYS) }, "has no locks", ""},
		"lock fails": {func(d *disk) { d.tryLock = noLock(syscall.EIO) }, "",
			"on another file system"},
		"no fsync": {func(d *disk) {
			d.sync = func(f *os.File) error { return &fs.PathError{Op: "sync", Path: f.Name(), Err: syscall.EINVAL} }
		}, "cannot flush files", ""},
		"no fsync of directories": {func(d *disk) {
			d.sync = func(f *os.File) error {
				if isDir(f) {
					return syscall.EINVAL
				}
				return f.Sync()
			}
		}, "the directory cannot be flushed", ""},
		"fsync fails": {func(d *disk) { d.sync = func(*os.File) error { return syscall.EIO } }, "",
			"input/output error"},
		"no stable numbers": {func(d *disk) { d.same = func(a, b fs.FileInfo) bool { return false } },
			"does not tell whether two files are the same", ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := realDisk()
			c.poor(&d)
			dir := filepath.Join(t.TempDir(), "runs", "new")
			s, err := openOn(d, dir)
			if c.refusal != "" {
				sharedtest.Fails(t, err, c.refusal, "error")
				return
			}
			sharedtest.OK(t, err)
			warnings := strings.Join(s.TakeWarnings(), "\n")
			if (warnings == "") != (c.warning == "") || !strings.Contains(warnings, c.warning) || warnings != "" &&
				!strings.HasPrefix(warnings, dir+": ") {
				t.Errorf("it warns %q, want %q", warnings, c.warning)
			}
			if err := errors.Join(s.SetManifest(manifest()), s.SetManifest(manifest())); err != nil {
				t.Error(err)
			}
			if err := errors.Join(s.Append(episode("a")), s.Close()); err != nil {
				t.Error(err)
			}
			sharedtest.Equal(t, len(sharedtest.Must(readAll(dir))(t)), 1)
		})
	}
}

func noLock(err error) func(*flock.Flock) (bool, error) {
	return func(*flock.Flock) (bool, error) { return false, err }
}

// TestDataFileIsLocked: deleting the lock file does not let a second process in.
func TestDataFileIsLocked(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	defer s.Close()
	sharedtest.OK(t, os.Remove(filepath.Join(dir, lockFile)))
	if other, err := Open(dir); !errors.Is(err, ErrBusy) {
		t.Errorf("%v, %v", other, err)
	}
}

// BenchmarkAppend shows flushes per episode by the number of episodes that end at the same time.
func BenchmarkAppend(b *testing.B) {
	for _, writers := range []int{1, 64, 1024} {
		b.Run(fmt.Sprintf("writers=%d", writers), func(b *testing.B) {
			d := realDisk()
			flushes := 0
			d.sync = func(f *os.File) error { flushes++; return f.Sync() }
			s := openDisk(b, d, b.TempDir())
			defer s.Close()
			flushes = 0
			var left atomic.Int64
			left.Store(int64(b.N))
			var all sync.WaitGroup
			b.ResetTimer()
			for range writers {
				all.Go(func() {
					for left.Add(-1) >= 0 {
						if err := s.Append(episode("a")); err != nil {
							b.Error(err)
						}
					}
				})
			}
			all.Wait()
			b.ReportMetric(float64(flushes)/float64(b.N), "fsyncs/episode")
		})
	}
}
