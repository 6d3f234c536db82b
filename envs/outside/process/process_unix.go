//go:build unix

// Package process runs shell commands that end with this process, with all that they start.
package process

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// watcher ends a process group, whose number is the first line that it reads, once
// nobody holds the other end of its standard input any more, as when heldout is killed.
const watcher = `trap "" HUP INT TERM; read -r group && { read -r _; kill -TERM "-$group"
	for _ in 1 2 3 4 5 6 7 8 9 10; do sleep 1; kill -0 "-$group" || exit; done; kill -KILL "-$group"; }`

// announced tells the watcher of itself, and becomes the command $1.
const announced = `echo $$ >&3 && exec sh -c "$1" 3>&-`

// Process is a command with all that it starts: a process group.
type Process struct {
	// Exited is closed when the command has ended.
	Exited chan struct{}

	cmd     *exec.Cmd
	watcher *exec.Cmd // in a group of its own: it outlives heldout and the command
	leash   *os.File  // whose end has the watcher end the group
}

// Streams are the standard streams of a command; In may be nil.
type Streams struct{ In, Out, Err *os.File }

// Start starts a shell command.
func Start(command string, s Streams) (*Process, error) {
	pipe, leash, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer pipe.Close()
	p := &Process{make(chan struct{}), exec.Command("sh", "-c", announced, "heldout", command),
		exec.Command("sh", "-c", watcher), leash}
	p.cmd.ExtraFiles, p.cmd.SysProcAttr = []*os.File{leash}, &syscall.SysProcAttr{Setpgid: true}
	if s.In != nil { // a nil file in an interface is not nil
		p.cmd.Stdin = s.In
	}
	p.cmd.Stdout, p.cmd.Stderr = s.Out, s.Err
	p.watcher.Stdin, p.watcher.SysProcAttr = pipe, &syscall.SysProcAttr{Setpgid: true}
	if err := p.watcher.Start(); err != nil {
		return nil, errors.Join(err, leash.Close())
	}
	adopt()
	if err := p.cmd.Start(); err != nil {
		p.dismiss()
		return nil, err
	}
	go func() {
		_ = p.cmd.Wait() // Ended says how
		close(p.Exited)
	}()
	return p, nil
}

// dismiss ends the watcher.
func (p *Process) dismiss() {
	_ = p.watcher.Process.Kill()
	_ = p.watcher.Wait()
	_ = p.leash.Close()
}

// Ended says how the command has ended; Exited comes before it.
func (p *Process) Ended() string { return p.cmd.ProcessState.String() }

// tick is how often Stop looks whether the group has ended.
const tick = 20 * time.Millisecond

// Stop ends the process group: by SIGTERM and, after a while, by SIGKILL. It returns when
// the command and its children have ended.
func (p *Process) Stop(grace time.Duration) {
	defer p.dismiss() // the group is gone by then
	group := -p.cmd.Process.Pid
	_ = syscall.Kill(group, syscall.SIGTERM)
	for range grace / tick {
		select {
		case <-p.Exited:
			reap(group)
		default:
		}
		if errors.Is(syscall.Kill(group, 0), syscall.ESRCH) {
			break
		}
		time.Sleep(tick)
	}
	_ = syscall.Kill(group, syscall.SIGKILL)
	<-p.Exited
}
