//go:build unix

package checkpoints

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"heldout/envs/sharedtest"
)

// A server that dies is started again so often, and what it has left is ended.
func TestRestarts(t *testing.T) {
	dir := t.TempDir()
	var told []string
	s := sharedtest.Must(serve("sleep 1000 & echo started >&2; exit 5", dir,
		func(line string) { told = append(told, line) }))(t)
	s.pace = time.Millisecond
	sharedtest.Fails(t, s.keep(sharedtest.Limited(t)), "its server has ended 4 times, the last time with exit status 5; "+
		"the last line of "+filepath.Join(dir, logFile)+" is: started")
	sharedtest.Equal(t, len(told), restarts, told, "lines")
	log := sharedtest.Must(os.ReadFile(filepath.Join(dir, logFile)))(t)
	sharedtest.Equal(t, strings.Count(string(log), "started\n"), restarts+1)
}

// Stopping gives the server time to end, and ends all that it has started.
func TestStop(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "fifo")
	if out, err := exec.Command("mkfifo", fifo).CombinedOutput(); err != nil {
		t.Fatalf("mkfifo: %v: %s", err, out)
	}
	command := "exec 4>" + fifo + "; trap 'echo ends; exit' TERM; sh -c 'echo begins >&4; exec sleep 1000' & wait"
	s := sharedtest.Must(serve(command, dir, func(line string) { t.Error(line) }))(t)
	held := sharedtest.Must(os.Open(fifo))(t)
	defer held.Close()
	in := bufio.NewScanner(held)
	if in.Scan(); in.Text() != "begins" {
		t.Fatalf("%q, %v", in.Text(), in.Err())
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := s.keep(ctx); err != nil {
		t.Error(err)
	}
	if in.Scan() { // until all that hold it open have ended
		t.Errorf("%q", in.Text())
	}
	log, err := os.ReadFile(filepath.Join(dir, logFile))
	if err != nil || !strings.HasSuffix(string(log), "ends\n") {
		t.Errorf("%q, %v", log, err)
	}
}

// heldout is killed while it waits for a server that ignores SIGTERM: the server ends.
func TestKilledWhileStopping(t *testing.T) {
	t.Parallel()
	if fifo := os.Getenv(fifoVariable); fifo != "" {
		stopSurvivor(t, fifo)
		return
	}
	fifo := filepath.Join(t.TempDir(), "fifo")
	if out, err := exec.Command("mkfifo", fifo).CombinedOutput(); err != nil {
		t.Fatalf("mkfifo: %v: %s", err, out)
	}
	owner := exec.CommandContext(sharedtest.Limited(t), os.Args[0], "-test.run=^TestKilledWhileStopping$")
	owner.Env = append(os.Environ(), fifoVariable+"="+fifo, sharedtest.HastyPath(t))
	leave := sharedtest.Must(owner.StdinPipe())(t)
	sharedtest.OK(t, owner.Start())
	server := sharedtest.Must(os.Open(fifo))(t)
	defer server.Close()
	in := bufio.NewScanner(server)
	for _, want := range []string{"begins", "is told to end"} {
		if in.Scan(); in.Text() != want {
			t.Fatalf("%q, want %q; %v", in.Text(), want, in.Err())
		}
		leave.Close()
	}
	sharedtest.OK(t, owner.Process.Kill())
	_ = owner.Wait()
	sharedtest.OK(t, server.SetReadDeadline(time.Now().Add(time.Minute)))
	for in.Scan() { // until all that hold it open have ended
	}
	if in.Err() != nil {
		t.Errorf("the server is there: %v", in.Err())
	}
}

// fifoVariable is set in the process that is killed.
const fifoVariable = "CHECKPOINTS_TEST_FIFO"

// stopSurvivor stops a server that survives TERM, once standard input has ended. What the
// server is told it writes into a pipe.
func stopSurvivor(t *testing.T, fifo string) {
	command := "exec 4>" + fifo + "; trap 'echo is told to end >&4' TERM; echo begins >&4; " +
		"while :; do sleep 1000 & wait; done"
	s := sharedtest.Must(serve(command, filepath.Dir(fifo), func(line string) { t.Error(line) }))(t)
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		t.Error(err)
	}
	s.process.Stop(grace)
}
