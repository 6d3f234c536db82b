package process

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// adopt makes this process the parent of what the children of its children leave behind.
// Otherwise that is the first process, which in many containers reaps nobody, so that an
// ended process group would seem to live.
func adopt() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// reap reaps the ended processes of a group, which is negative, whose leader is reaped.
func reap(group int) {
	for {
		if pid, err := syscall.Wait4(group, nil, syscall.WNOHANG, nil); pid <= 0 || err != nil {
			return
		}
	}
}
