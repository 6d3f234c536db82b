package main

import (
	"fmt"
	"net"
	"path/filepath"
	"testing"
	"time"

	"heldout/configs"
	"heldout/envs/sharedtest"
	"heldout/eval/bench"
	"heldout/eval/scale"
	"heldout/eval/scale/queue"
	"heldout/scoring/record"
)

// prepared is a run of two generated tasks, which the expert plays, in a directory of its own.
func prepared(t *testing.T) *bench.Job {
	t.Helper()
	r := configs.DefaultRun()
	r.Env, r.Model, r.Limit = configs.Strings{"pddl"}, configs.Strings{"expert"}, 2
	r.Out = filepath.Join(t.TempDir(), "run")
	outside := bench.Outside{Now: time.Now, Getenv: func(string) string { return "" },
		Warn: func(line string) { t.Log(line) }, Tool: record.Tool{Version: "test"}}
	j := sharedtest.Must(bench.New(outside, bench.Plain, bench.Default(r)...))(t)
	t.Cleanup(j.Close)
	return j
}

// A worker in this process plays what a leader has: the records are the leader's.
func TestLead(t *testing.T) {
	l := sharedtest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	listen := l.Addr().String()
	sharedtest.OK(t, l.Close())
	j := prepared(t)
	at := queue.Location{Address: queue.InProcess, Listen: listen, AckWait: time.Minute, Wait: time.Minute}
	var shown lockedBuffer
	say := func(line string) { fmt.Fprintln(&shown, line) }
	led := make(chan error, 1)
	go func() {
		about := queue.Job{Command: "run", Tool: record.Tool{Version: "test"}}
		led <- scale.Lead(t.Context(), j, bench.Screen{Say: say, Warn: say}, at, about, bench.Input{}, true)
	}()
	worker := queue.Location{Address: "nats://" + listen, AckWait: time.Minute, Wait: time.Minute}
	w := sharedtest.Must(queue.Join(t.Context(), worker.Options("worker", 0, say), ""))(t)
	own := prepared(t)
	sharedtest.OK(t, w.Job.SamePlan(own.Plan))
	sharedtest.OK(t, w.Work(t.Context(), own.Worker(say), nil, 2))
	w.Close() // the leader waits for those that are still there
	sharedtest.OK(t, <-led)
	if !j.Finished() || w.Finished() != 2 {
		t.Errorf("finished: %v, played: %d", j.Finished(), w.Finished())
	}
	sharedtest.Contains(t, shown.String(), "start workers with: heldout worker --queue nats://"+listen)
	if len(w.Job.Flags) != 1 || w.Job.Flags[0].Name != "env" {
		t.Errorf("flags %v", w.Job.Flags)
	}
}
