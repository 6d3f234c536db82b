package main

import (
	"bytes"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"heldout/envs/sharedtest"
)

// jumpingClock jumps by up to two days at each look, in both directions.
func jumpingClock() func() time.Time {
	var mu sync.Mutex
	random := rand.New(rand.NewPCG(1, 2))
	now := time.Date(2026, 3, 29, 0, 30, 0, 0, time.UTC)
	return func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		now = now.Add(time.Duration(random.Int64N(int64(96*time.Hour))) - 48*time.Hour)
		return now
	}
}

// A clock that jumps while a run is played and resumed changes no table and no byte of a bundle,
// which has no times.
func TestClockJumps(t *testing.T) {
	server := httptest.NewServer(&fakeServer{context: 16384})
	defer server.Close()
	play := func(clock func() time.Time) (table, bundle string) {
		dir := t.TempDir()
		var out bytes.Buffer
		do := func(args ...string) {
			t.Helper()
			var said bytes.Buffer
			s := &system{stdout: &out, stderr: &said, getenv: noVariables, now: clock, goos: runtime.GOOS}
			if code := execute(t.Context(), args, s); code != exitOK {
				t.Fatalf("%q: %s", args, said.String())
			}
		}
		run, file := filepath.Join(dir, "run"), filepath.Join(dir, "x.heldout")
		for _, seeds := range []string{"0-1", "0-2"} {
			do("run", "--env", "pddl,babyai", "--tasks", "0-2", "--seeds", seeds, "--trials", "2", "--temperature", "1",
				"--step-limit", "4", "--model", "vllm:fake", "--base-url", server.URL+"/v1", "--allow-unusable",
				"--quiet", "--out", run)
		}
		do("compare", run, "--table", "results,trials,kinds")
		do("bundle", run, "--out", file)
		b := sharedtest.Must(os.ReadFile(file))(t)
		return string(bytes.ReplaceAll(out.Bytes(), []byte(dir), nil)), string(b)
	}
	table, bundle := play(time.Now)
	jumped, other := play(jumpingClock())
	sharedtest.Equal(t, jumped, table, "with a clock that jumps: without")
	sharedtest.Equal(t, other, bundle, "the bundles differ")
}
