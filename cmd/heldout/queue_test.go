package main

import (
	"bytes"
	"net"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"testing"

	"heldout/envs/sharedtest"
	"heldout/scoring/record"
)

// Workers and the leader of a run are killed; every episode has one result and the
// table equals the table of a run without a queue.
func TestQueueSurvivesKills(t *testing.T) {
	sharedtest.Heavy(t)
	t.Parallel()
	var starts starter
	server := httptest.NewServer(&fakeServer{context: 16384, onChat: starts.onChat})
	defer server.Close()
	dir, port := t.TempDir(), freePort(t)
	args := func(out string, more ...string) []string {
		return append([]string{"run", "--env", "pddl", "--tasks", "gripper", "--limit", "4", "--seeds", "2", "--model",
			"vllm:fake",
			"--temperature", "0.5", "--out", filepath.Join(dir, out), "--quiet"}, more...)
	}
	local := sharedtest.Must(exec.Command("heldout", args("local", "--base-url", server.URL+"/v1")...).Output())(t)
	var table bytes.Buffer
	lead := func() *exec.Cmd {
		table.Reset()
		cmd := exec.Command("heldout", args("queue", "--queue", "embedded", "--queue-listen", port, "--queue-ack-wait",
			"1s")...)
		cmd.Stdout = &table
		sharedtest.OK(t, cmd.Start())
		return cmd
	}
	work := func() *exec.Cmd {
		for t.Context().Err() == nil { // until the leader listens
			cmd := exec.Command("heldout", "worker", "--queue", "nats://"+port, "--base-url", server.URL+"/v1",
				"--concurrency", "2")
			joined := starts.after(3)
			sharedtest.OK(t, cmd.Start())
			ended := make(chan struct{})
			go func() { _ = cmd.Wait(); close(ended) }()
			select {
			case <-joined:
				return cmd
			case <-ended:
			}
		}
		return nil
	}
	kill := func(cmd *exec.Cmd) {
		if err := cmd.Process.Kill(); err != nil {
			t.Log(err) // it has ended already
		}
	}
	leader := lead()
	first := work()
	kill(first)
	second := work()
	kill(leader)
	_ = leader.Wait()
	leader = lead()
	sharedtest.OK(t, leader.Wait())
	kill(second) // it may still be leaving
	sharedtest.Equal(t, table.String(), string(local), "the table differs", local)
	_, results, err := record.Read(filepath.Join(dir, "queue"))
	sharedtest.OK(t, err)
	seen := map[string]bool{}
	for _, r := range results {
		if seen[r.ID] || !r.Outcome.Final() {
			t.Errorf("%s, seed %d: %s", r.Task, r.Seed, r.Outcome)
		}
		seen[r.ID] = true
	}
	sharedtest.Equal(t, len(seen), 8, "episodes")
}

// freePort returns an address at which nothing listens.
func freePort(t testing.TB) string {
	t.Helper()
	l := sharedtest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer l.Close()
	return l.Addr().String()
}
