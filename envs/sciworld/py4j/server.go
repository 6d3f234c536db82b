package py4j

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Command says how to start a virtual machine with a gateway.
type Command struct {
	// Java is the program; empty for the one found on the path.
	Java string
	// Options are for the virtual machine, such as "-Xmx512m".
	Options []string
	// ClassPath holds the gateway's classes and all others.
	ClassPath string
	// Dir is the working directory.
	Dir string
	// Timeout is the longest that it may take to start; 0 for DefaultTimeout.
	Timeout time.Duration
}

// Server is a virtual machine with a gateway, a child process.
//
// It ends with this process, whatever the reason. The gateway watches its
// standard input. Only this process holds that input open, and the system closes
// it at the latest when the process is gone. On Linux the system also kills the
// machine then, even if the machine hangs. Elsewhere a machine that was stopped
// (SIGSTOP) at that moment stays until somebody continues it.
type Server struct {
	// Port is where the gateway listens, on 127.0.0.1.
	Port int

	cmd    *exec.Cmd
	stdin  io.Closer
	stderr *tail
	exited chan struct{}
}

// StartServer starts a virtual machine and waits until its gateway listens. It
// reads and discards the output of the machine.
func StartServer(ctx context.Context, c Command) (*Server, error) {
	c.Java, c.Timeout = cmp.Or(c.Java, "java"), cmp.Or(c.Timeout, DefaultTimeout)
	s := &Server{stderr: &tail{}, exited: make(chan struct{})}
	args := append(append([]string{}, c.Options...), "-cp", c.ClassPath, "py4j.GatewayServer",
		"--die-on-broken-pipe", "0")
	s.cmd = exec.Command(c.Java, args...)
	s.cmd.Dir = c.Dir
	s.cmd.Stderr = s.stderr
	s.cmd.SysProcAttr = childAttributes()
	stdout, err := s.start()
	if err != nil {
		return nil, fmt.Errorf("cannot start %s: %w", c.Java, err)
	}
	if err := s.awaitPort(ctx, stdout, c.Timeout); err != nil {
		s.Kill()
		return nil, fmt.Errorf("the Java gateway did not start: %w%s", err, s.complaint())
	}
	return s, nil
}

// start starts the process and a goroutine that waits for its end. On Linux the
// parent is the thread that started the process, so that goroutine keeps the
// thread.
func (s *Server) start() (stdout io.ReadCloser, err error) {
	stdin, err := s.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	s.stdin = stdin
	// Not StdoutPipe, which Wait would close before everything is read.
	stdout, w, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, stdin.Close())
	}
	s.cmd.Stdout = w
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := s.cmd.Start()
		started <- err
		if err == nil {
			s.cmd.Wait() // its error says how the process ended, which nobody needs
			close(s.exited)
		}
	}()
	err = <-started
	w.Close()
	if err != nil {
		stdout.Close()
		stdin.Close()
	}
	return stdout, err
}

// awaitPort reads the port in the first line (§1.1), and discards everything after it.
func (s *Server) awaitPort(ctx context.Context, stdout io.ReadCloser, timeout time.Duration) error {
	type first struct {
		line string
		err  error
	}
	read := make(chan first, 1)
	go func() {
		defer stdout.Close()
		in := bufio.NewReader(io.LimitReader(stdout, 1<<10))
		line, err := in.ReadString('\n')
		read <- first{line, err}
		io.Copy(io.Discard, stdout)
	}()
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case f := <-read:
		port, err := strconv.Atoi(strings.TrimSpace(f.line))
		if err != nil || port < 1 || port > 65535 {
			return fmt.Errorf("it prints %s in the place of a port", excerpt(f.line))
		}
		s.Port = port
		return nil
	}
}

// complaint is what the machine wrote to its standard error, to end an error text.
func (s *Server) complaint() string {
	if text := strings.TrimSpace(s.stderr.String()); text != "" {
		return "; it says: " + strings.Join(strings.Fields(text), " ")
	}
	return ""
}

// Alive reports whether the process is still there.
func (s *Server) Alive() bool {
	select {
	case <-s.exited:
		return false
	default:
		return true
	}
}

// Kill ends the process and returns when it is gone. It may be called again.
func (s *Server) Kill() {
	s.stdin.Close()      // an error means that it is closed already
	s.cmd.Process.Kill() // an error means that it has ended already
	<-s.exited
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// maxTail is how much a tail keeps, in bytes.
const maxTail = 1 << 10

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if extra := len(t.text) - maxTail; extra > 0 {
		t.text = append(t.text[:0], t.text[extra:]...)
	}
	return len(p), nil
}

// String returns what is kept.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text)
}
