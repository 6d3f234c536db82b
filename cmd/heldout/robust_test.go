//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"heldout/envs/sharedtest"
	"heldout/envs/stream"
	"heldout/scoring/record"
)

// fakeRun is a run against a fake server: 20 tasks, 3 seeds, up to 8 steps.
func fakeRun(url, out string, more ...string) *exec.Cmd {
	return exec.Command("heldout", append([]string{
		"run", "--env", "pddl", "--tasks", "gripper", "--model", "vllm:fake", "--base-url", url + "/v1",
		"--seeds", "3", "--temperature", "1", "--step-limit", "8", "--concurrency", "6", "--out", out,
	}, more...)...)
}

// undisturbed returns the tables of a run that nothing happens to, and how many requests it takes.
func undisturbed(t *testing.T, more ...string) (tables []byte, requests int64) {
	t.Helper()
	fake := &fakeServer{context: 16384}
	server := httptest.NewServer(fake)
	defer server.Close()
	out := sharedtest.Must(fakeRun(server.URL, filepath.Join(t.TempDir(), "run"), more...).Output())(t)
	return out, fake.requests.Load()
}

// checkEpisodes reports planned episodes without exactly one result.
func checkEpisodes(t *testing.T, dir string) []record.Result {
	t.Helper()
	m, results, err := record.Read(dir)
	sharedtest.OK(t, err)
	final := map[string]int{}
	for _, r := range results {
		if r.Outcome.Final() {
			final[r.ID]++
		}
	}
	planned := 0
	for _, g := range m.Groups {
		for _, id := range g.Episodes {
			planned++
			sharedtest.Equal(t, final[id], 1, "episode has results", id)
		}
	}
	sharedtest.Equal(t, planned, len(final), "episodes planned, recorded")
	return results
}

// starter makes a server tell when a number of requests have come since the last start.
type starter struct {
	mu     sync.Mutex
	left   int
	signal chan struct{}
}

func (s *starter) after(requests int) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left, s.signal = requests, make(chan struct{})
	return s.signal
}

func (s *starter) onChat(int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.left--; s.left == 0 {
		close(s.signal)
	}
}

// witness is a server that sees whether a reply that was used is asked for again: every reply
// of a fake server has a hash, and it is used if a later prompt has it.
type witness struct {
	*fakeServer
	mu    sync.Mutex
	used  map[string]bool
	again int // replies that had been used
}

var hashes = regexp.MustCompile(`The hash is ([0-9a-f]+)`)

// ServeHTTP implements http.Handler.
func (s *witness) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the run was killed
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	reply := httptest.NewRecorder()
	s.fakeServer.ServeHTTP(reply, r)
	s.mu.Lock()
	for _, m := range hashes.FindAllStringSubmatch(string(body), -1) {
		s.used[m[1]] = true
	}
	if m := hashes.FindStringSubmatch(reply.Body.String()); m != nil && s.used[m[1]] {
		s.again++
	}
	s.mu.Unlock()
	w.Header().Set("Content-Type", reply.Header().Get("Content-Type"))
	w.WriteHeader(reply.Code)
	_, _ = w.Write(reply.Body.Bytes()) // the run may have been killed
}

// bundleOf is the bundle of a run: all that is neither time nor address.
func bundleOf(t *testing.T, dir string) []byte {
	t.Helper()
	name := filepath.Join(t.TempDir(), "run.heldout")
	if out, err := exec.Command("heldout", "bundle", dir, "--out", name).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return sharedtest.Must(os.ReadFile(name))(t)
}

// Killed at random moments and started again each time, a run ends with the tables and the bundle of an undisturbed
// one. Only requests that were in flight at a kill are made again. The whole form kills 490 times.
func TestKill(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name                   string
		inFlight, kills, seeds int
		requests               int // between kills, at most
	}{
		{"few in flight", 6, sharedtest.Times(t, 6, 2, 480), sharedtest.Times(t, 4, 1, 30), 12},
		{"many in flight", 64, sharedtest.Times(t, 4, 4, 10), sharedtest.Times(t, 8, 8, 15), 240},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.inFlight > 6 {
				sharedtest.Heavy(t)
			}
			more := []string{"--seeds", fmt.Sprint(c.seeds), "--concurrency", fmt.Sprint(c.inFlight)}
			dirs := []string{filepath.Join(t.TempDir(), "whole"), filepath.Join(t.TempDir(), "killed")}
			var starts starter
			server := &witness{fakeServer: &fakeServer{context: 16384, onChat: starts.onChat}, used: map[string]bool{}}
			listening := httptest.NewServer(server)
			defer listening.Close()
			want := sharedtest.Must(fakeRun(listening.URL, dirs[0], more...).Output())(t)
			requests := server.requests.Swap(0)
			server.used = map[string]bool{}
			killed := func() *exec.Cmd { return fakeRun(listening.URL, dirs[1], more...) }
			killAtRandom(t, killed, &starts, c.kills, c.requests)
			got := sharedtest.Must(killed().Output())(t)
			sharedtest.Equal(t, string(got), string(want), "the tables")
			checkEpisodes(t, dirs[1])
			if !bytes.Equal(bundleOf(t, dirs[0]), bundleOf(t, dirs[1])) {
				t.Error("the bundles differ")
			}
			if _, err := os.Stat(filepath.Join(dirs[1], "replies.jsonl")); err == nil {
				t.Error("the replies are still there")
			}
			again := server.requests.Load() - requests
			t.Logf("%d kills, %d requests, %d of them again", c.kills, requests, again)
			if again > int64(c.kills*c.inFlight) || server.again > 0 {
				t.Errorf("%d requests were made again, %d of them for replies that had been used", again, server.again)
			}
		})
	}
}

// killAtRandom starts a command and kills it, again and again: after up to so many requests, and
// one time in four after up to that many milliseconds.
func killAtRandom(t *testing.T, command func() *exec.Cmd, starts *starter, kills, requests int) {
	t.Helper()
	rng := stream.New(1, "kill")
	for i := range kills {
		n := 1 + rng.IntN(requests)
		moment, late := starts.after(n), (<-chan time.Time)(nil)
		if i%4 == 3 {
			late = time.After(time.Duration(n) * time.Millisecond)
		}
		killAt(t, command(), moment, late)
	}
}

// killAt starts a command and kills it at one of two moments.
func killAt(t *testing.T, cmd *exec.Cmd, moment <-chan struct{}, late <-chan time.Time) {
	t.Helper()
	var stderr strings.Builder
	cmd.Stderr = &stderr
	sharedtest.OK(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-moment:
	case <-late:
	case err := <-ended:
		t.Fatalf("the run ended before it was killed, with %v: %s", err, &stderr)
	}
	sharedtest.OK(t, cmd.Process.Kill())
	if err := <-ended; err == nil {
		t.Fatal("the run ended before it was killed: the test needs more episodes")
	}
}

// A disk that is full, here a limit on the size of files, stops a run with an error that says so, wherever in the
// file it happens; with room again, the same command ends with the tables of an undisturbed run.
func TestFullDisk(t *testing.T) {
	sharedtest.Heavy(t)
	t.Parallel()
	want, _ := undisturbed(t)
	server := httptest.NewServer(&fakeServer{context: 16384})
	defer server.Close()
	dir := filepath.Join(t.TempDir(), "run")
	for blocks := 1; blocks < 100; blocks += 7 * sharedtest.Every(t, 6, 3) { // of 512 or 1,024 bytes
		limited := fakeRun(server.URL, dir)
		limited.Args = append([]string{"sh", "-c", `ulimit -f "$0" && exec "$@"`, fmt.Sprint(blocks)}, limited.Args...)
		sh := sharedtest.Must(exec.LookPath("sh"))(t)
		limited.Path = sh
		var stderr strings.Builder
		limited.Stderr = &stderr
		if code := exitCode(t, limited.Run()); code != exitMachine ||
			!strings.Contains(stderr.String(), "file too large") || strings.Contains(stderr.String(), "goroutine") {
			t.Errorf("%d blocks: exit code %d: %s", blocks, code, &stderr)
		}
	}
	got := sharedtest.Must(fakeRun(server.URL, dir).Output())(t)
	sharedtest.Equal(t, string(got), string(want), "the tables")
	checkEpisodes(t, dir)
}

// A run whose data file is deleted under way ends, and does not claim that what is finished is kept.
func TestDeletedUnderWay(t *testing.T) {
	t.Parallel()
	var starts starter
	server := httptest.NewServer(&fakeServer{context: 16384, onChat: starts.onChat})
	defer server.Close()
	dir := filepath.Join(t.TempDir(), "run")
	moment := starts.after(90) // so that some of six in flight, of eight steps each, are finished
	cmd := fakeRun(server.URL, dir)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	sharedtest.OK(t, cmd.Start())
	<-moment
	if err := os.Remove(filepath.Join(dir, "episodes.jsonl")); err != nil {
		t.Error(err)
	}
	sharedtest.Equal(t, exitCode(t, cmd.Wait()), exitError, "exit code")
	said := stderr.String()
	if !strings.Contains(said, "episodes.jsonl is gone: somebody deleted, moved or replaced it") ||
		strings.Contains(said, "is kept in") {
		t.Errorf("standard error: %s", said)
	}
}

// Ctrl-C ends a run cleanly, and the same command continues it.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	want, requests := undisturbed(t)
	var starts starter
	fake := &fakeServer{context: 16384, onChat: starts.onChat}
	server := httptest.NewServer(fake)
	defer server.Close()
	dir := filepath.Join(t.TempDir(), "run")
	moment := starts.after(90) // so that some of six in flight, of eight steps each, are finished
	cmd := fakeRun(server.URL, dir)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	sharedtest.OK(t, cmd.Start())
	<-moment
	sharedtest.OK(t, cmd.Process.Signal(os.Interrupt))
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted {
		t.Errorf("the run ended with %v, want exit code %d", err, exitInterrupted)
	}
	sharedtest.Contains(t, stderr.String(), "the same command continues", "standard error")
	said := regexp.MustCompile(`(?m)^(\d+)/60 episodes.* [1-6] stopped`).FindStringSubmatch(stderr.String())
	if said == nil || strings.Contains(stderr.String(), "failed") {
		t.Fatalf("standard error: %s", &stderr)
	}
	again := fakeRun(server.URL, dir)
	stderr.Reset()
	again.Stderr = &stderr
	got := sharedtest.Must(again.Output())(t)
	sharedtest.Equal(t, string(got), string(want), "the tables")
	checkEpisodes(t, dir)
	for _, line := range []string{said[1] + " of 60 episodes already have a result", "60/60 episodes"} {
		sharedtest.Contains(t, stderr.String(), line)
	}
	if again := fake.requests.Load() - requests; again > 6 {
		t.Errorf("%d requests were made again: more than those in flight", again)
	}
}

// A server that fails one request in five, in six ways, costs no episode.
func TestFailingServer(t *testing.T) {
	sharedtest.Heavy(t)
	t.Parallel()
	steps := []string{"--step-limit", fmt.Sprint(sharedtest.Times(t, 8, 3))}
	want, _ := undisturbed(t, steps...)
	fake := &fakeServer{context: 16384, fail: true, hang: make(chan struct{})}
	server := httptest.NewServer(fake)
	defer server.Close()
	defer close(fake.hang)
	dir := filepath.Join(t.TempDir(), "run")
	got, err := fakeRun(server.URL, dir, append(steps, "--timeout", "1s", "--concurrency", "60")...).Output()
	if exit, failed := errors.AsType[*exec.ExitError](err); failed {
		t.Fatalf("%v: %s", err, exit.Stderr)
	}
	sharedtest.Equal(t, string(got), string(want), "the tables")
	requests, calls := 0, 0
	for _, r := range checkEpisodes(t, dir) {
		requests += r.Requests
		calls += r.Calls
	}
	if float64(requests) < 1.1*float64(calls) {
		t.Errorf("%d requests for %d calls: too few failed to say anything", requests, calls)
	}
}

// Two processes cannot work on one run directory.
func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	asked, release := make(chan struct{}), make(chan struct{})
	server := httptest.NewServer(&fakeServer{context: 16384, onChat: func(n int) {
		if n == 1 {
			close(asked)
		}
		<-release
	}})
	defer server.Close()
	defer close(release)
	dir := filepath.Join(t.TempDir(), "run")
	first := fakeRun(server.URL, dir)
	sharedtest.OK(t, first.Start())
	<-asked
	second := fakeRun(server.URL, dir)
	var stderr strings.Builder
	second.Stderr = &stderr
	if err := second.Run(); err == nil || !strings.Contains(stderr.String(), "another process is working on this run") {
		t.Errorf("%v: %s", err, stderr.String())
	}
	sharedtest.OK(t, first.Process.Kill())
	_ = first.Wait() // it was killed
}
