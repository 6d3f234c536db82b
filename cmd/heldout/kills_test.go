//go:build unix

package main

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"heldout/envs/sharedtest"
	"heldout/eval/scale/queue"
	"heldout/scoring/record"
)

var killsOf = flag.Int("kills-of", 1000, "number of episodes of BenchmarkKills, in hundreds")

// BenchmarkKills plays a run by ten workers and a NATS server, all processes of their own, or with a server
// embedded in the leader. For each 10,000 episodes, a worker is killed 100 times, the leader 20 times and the NATS
// server 5 times. No episode may be lost or recorded twice, and a run without a queue must have the same table.
//
// Command: go test ./cmd/heldout -run '^$' -bench BenchmarkKills -benchtime 1x -timeout 1h -kills-of 10000
func BenchmarkKills(b *testing.B) {
	b.Run("server", func(b *testing.B) { benchmarkKills(b, false) })
	b.Run("embedded", func(b *testing.B) { benchmarkKills(b, true) })
}

func benchmarkKills(b *testing.B, embed bool) {
	n := *killsOf
	args := func(dir string, more ...string) []string {
		return append([]string{"run", "--env", "babyai", "--model", "random", "--limit", "100", "--seeds",
			fmt.Sprint(n / 100), "--quiet", "--out", dir}, more...)
	}
	for b.Loop() {
		dir := b.TempDir()
		want := sharedtest.Must(exec.Command("heldout", args(filepath.Join(dir, "local"))...).Output())(b)
		address, out := freePort(b), filepath.Join(dir, "queue")
		var table bytes.Buffer
		nats := &killed{b: b, most: n / 2000, command: func() *exec.Cmd {
			return exec.Command("natsserver", address, filepath.Join(dir, "js"))
		}}
		leader := &killed{b: b, most: n / 500, command: func() *exec.Cmd {
			table.Reset()
			own := []string{"--queue", "nats://" + address}
			if embed {
				own = []string{"--queue", queue.InProcess, "--queue-listen", address}
			}
			cmd := exec.Command("heldout", args(out, append(own, "--queue-ack-wait", "5s")...)...)
			cmd.Stdout = &table
			return cmd
		}}
		var workers []*killed
		for range 10 {
			workers = append(workers, &killed{b: b, most: n, command: func() *exec.Cmd {
				return exec.Command("heldout", "worker", "--queue", "nats://"+address, "--concurrency", "2")
			}})
		}
		all := append([]*killed{leader}, workers...)
		if !embed {
			all = append(all, nats)
		}
		workerKills := 0
		for !leader.succeeded() {
			for _, p := range all {
				p.keep()
			}
			select {
			case <-leader.done:
			case <-time.After(100 * time.Millisecond): // the pace of kills
			}
			done := lines(filepath.Join(out, "episodes.jsonl"))
			nats.kill(done, n)
			leader.kill(done, n)
			if workerKills*n < (n/100)*(done+n/50) {
				w := workers[rand.IntN(len(workers))]
				before := w.kills
				w.kill(n, 1)
				workerKills += w.kills - before
			}
		}
		for _, p := range all {
			p.end()
		}
		_, results, err := record.Read(out)
		ids := map[string]bool{}
		for _, r := range results {
			ids[r.ID] = true
		}
		if err != nil || len(results) != n || len(ids) != n {
			b.Errorf("%d records of %d episodes, want %d; %v", len(results), len(ids), n, err)
		}
		sharedtest.Equal(b, table.String(), string(want), "the tables")
		b.ReportMetric(float64(workerKills), "worker-kills")
		b.ReportMetric(float64(leader.kills), "leader-kills")
		b.ReportMetric(float64(nats.kills), "nats-kills")
	}
}

// killed is a process that is killed, and started again whenever it has ended.
type killed struct {
	b       testing.TB
	command func() *exec.Cmd
	// most is how often it is killed.
	most, kills int
	cmd         *exec.Cmd
	done        chan struct{} // closed when it has ended; nil before the start
}

// running reports whether the process runs.
func (k *killed) running() bool {
	select {
	case <-k.done:
		return false
	default:
		return k.done != nil
	}
}

// succeeded reports that the process has ended without an error.
func (k *killed) succeeded() bool {
	return k.cmd != nil && !k.running() && k.cmd.ProcessState.Success()
}

// keep starts the process if it does not run.
func (k *killed) keep() {
	if k.running() || k.succeeded() {
		return
	}
	cmd, done := k.command(), make(chan struct{})
	if err := cmd.Start(); err != nil {
		k.b.Fatal(err)
	}
	go func() {
		_ = cmd.Wait()
		close(done)
	}()
	k.cmd, k.done = cmd, done
}

// kill kills the process if that is due once so many of n episodes are done.
func (k *killed) kill(done, n int) {
	if k.running() && k.kills < k.most && k.kills*n < k.most*done {
		k.end()
		k.kills++
	}
}

// end kills the process.
func (k *killed) end() {
	_ = k.cmd.Process.Kill() // it may have ended
	<-k.done
}

// lines counts the lines of a file, 0 if there is none.
func lines(name string) int {
	content, err := os.ReadFile(name)
	if err != nil {
		return 0
	}
	return bytes.Count(content, []byte("\n"))
}

// serveNATS is a program: natsserver ADDRESS DIR.
func serveNATS() {
	if _, err := queue.Serve(os.Args[2], os.Args[1], queue.Security{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	select {}
}
