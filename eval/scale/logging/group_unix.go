//go:build unix

package logging

import (
	"os/exec"
	"path/filepath"
	"syscall"
)

// group gives a process a group of its own, which Ctrl-C does not reach: it ends as heldout says.
func group(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// beside returns the interpreter of the virtual environment that a binary is in; empty if it is in none.
func beside(binary string) string {
	folder := filepath.Dir(binary)
	if own := filepath.Join(folder, "python3"); exists(own) && exists(filepath.Join(folder, "..", "pyvenv.cfg")) {
		return own
	}
	return ""
}
