//go:build unix

package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"heldout/envs/sharedtest"
)

// serveCheckpoint is a command of the test scripts: checkpointserver FOLDER PORT serves the checkpoint in a folder
// under the folder's name until it is killed. The file serves in the folder says how often it serves and ends after
// 40 calls, before it serves for ever; a negative number, that it never serves.
func serveCheckpoint() {
	folder, port := os.Args[1], os.Args[2]
	fmt.Printf("serves %s\n", folder)
	var tell io.Writer = io.Discard
	if conn, err := net.Dial("tcp", os.Getenv("HELDOUT_TEST_TELL")); err == nil {
		tell = conn
	}
	fmt.Fprintf(tell, "begins %s\n", folder)
	file := filepath.Join(folder, "serves")
	left := 0
	if text, err := os.ReadFile(file); err == nil {
		left, _ = strconv.Atoi(strings.TrimSpace(string(text)))
	}
	if left < 0 {
		fmt.Println("out of memory")
		os.Exit(1)
	}
	s := &fakeServer{context: 16384, hang: make(chan struct{})}
	var calls atomic.Int64
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/models") {
			fmt.Fprintf(w, `{"object":"list","data":[{"id":%q,"owned_by":"vllm","max_model_len":16384}]}`, folder)
			return
		}
		n := int64(0)
		if strings.HasSuffix(r.URL.Path, "/completions") {
			n = calls.Add(1)
		}
		if n == 40 { // doctor makes some 30
			fmt.Fprintln(tell, "plays")
		}
		if n == 40 && left > 0 {
			_ = os.WriteFile(file, []byte(strconv.Itoa(left-1)), 0o644)
			fmt.Println("killed while it plays")
			os.Exit(7)
		}
		s.ServeHTTP(w, r)
	})
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	_ = http.Serve(listener, handler) // it never returns but by being killed
}

// checkpointRun is a run of checkpoints out/step-*, and what their servers tell.
func checkpointRun(t *testing.T, dir string, more ...string) (cmd *exec.Cmd, servers net.Listener) {
	t.Helper()
	servers = sharedtest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { servers.Close() })
	cmd = exec.Command("heldout", append([]string{"run", "--checkpoints", "out/step-*", "--serve",
		"checkpointserver {} {port}", "--env", "pddl", "--limit", "4", "--out", "r", "--quiet"}, more...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HELDOUT_TEST_TELL="+servers.Addr().String())
	return cmd, servers
}

// makeCheckpoint writes a checkpoint that was complete an hour ago.
func makeCheckpoint(t *testing.T, dir, name string) {
	t.Helper()
	unfinished := filepath.Join(dir, "out", "."+name)
	sharedtest.OK(t, os.MkdirAll(unfinished, 0o755))
	for _, file := range []string{"config.json", "model.safetensors"} {
		path, then := filepath.Join(unfinished, file), time.Now().Add(-time.Hour)
		sharedtest.OK(t, os.WriteFile(path, []byte("{}"), 0o644))
		sharedtest.OK(t, os.Chtimes(path, then, then))
	}
	sharedtest.OK(t, os.Rename(unfinished, filepath.Join(dir, "out", name)))
}

// told is what one server tells.
type told struct {
	net.Conn
	*bufio.Scanner
}

func accept(t *testing.T, servers net.Listener) told {
	t.Helper()
	limit, _ := sharedtest.Limited(t).Deadline()
	sharedtest.OK(t, servers.(*net.TCPListener).SetDeadline(limit))
	conn := sharedtest.Must(servers.Accept())(t)
	sharedtest.OK(t, conn.SetReadDeadline(limit))
	t.Cleanup(func() { conn.Close() })
	return told{conn, bufio.NewScanner(conn)}
}

// expect reads the next line, or the end of the server.
func (s told) expect(t *testing.T, want string) {
	t.Helper()
	s.Scan()
	if s.Err() != nil && want != "" || s.Text() != want {
		t.Fatalf("the server tells %q (%v), want %q", s.Text(), s.Err(), want)
	}
}

// When heldout is killed, its server ends, and the same command continues.
func TestCheckpointsKilled(t *testing.T) {
	sharedtest.Heavy(t)
	t.Parallel()
	dir := t.TempDir()
	makeCheckpoint(t, dir, "step-1")
	cmd, servers := checkpointRun(t, dir)
	sharedtest.OK(t, cmd.Start())
	server := accept(t, servers)
	server.expect(t, "begins out/step-1")
	server.expect(t, "plays")
	sharedtest.OK(t, cmd.Process.Kill())
	_ = cmd.Wait()
	server.expect(t, "")
	cmd, _ = checkpointRun(t, dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	sharedtest.Equal(t, len(checkEpisodes(t, filepath.Join(dir, "r", "step-1"))), 4, "episodes")
}

// A checkpoint that appears later is played, until the command is stopped, which also stops its server.
func TestCheckpointsFollowed(t *testing.T) {
	sharedtest.Heavy(t)
	t.Parallel()
	dir := t.TempDir()
	cmd, servers := checkpointRun(t, dir, "--follow")
	stderr := sharedtest.Must(cmd.StderrPipe())(t)
	sharedtest.OK(t, cmd.Start())
	lines := bufio.NewScanner(stderr)
	for lines.Scan() && !strings.Contains(lines.Text(), "waiting for more") {
	}
	go func() { _, _ = io.Copy(io.Discard, stderr) }()
	makeCheckpoint(t, dir, "step-2")
	first := accept(t, servers)
	first.expect(t, "begins out/step-2")
	first.expect(t, "plays")
	first.expect(t, "")
	makeCheckpoint(t, dir, "step-10")
	second := accept(t, servers)
	second.expect(t, "begins out/step-10")
	second.expect(t, "plays")
	sharedtest.OK(t, cmd.Process.Signal(syscall.SIGTERM))
	second.expect(t, "")
	sharedtest.Equal(t, exitCode(t, cmd.Wait()), 128+int(syscall.SIGTERM), "exit code")
	sharedtest.Equal(t, len(checkEpisodes(t, filepath.Join(dir, "r", "step-2"))), 4, "episodes")
}
