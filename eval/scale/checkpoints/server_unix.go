//go:build unix

package checkpoints

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// keeper runs the command $1 by the shell. A second shell ends the process group when
// descriptor 3 is closed without a line, as when heldout is killed.
const keeper = `(trap "" TERM; read -r _ <&3 || { kill -TERM 0; sleep 10; kill -KILL 0; }) & exec sh -c "$1" 3<&-`

// process is a server with all that it starts: a process group.
type process struct {
	cmd    *exec.Cmd
	leash  *os.File      // whose end ends the group
	exited chan struct{} // closed when the command has ended
}

// start starts a shell command whose output goes to a file.
func start(command string, output *os.File) (*process, error) {
	pipe, leash, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer pipe.Close()
	p := &process{exec.Command("sh", "-c", keeper, "heldout", command), leash, make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr, p.cmd.ExtraFiles = output, output, []*os.File{pipe}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	adopt()
	if err := p.cmd.Start(); err != nil {
		return nil, errors.Join(err, leash.Close())
	}
	go func() {
		_ = p.cmd.Wait() // ended says how
		close(p.exited)
	}()
	return p, nil
}

// ended says how the command has ended; exited comes before it.
func (p *process) ended() string { return p.cmd.ProcessState.String() }

// tick is how often stop looks whether the group has ended.
const tick = 20 * time.Millisecond

// stop ends the process group: by SIGTERM and, after a while, by SIGKILL. It returns when
// the command and its children have ended.
func (p *process) stop() {
	_, _ = p.leash.WriteString("\n") // the second shell ends by itself
	_ = p.leash.Close()
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
