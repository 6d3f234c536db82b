//go:build unix

package checkpoints

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

// server tells the watcher of itself, and becomes the command $1.
const server = `echo $$ >&3 && exec sh -c "$1" 3>&-`

// process is a server with all that it starts: a process group.
type process struct {
	cmd     *exec.Cmd
	watcher *exec.Cmd     // in a group of its own: it outlives heldout and the server
	leash   *os.File      // whose end has the watcher end the group
	exited  chan struct{} // closed when the command has ended
}

// start starts a shell command whose output goes to a file.
func start(command string, output *os.File) (*process, error) {
	pipe, leash, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer pipe.Close()
	p := &process{exec.Command("sh", "-c", server, "heldout", command), exec.Command("sh", "-c", watcher), leash,
		make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr, p.cmd.ExtraFiles = output, output, []*os.File{leash}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
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
		_ = p.cmd.Wait() // ended says how
		close(p.exited)
	}()
	return p, nil
}

// dismiss ends the watcher.
func (p *process) dismiss() {
	_ = p.watcher.Process.Kill()
	_ = p.watcher.Wait()
	_ = p.leash.Close()
}

// ended says how the command has ended; exited comes before it.
func (p *process) ended() string { return p.cmd.ProcessState.String() }

// tick is how often stop looks whether the group has ended.
const tick = 20 * time.Millisecond

// stop ends the process group: by SIGTERM and, after a while, by SIGKILL. It returns when
// the command and its children have ended.
func (p *process) stop() {
	defer p.dismiss() // the group is gone by then
	group := -p.cmd.Process.Pid
	_ = syscall.Kill(group, syscall.SIGTERM)
	for range grace / tick {
		select {
		case <-p.exited:
			reap(group)
		default:
		}
		if errors.Is(syscall.Kill(group, 0), syscall.ESRCH) {
			break
		}
		time.Sleep(tick)
	}
	_ = syscall.Kill(group, syscall.SIGKILL)
	<-p.exited
}
