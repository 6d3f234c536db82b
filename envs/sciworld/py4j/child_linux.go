package py4j

import "syscall"

// childAttributes put the child into a process group of its own, so that Ctrl-C
// reaches this process alone, which then ends the child in good order; and let
// the system kill it when the thread that starts it has ended.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
