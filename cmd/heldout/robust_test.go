//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

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

// undisturbed returns the tables of a run that nothing happens to, and how many
// requests it takes.
func undisturbed(t *testing.T, more ...string) (tables []byte, requests int64) {
	t.Helper()
	fake := &fakeServer{context: 16384}
	server := httptest.NewServer(fake)
	defer server.Close()
	out, err := fakeRun(server.URL, filepath.Join(t.TempDir(), "run"), more...).Output()
	if err != nil {
		t.Fatal(err)
	}
	return out, fake.requests.Load()
}

// checkEpisodes reports planned episodes without exactly one result.
func checkEpisodes(t *testing.T, dir string) []record.Result {
	t.Helper()
	m, results, err := record.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
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
			if final[id] != 1 {
				t.Errorf("episode %s has %d results", id, final[id])
			}
		}
	}
	if planned != len(final) {
		t.Errorf("%d episodes planned, %d recorded", planned, len(final))
	}
	return results
}

// starter makes a server tell when a number of requests have come since the last
// start.
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

// Killed at 20 random moments and started again each time, a run ends with the
// tables of an undisturbed one, no episode lost or doubled. What is played again
// is what was in flight: up to 8 requests of each episode.
func TestKill(t *testing.T) {
	t.Parallel()
	kills, seeds := sharedtest.Times(t, 20, 3), sharedtest.Times(t, 20, 6)
	for _, c := range []struct {
		name     string
		inFlight int
		requests int // between kills, at most
		more     []string
	}{
		{"few in flight", 6, 12, nil},
		{"many in flight", 64, 240, []string{"--seeds", fmt.Sprint(seeds), "--concurrency", "64"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			want, requests := undisturbed(t, c.more...)
			var starts starter
			fake := &fakeServer{context: 16384, onChat: starts.onChat}
			server := httptest.NewServer(fake)
			defer server.Close()
			dir := filepath.Join(t.TempDir(), "run")
			rng := stream.New(1, "kill")
			for range kills {
				moment := starts.after(1 + rng.IntN(c.requests))
				cmd := fakeRun(server.URL, dir, c.more...)
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				<-moment
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
				if err := cmd.Wait(); err == nil {
					t.Fatal("the run ended before it was killed: the test needs more episodes")
				}
			}
			got, err := fakeRun(server.URL, dir, c.more...).Output()
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("the tables differ:\n%s\nwant\n%s", got, want)
			}
			checkEpisodes(t, dir)
			if again := fake.requests.Load() - requests; again > int64(kills*c.inFlight*8) {
				t.Errorf("%d requests were made again: more than those of the episodes in flight", again)
			}
		})
	}
}

// A disk that is full, here a limit on the size of files, stops a run with an
// error that says so, wherever in the file it happens; with room again, the same
// command ends with the tables of an undisturbed run.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	want, _ := undisturbed(t)
	server := httptest.NewServer(&fakeServer{context: 16384})
	defer server.Close()
	dir := filepath.Join(t.TempDir(), "run")
	for blocks := 1; blocks < 100; blocks += 7 * sharedtest.Every(t, 3) { // of 512 or 1,024 bytes
		limited := fakeRun(server.URL, dir)
		limited.Args = append([]string{"sh", "-c", `ulimit -f "$0" && exec "$@"`, fmt.Sprint(blocks)}, limited.Args...)
		sh, err := exec.LookPath("sh")
		if err != nil {
			t.Fatal(err)
		}
		limited.Path = sh
		var stderr strings.Builder
		limited.Stderr = &stderr
		if code := exitCode(t, limited.Run()); code != exitError ||
			!strings.Contains(stderr.String(), "file too large") || strings.Contains(stderr.String(), "goroutine") {
			t.Errorf("%d blocks: exit code %d: %s", blocks, code, &stderr)
		}
	}
	got, err := fakeRun(server.URL, dir).Output()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the tables differ:\n%s\nwant\n%s", got, want)
	}
	checkEpisodes(t, dir)
}

// A run whose data file is deleted under way ends, and does not claim that what is
// finished is kept.
func TestDeletedUnderWay(t *testing.T) {
	t.Parallel()
	var starts starter
	server := httptest.NewServer(&fakeServer{context: 16384, onChat: starts.onChat})
	defer server.Close()
	dir := filepath.Join(t.TempDir(), "run")
	moment := starts.after(40)
	cmd := fakeRun(server.URL, dir)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-moment
	if err := os.Remove(filepath.Join(dir, "episodes.jsonl")); err != nil {
		t.Error(err)
	}
	if code := exitCode(t, cmd.Wait()); code != exitError {
		t.Errorf("exit code %d", code)
	}
	said := stderr.String()
	if !strings.Contains(said, "episodes.jsonl is gone: somebody deleted, moved or replaced it") ||
		strings.Contains(said, "is kept in") {
		t.Errorf("standard error: %s", said)
	}
}

// Ctrl-C ends a run cleanly, and the same command continues it.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	want, _ := undisturbed(t)
	var starts starter
	server := httptest.NewServer(&fakeServer{context: 16384, onChat: starts.onChat})
	defer server.Close()
	dir := filepath.Join(t.TempDir(), "run")
	moment := starts.after(40)
	cmd := fakeRun(server.URL, dir)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-moment
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted {
		t.Errorf("the run ended with %v, want exit code %d", err, exitInterrupted)
	}
	if !strings.Contains(stderr.String(), "the same command continues") {
		t.Errorf("standard error: %s", stderr.String())
	}
	_, results, err := record.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	cancelled := 0
	for _, r := range results {
		if r.Outcome == record.Cancelled {
			cancelled++
		}
	}
	if cancelled == 0 || cancelled > 6 {
		t.Errorf("%d episodes were cancelled, want those in flight", cancelled)
	}
	got, err := fakeRun(server.URL, dir).Output()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the tables differ:\n%s\nwant\n%s", got, want)
	}
	checkEpisodes(t, dir)
}

// A server that fails one request in five, in six ways, costs no episode.
func TestFailingServer(t *testing.T) {
	t.Parallel()
	steps := []string{"--step-limit", fmt.Sprint(sharedtest.Times(t, 8, 3))}
	want, _ := undisturbed(t, steps...)
	fake := &fakeServer{context: 16384, fail: true, hang: make(chan struct{})}
	server := httptest.NewServer(fake)
	defer server.Close()
	defer close(fake.hang)
	dir := filepath.Join(t.TempDir(), "run")
	got, err := fakeRun(server.URL, dir, append(steps, "--timeout", "1s", "--concurrency", "60")...).Output()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the tables differ:\n%s\nwant\n%s", got, want)
	}
	requests, calls := 0, 0
	for _, r := range checkEpisodes(t, dir) {
		requests += r.Requests
		calls += r.Calls
	}
	if float64(requests) < 1.2*float64(calls) {
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
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	<-asked
	second := fakeRun(server.URL, dir)
	var stderr strings.Builder
	second.Stderr = &stderr
	if err := second.Run(); err == nil || !strings.Contains(stderr.String(), "another process is working on this run") {
		t.Errorf("%v: %s", err, stderr.String())
	}
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = first.Wait() // it was killed
}
