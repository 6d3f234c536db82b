//go:build unix

package main

import (
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"heldout/scoring/record"
)

// BenchmarkOverhead plays 640 episodes of 20 steps, 64 in flight, against a
// server that takes 50 ms for a reply, and compares the wall time of the whole
// process with that of a runner that costs nothing.
func BenchmarkOverhead(b *testing.B) {
	const slots, latency = 64, 50 * time.Millisecond
	server := httptest.NewServer(&fakeServer{context: 16384, latency: latency})
	defer server.Close()
	for b.Loop() {
		dir := filepath.Join(b.TempDir(), "run")
		cmd := exec.Command("heldout", "run", "--env", "pddl", "--tasks", "gripper", "--model", "vllm:fake",
			"--base-url", server.URL+"/v1",
			"--seeds", "32", "--temperature", "1", "--step-limit", "20", "--concurrency", "64", "--out", dir)
		start := time.Now()
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v: %s", err, out)
		}
		wall := time.Since(start)
		_, results, err := record.Read(dir)
		if err != nil || len(results) != 640 {
			b.Fatalf("%d results, %v", len(results), err)
		}
		calls := 0
		for _, r := range results {
			calls += r.Calls
		}
		ideal := time.Duration(calls) * latency / slots
		b.ReportMetric(wall.Seconds()/ideal.Seconds(), "wall/ideal")
		b.ReportMetric((cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), "cpu-s")
		if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
			b.ReportMetric(float64(usage.Maxrss)/1024, "rss-MiB") // Linux counts in KiB
		}
	}
}
