package py4j

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// The test's own program stands in for Java: fakeMode says how it behaves. As
// "parent" it starts such a machine itself, to be killed.
const fakeMode = "HELDOUT_FAKE_JAVA"

func TestMain(m *testing.M) {
	mode := os.Getenv(fakeMode)
	switch {
	case slices.Contains(os.Args, "py4j.GatewayServer"):
		fakeJava(mode)
	case mode != "":
		fakeParent()
	default:
		os.Exit(m.Run())
	}
}

// fakeJava is a machine with a gateway that says nothing.
func fakeJava(mode string) {
	switch mode {
	case "garbage":
		fmt.Println("Error: no such class")
	case "broken":
		fmt.Fprintln(os.Stderr, "Could not find\nor load main class")
		os.Exit(1)
	case "hangs":
	default:
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			os.Exit(1)
		}
		fmt.Println(l.Addr().(*net.TCPAddr).Port)
		go func() { // more than a pipe holds: it must be read
			for range 1 << 12 {
				fmt.Println(strings.Repeat("debug ", 20))
			}
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				go io.Copy(io.Discard, c)
				fmt.Fprintln(c, "ready")
			}
		}()
	}
	io.Copy(io.Discard, os.Stdin) // as --die-on-broken-pipe
}

// fakeParent starts a machine, prints its port and waits to be killed.
func fakeParent() {
	os.Setenv(fakeMode, "fine")
	s, err := StartServer(context.Background(), Command{Java: os.Args[0], ClassPath: "x"})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(s.Port, s.pid())
	select {}
}

// started starts a machine that behaves as the mode says.
func started(t *testing.T, mode string, timeout time.Duration) (*Server, error) {
	t.Helper()
	t.Setenv(fakeMode, mode)
	s, err := StartServer(context.Background(), Command{Java: os.Args[0], ClassPath: "x", Dir: t.TempDir(),
		Timeout: timeout})
	if err == nil {
		t.Cleanup(s.Kill)
	}
	return s, err
}

// watch connects to a machine and waits until it serves. What it returns yields
// when the machine is gone.
func watch(t *testing.T, port int) (gone chan error) {
	t.Helper()
	c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(time.Minute))
	in := bufio.NewReader(c)
	if line, err := in.ReadString('\n'); err != nil {
		t.Fatal(line, err)
	}
	gone = make(chan error, 1)
	go func() {
		_, err := in.ReadByte()
		gone <- err
	}()
	return gone
}

// wantGone waits for a machine's end.
func wantGone(t *testing.T, gone chan error) {
	t.Helper()
	if err := <-gone; err == nil || os.IsTimeout(err) {
		t.Errorf("the machine is still there after a minute: %v", err)
	}
}

// A machine prints more than a pipe holds, serves all the same, and is gone once
// it is killed.
func TestServer(t *testing.T) {
	s, err := started(t, "fine", 0)
	if err != nil {
		t.Fatal(err)
	}
	gone := watch(t, s.Port) // it only answers when all was read
	if !s.Alive() {
		t.Error("it is not alive")
	}
	s.Kill()
	wantGone(t, gone)
	if s.Alive() {
		t.Error("it is alive")
	}
	s.Kill() // again
}

func TestServerFails(t *testing.T) {
	for mode, want := range map[string]string{
		"garbage": `it prints "Error: no such class\n" in the place of a port`,
		"broken":  "it says: Could not find or load main class",
		"hangs":   "deadline exceeded",
	} {
		if _, err := started(t, mode, time.Second); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", mode, err)
		}
	}
	if _, err := StartServer(context.Background(), Command{Java: "no-such-java"}); err == nil ||
		!strings.Contains(err.Error(), "no-such-java") {
		t.Error(err)
	}
}

// parent starts a process that has started a machine.
func parent(t *testing.T) (p *exec.Cmd, port, pid int) {
	t.Helper()
	p = exec.Command(os.Args[0])
	p.Env = append(os.Environ(), fakeMode+"=parent")
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Process.Kill(); p.Wait() })
	if _, err := fmt.Fscan(out, &port, &pid); err != nil {
		t.Fatal(err)
	}
	return p, port, pid
}

// A machine ends with the process that started it, even if that is killed.
func TestKilledParent(t *testing.T) {
	p, port, _ := parent(t)
	gone := watch(t, port)
	if err := p.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	wantGone(t, gone)
}

// pid is the number of the process.
func (s *Server) pid() int { return s.cmd.Process.Pid }
