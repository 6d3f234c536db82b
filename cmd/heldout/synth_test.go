//go:build unix

package main

import (
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"heldout/envs/sharedtest"
	"heldout/envs/stream"
)

// fakeSynth makes synthetic trajectories by a fake server.
func fakeSynth(url, out string, more ...string) *exec.Cmd {
	return exec.Command("heldout", append([]string{
		"synth", "--model", "vllm:fake", "--base-url", url + "/v1", "--max-tokens", "1000", "--quiet", "--out", out,
	}, more...)...)
}

// synthesised returns what a synthesis wrote, and its tables up to Cost, which has times.
func synthesised(t *testing.T, dir string, tables []byte) string {
	t.Helper()
	text, _, _ := strings.Cut(string(tables), "\nCost\n")
	for _, name := range []string{"trajectories.jsonl", "items.jsonl"} {
		b := sharedtest.Must(os.ReadFile(filepath.Join(dir, name)))(t)
		text += "\n" + string(b)
	}
	return text
}

// Killed at random moments, in the whole form 50, and started again each time, a synthesis writes the
// bytes of an undisturbed one, and makes no call again that was recorded.
func TestSynthKill(t *testing.T) {
	sharedtest.Heavy(t)
	t.Parallel()
	kills, count := sharedtest.Times(t, 4, 2, 50), sharedtest.Times(t, 120, 80, 400)
	const inFlight = 6
	plan := []string{"--count", fmt.Sprint(count), "--concurrency", fmt.Sprint(inFlight)}
	calm := &fakeServer{context: 16384}
	calmServer := httptest.NewServer(calm)
	defer calmServer.Close()
	dir := filepath.Join(t.TempDir(), "calm")
	tables := sharedtest.Must(fakeSynth(calmServer.URL, dir, plan...).Output())(t)
	want := synthesised(t, dir, tables)
	for _, part := range []string{"kept", "given up", "too few", "action", "script format",
		"cut off by the length limit", "unfinished"} {
		if part != "too few" && !strings.Contains(want, part) {
			t.Errorf("the server makes no mistake of the kind %q", part)
		}
	}

	var starts starter
	fake := &fakeServer{context: 16384, onChat: starts.onChat}
	server := httptest.NewServer(fake)
	defer server.Close()
	dir = filepath.Join(t.TempDir(), "killed")
	rng := stream.New(1, "kill synth")
	for range kills {
		moment := starts.after(1 + rng.IntN(25))
		cmd := fakeSynth(server.URL, dir, plan...)
		sharedtest.OK(t, cmd.Start())
		<-moment
		sharedtest.OK(t, cmd.Process.Kill())
		if err := cmd.Wait(); err == nil {
			t.Fatal("it ended before it was killed: the test needs more items")
		}
	}
	tables = sharedtest.Must(fakeSynth(server.URL, dir, plan...).Output())(t)
	if got := synthesised(t, dir, tables); got != want {
		t.Errorf("what is written differs: %d bytes, want %d", len(got), len(want))
	}
	if again := fake.requests.Load() - calm.requests.Load(); again > int64(kills*inFlight) {
		t.Errorf("%d requests were made again: more than those in flight", again)
	}

	before := fake.requests.Load()
	tables = sharedtest.Must(fakeSynth(server.URL, dir, plan...).Output())(t)
	sharedtest.Equal(t, synthesised(t, dir, tables), want, "another start of what is complete")
	sharedtest.Equal(t, fake.requests.Load()-before, 0, "a start of what is complete makes calls")
}

// A disk that is full stops a synthesis with an error; with room again, the same
// command ends with the bytes of an undisturbed one.
func TestSynthFullDisk(t *testing.T) {
	sharedtest.Heavy(t)
	t.Parallel()
	server := httptest.NewServer(&fakeServer{context: 16384})
	defer server.Close()
	plan := []string{"--count", "20"}
	calm := filepath.Join(t.TempDir(), "calm")
	tables := sharedtest.Must(fakeSynth(server.URL, calm, plan...).Output())(t)
	want := synthesised(t, calm, tables)
	dir := filepath.Join(t.TempDir(), "full")
	sh := sharedtest.Must(exec.LookPath("sh"))(t)
	for _, blocks := range []int{1, 3, 9, 17, 33} { // of 512 or 1,024 bytes
		cmd := fakeSynth(server.URL, dir, plan...)
		cmd.Args = append([]string{"sh", "-c", `ulimit -f "$0" && exec "$@"`, fmt.Sprint(blocks)}, cmd.Args...)
		cmd.Path = sh
		var stderr strings.Builder
		cmd.Stderr = &stderr
		if code := exitCode(t, cmd.Run()); code != exitMachine ||
			!strings.Contains(stderr.String(), "file too large") || strings.Contains(stderr.String(), "goroutine") {
			t.Errorf("%d blocks: exit code %d: %s", blocks, code, &stderr)
		}
	}
	tables = sharedtest.Must(fakeSynth(server.URL, dir, plan...).Output())(t)
	if got := synthesised(t, dir, tables); got != want {
		t.Errorf("what is written differs: %d bytes, want %d", len(got), len(want))
	}
}

// A judge that is killed writes the labels of an undisturbed one, and changes nothing of what it judges.
func TestJudgeKill(t *testing.T) {
	sharedtest.Heavy(t)
	t.Parallel()
	var starts starter
	fake := &fakeServer{context: 16384, onChat: starts.onChat}
	server := httptest.NewServer(fake)
	defer server.Close()
	source := filepath.Join(t.TempDir(), "synthetic")
	sharedtest.OK(t, fakeSynth(server.URL, source, "--count", "80").Run())
	contents := func() (all []byte) {
		entries := sharedtest.Must(os.ReadDir(source))(t)
		for _, e := range entries {
			b := sharedtest.Must(os.ReadFile(filepath.Join(source, e.Name())))(t)
			all = append(append(all, e.Name()...), b...)
		}
		return all
	}
	before := contents()
	judge := func(out string) *exec.Cmd {
		return exec.Command("heldout", "judge", source, "--model", "vllm:fake", "--base-url", server.URL+"/v1",
			"--quiet", "--out", out)
	}
	labels := func(out string) []byte {
		return sharedtest.Must(os.ReadFile(filepath.Join(out, "labels.jsonl")))(t)
	}
	calm := filepath.Join(t.TempDir(), "calm")
	sharedtest.OK(t, judge(calm).Run())
	out := filepath.Join(t.TempDir(), "killed")
	rng := stream.New(1, "kill judge")
	for range sharedtest.Times(t, 4, 2, 8) {
		moment := starts.after(1 + rng.IntN(10))
		cmd := judge(out)
		sharedtest.OK(t, cmd.Start())
		<-moment
		sharedtest.OK(t, cmd.Process.Kill())
		_ = cmd.Wait() // it was killed
	}
	sharedtest.OK(t, judge(out).Run())
	sharedtest.Equal(t, string(labels(calm)), string(labels(out)), "the labels")
	sharedtest.Equal(t, string(before), string(contents()), "the judge changed what it judges")
}
