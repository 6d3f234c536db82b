package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"heldout/envs/sharedtest"
	"heldout/envs/stream"
)

var ownersEach = flag.Int("owners-each", 0, "how many owners of servers TestOwners ends by each signal")

// A heldout that serves checkpoints is ended at random moments, also a second time while it ends:
// of all that it and its servers have started, nothing is left after half a minute.
//
// 200 of each: go test ./cmd/heldout -run TestOwners -owners-each 200 -timeout 1h
func TestOwners(t *testing.T) {
	sharedtest.Heavy(t)
	t.Parallel()
	handled := make(chan os.Signal, 1)
	signal.Notify(handled, syscall.SIGHUP) // children do not ignore it then, also under nohup
	defer signal.Stop(handled)
	rng := stream.New(1, "owners")
	moment := func(most time.Duration) time.Duration { return time.Duration(rng.Int64N(int64(most))) }
	places := make(chan struct{}, 16) // for owners at one time
	var all sync.WaitGroup
	var survived atomic.Int32
	for _, ends := range [][]syscall.Signal{
		{syscall.SIGTERM}, {syscall.SIGHUP}, {syscall.SIGKILL}, {syscall.SIGTERM, syscall.SIGKILL},
	} {
		for i := range max(*ownersEach, sharedtest.Times(t, 4, 2, 8)) {
			server := []string{"sleep 1000 & sleep 1000", `trap "" TERM; sleep 1000 & sleep 1000`}[i%2]
			first, second := moment(time.Second), moment(2*time.Second)
			dir := t.TempDir()
			makeCheckpoint(t, dir, "step-1")
			places <- struct{}{}
			all.Go(func() {
				defer func() { <-places }()
				if endOwner(t, dir, i%4 > 1, server+"; : {} {port}", ends, first, second) {
					survived.Add(1)
				}
			})
		}
	}
	all.Wait()
	t.Logf("%d owners left something that ended after them", survived.Load())
}

// endOwner starts an owner of a server, sends it signals at two moments, the first of them after its start or the
// server's, and looks for what is left half a minute later. It reports whether anything was left at first.
func endOwner(t *testing.T, dir string, served bool, server string, ends []syscall.Signal, first,
	second time.Duration) (survived bool) {
	owner := exec.Command("heldout", "run", "--checkpoints", "out/step-*", "--serve", ": > begun; "+server, "--env",
		"pddl", "--out", "r")
	mark := "HELDOUT_TEST_OWNER=" + dir
	owner.Dir, owner.Env = dir, append(os.Environ(), mark)
	if err := owner.Start(); err != nil {
		t.Error(err)
		return false
	}
	for _, err := os.Stat(filepath.Join(dir, "begun")); served && err != nil; {
		time.Sleep(10 * time.Millisecond)
		_, err = os.Stat(filepath.Join(dir, "begun"))
	}
	for i, s := range ends {
		time.Sleep([]time.Duration{first, second}[i])
		_ = owner.Process.Signal(s) // it may have ended
	}
	_ = owner.Wait()
	var left []string
	const shortest, longest, limit = 100 * time.Millisecond, 2 * time.Second, 30 * time.Second
	for began, pause := time.Now(), shortest; time.Since(began) < limit; pause = min(2*pause, longest) {
		if left = marked(mark); len(left) == 0 {
			return pause > shortest
		}
		time.Sleep(pause)
	}
	t.Errorf("%q by %v after %v and %v leaves %q", server, ends, first, second, left)
	return true
}

// marked lists the processes with a variable.
func marked(variable string) (found []string) {
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range files {
		if b, err := os.ReadFile(file); err == nil && bytes.Contains(b, []byte(variable)) {
			line, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "cmdline"))
			found = append(found, fmt.Sprintf("%s: %s", filepath.Base(filepath.Dir(file)),
				strings.ReplaceAll(string(line), "\x00", " ")))
		}
	}
	return found
}

// A heldout that plays a program is killed at random moments, as it starts it or plays: of the
// program and what that has started nothing is left.
func TestProgramOwners(t *testing.T) {
	sharedtest.Heavy(t)
	t.Parallel()
	rng := stream.New(1, "program owners")
	for range sharedtest.Times(t, 4, 2, 20) {
		mark := "HELDOUT_TEST_OWNER=" + t.TempDir()
		owner := exec.Command("heldout", "run", "--env", "exec:sleep 1000 & exec echoenv 10000 1", "--env-processes",
			"2", "--model", "random", "--seeds", "9", "--out", t.TempDir(), "--quiet")
		owner.Env = append(os.Environ(), mark, sharedtest.HastyPath(t))
		sharedtest.OK(t, owner.Start())
		time.Sleep(time.Duration(rng.Int64N(int64(500 * time.Millisecond))))
		_ = owner.Process.Kill()
		_ = owner.Wait()
		left := marked(mark)
		for i := 0; i < 300 && len(left) > 0; i++ {
			time.Sleep(100 * time.Millisecond)
			left = marked(mark)
		}
		if len(left) > 0 {
			t.Errorf("it leaves %q", left)
		}
	}
}
