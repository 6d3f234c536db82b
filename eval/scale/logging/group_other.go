//go:build !unix

package logging

import (
	"os/exec"
	"path/filepath"
)

func group(*exec.Cmd) {}

func kill(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

// beside returns the interpreter of the virtual environment that a binary is in; empty if it is in none.
func beside(binary string) string {
	own := filepath.Join(filepath.Dir(binary), "python.exe")
	if exists(own) && exists(filepath.Join(filepath.Dir(binary), "..", "pyvenv.cfg")) {
		return own
	}
	return ""
}
