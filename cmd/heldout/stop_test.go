//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"heldout/envs/sharedtest"
)

// A command that goes on after its context has ended is left, and one that ends says why.
func TestInTime(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stopped{syscall.SIGTERM})
	own := errors.New("stopped; it can go on")
	for want, command := range map[error]func() error{
		stopped{syscall.SIGTERM}: func() error { select {} },
		own:                      func() error { return own },
	} {
		sharedtest.Equal(t, inTime(ctx, command), want)
	}
	sharedtest.Equal(t, stopCode(ctx), 143, "exit code")
}

// waiting are commands that wait for a server that never answers, or for what somebody does.
var waiting = [][]string{
	{"run", "--env", "pddl", "--out", "run", "--model=vllm:x"},
	{"run", "--env", "hotpotqa", "--model", "expert", "--wiki-url", "$SILENT", "--out", "run"},
	{"run", "--env", "pddl", "--model", "random", "--queue", "$QUEUE", "--out", "run"},
	{"run", "--env", "pddl", "--checkpoints", "none/*", "--follow", "--serve", "sleep 9 {} {port}", "--out", "run"},
	{"run", "--env", "pddl", "--checkpoints", "$IN/[w]eights", "--serve", "sleep 99; : {} {port}", "--out", "run"},
	{"worker", "--queue", "$QUEUE"},
	{"sweep", "--out", "run", "--model=vllm:x"},
	{"synth", "--count", "3", "--out", "made", "--model=vllm:x"},
	{"judge", "$IN/synthetic", "--out", "labels", "--model=vllm:x"},
	{"think", "$IN/experts", "--out", "thoughts", "--model=vllm:x"},
	{"doctor", "--model=vllm:x"},
	{"data", "pull", "babyai", "--data", "data", "--source", "agentboard=$SILENT/data.tar.gz"},
	{"preset", "pull", "eto-alfworld", "--data", "data", "--source", "ETO-a2fc5da=$SILENT/data.tar.gz"},
	{"play", "pddl"},
	{"play", "pddl", "--format", "json"},
	{"serve", "pddl", "--listen", "127.0.0.1:0"},
	{"serve", "pddl", "--stdio"},
	{"view", "$IN/experts"},
}

// A command that waits ends with a signal, in time and with one line.
func TestStoppedWaits(t *testing.T) {
	sharedtest.Heavy(t)
	t.Parallel()
	in := t.TempDir()
	server := httptest.NewServer(&fakeServer{context: 16384})
	defer server.Close()
	sharedtest.OK(t, os.Mkdir(filepath.Join(in, "weights"), 0o755))
	for _, file := range []string{"config.json", "model.safetensors"} {
		sharedtest.OK(t, os.WriteFile(filepath.Join(in, "weights", file), []byte("{}"), 0o644))
	}
	for _, cmd := range []*exec.Cmd{
		exec.Command("heldout", "run", "--env", "pddl", "--limit", "2", "--model", "expert-errs", "--out", "experts"),
		exec.Command("heldout", "bundle", "experts", "--out", "experts.heldout"),
		fakeSynth(server.URL, "synthetic", "--count", "10"),
	} {
		cmd.Dir = in
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	for i, args := range waiting {
		for j, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
			if i%2 == j || sharedtest.Long() {
				t.Run(fmt.Sprint(args[:2], signal), func(t *testing.T) {
					t.Parallel()
					stopWaiting(t, in, args, signal)
				})
			}
		}
	}
}

// stopWaiting ends a command by a signal once it calls a server or says something, or some seconds after its start.
func stopWaiting(t *testing.T, in string, args []string, signal syscall.Signal) {
	t.Helper()
	moment := make(chan struct{}, 100)
	address := silence(t, moment)
	said := &telling{moment: moment}
	p := &killed{b: t, command: func() *exec.Cmd {
		cmd := exec.Command("heldout")
		places := strings.NewReplacer("$IN", in, "$SILENT", "http://"+address, "$QUEUE", "nats://"+address)
		for _, arg := range args {
			if cmd.Args = append(cmd.Args, places.Replace(arg)); arg == "--model=vllm:x" {
				cmd.Args = append(cmd.Args, "--base-url", "http://"+address+"/v1")
			}
		}
		cmd.Dir, cmd.Stdout, cmd.Stderr = t.TempDir(), &telling{moment: moment}, said
		if _, err := cmd.StdinPipe(); err != nil { // it stays open
			t.Fatal(err)
		}
		return cmd
	}}
	p.keep()
	select {
	case <-moment:
	case <-p.done:
	case <-time.After(3 * time.Second):
	}
	if !p.stop(signal) || strings.Count("\n"+said.text.String(), "\nheldout: ") > 1 {
		t.Errorf("%q, %v: %v, it says %s", args, signal, p.cmd.ProcessState, said.text.String())
	}
}

// silence takes calls at an address, tells of each, and never answers.
func silence(t *testing.T, called chan<- struct{}) (address string) {
	l := sharedtest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			defer conn.Close()
			tell(called)
		}
	}()
	return l.Addr().String()
}

func tell(moment chan<- struct{}) {
	select {
	case moment <- struct{}{}:
	default:
	}
}

// telling is a text that tells when something is added.
type telling struct {
	text   strings.Builder
	moment chan<- struct{}
}

// Write implements io.Writer.
func (w *telling) Write(b []byte) (int, error) {
	tell(w.moment)
	return w.text.Write(b)
}
