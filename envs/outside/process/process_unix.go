//go:build unix

// Package process runs shell commands that end with this process, with all that they start.
package process

import (
	"crypto/rand"
	"errors"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// watcher ends a process group and all with a mark, which are the first line that it reads, once nobody holds the
// other end of its standard input any more, as when heldout is killed.
const watcher = `trap "" HUP INT TERM
marked() { for f in $(grep -lsF "$mark" /proc/[0-9]*/environ); do f=${f#/proc/}; echo "${f%/environ}"; done; }
end() { kill "-$1" "-$group" $(marked); }
read -r group mark && [ -n "$mark" ] && { read -r _; end TERM
	for _ in 1 2 3 4 5 6 7 8 9 10; do sleep 1; kill -0 "-$group" || [ -n "$(marked)" ] || exit; done; end KILL; }`

// announced tells the watcher of itself, and becomes the command $1.
const announced = `echo "$$ $HELDOUT_MARK" >&3 && exec sh -c "$1" 3>&-`

// mark begins the variable of all processes that a command starts, even if they leave its process group.
const mark = "HELDOUT_MARK="

// Process is a command with all that it starts: a process group and, on Linux, what has left it.
type Process struct {
	// Exited is closed when the command has ended.
	Exited chan struct{}

	mark    string // a variable of all that the command starts
	escaped []int  // what has left the group, as far as it was found
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
	p := &Process{Exited: make(chan struct{}), mark: mark + rand.Text(), leash: leash,
		cmd: exec.Command("sh", "-c", announced, "heldout", command), watcher: exec.Command("sh", "-c", watcher)}
	p.cmd.Env = append(p.cmd.Environ(), p.mark)
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

// Stop ends the command and all that it has started: by SIGTERM and, after a while, by SIGKILL. It returns when
// they have ended.
func (p *Process) Stop(grace time.Duration) {
	defer p.dismiss() // all are gone by then
	p.signal(syscall.SIGTERM)
	for patience := time.After(grace); p.remains(); {
		select {
		case <-patience:
			p.signal(syscall.SIGKILL)
			<-p.Exited
			return
		case <-time.After(tick):
		}
	}
	<-p.Exited
}

// remains reports whether something of the command is there, after what has ended is reaped.
func (p *Process) remains() bool {
	select {
	case <-p.Exited:
		for _, id := range append(p.escaped, p.group()) {
			reap(id)
		}
	default:
	}
	return !errors.Is(syscall.Kill(p.group(), 0), syscall.ESRCH) || len(p.strays()) > 0
}

// group is the process group, as a number for signals.
func (p *Process) group() int { return -p.cmd.Process.Pid }

// signal sends a signal to the group and to what has left it.
func (p *Process) signal(s syscall.Signal) {
	p.escaped = p.strays()
	for _, id := range append(p.escaped, p.group()) {
		_ = syscall.Kill(id, s) // it may have ended
	}
}
