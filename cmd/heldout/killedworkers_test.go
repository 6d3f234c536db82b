//go:build unix

package main

import (
	"bytes"
	"fmt"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"testing"

	"heldout/envs/sharedtest"
	"heldout/envs/stream"
)

// Workers are killed at random moments, again and again: whoever gets their episodes goes on where these were.
// Table and bundle are the same as without a queue, and only requests that were in flight at a kill are made again.
func TestKilledWorkers(t *testing.T) {
	sharedtest.Heavy(t)
	t.Parallel()
	const inFlight = 3 // of a worker
	var starts starter
	server := &witness{fakeServer: &fakeServer{context: 16384, onChat: starts.onChat}, used: map[string]bool{}}
	listening := httptest.NewServer(server)
	defer listening.Close()
	kills := max(*killsEach, sharedtest.Times(t, 12, 5, 40)) // 200: -kills-each 200
	seeds := fmt.Sprint(max(3, kills*3/20))
	dirs := []string{filepath.Join(t.TempDir(), "whole"), filepath.Join(t.TempDir(), "killed")}
	want := sharedtest.Must(fakeRun(listening.URL, dirs[0], "--seeds", seeds).Output())(t)
	requests := server.requests.Swap(0)
	server.used = map[string]bool{}
	port, table := freePort(t), bytes.Buffer{}
	leader := exec.Command("heldout", "run", "--env", "pddl", "--tasks", "gripper", "--model", "vllm:fake", "--seeds",
		seeds, "--temperature", "1", "--step-limit", "8", "--out", dirs[1], "--quiet", "--queue", "embedded",
		"--queue-listen", port, "--queue-ack-wait", "5s")
	leader.Stdout = &table
	sharedtest.OK(t, leader.Start())
	work := func() *killed {
		w := &killed{b: t, most: kills, command: func() *exec.Cmd {
			return exec.Command("heldout", "worker", "--queue", "nats://"+port, "--base-url", listening.URL+"/v1",
				"--concurrency", fmt.Sprint(inFlight))
		}}
		w.keep()
		return w
	}
	workers := []*killed{work(), work()}
	rng := stream.New(1, "kill")
	for range kills {
		<-starts.after(1 + rng.IntN(12))
		w := workers[rng.IntN(len(workers))]
		w.end()
		w.keep()
	}
	sharedtest.OK(t, leader.Wait())
	for _, w := range workers {
		w.end()
	}
	sharedtest.Equal(t, table.String(), string(want), "the table")
	checkEpisodes(t, dirs[1])
	sharedtest.Equal(t, string(bundleOf(t, dirs[0])), string(bundleOf(t, dirs[1])), "the bundles")
	again := server.requests.Load() - requests
	t.Logf("%d kills, %d requests, %d of them again", kills, requests, again)
	if again > int64(kills*inFlight) || server.again > 0 {
		t.Errorf("%d requests were made again, %d of them for replies that had been used", again, server.again)
	}
}
