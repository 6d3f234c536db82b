//go:build unix

package logging

import (
	"os/exec"
	"syscall"
)

// group gives a process a group of its own, which Ctrl-C does not reach: it ends as heldout says.
func group(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
