package py4j

import (
	"os/exec"
	"syscall"
)

// dieWithParent lets the system kill the process when the thread that starts it
// has ended.
func dieWithParent(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
