package process

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// adopt makes this process the parent of what the children of its children leave behind. Otherwise that is the
// first process, which in many containers reaps nobody, so that an ended process group would seem to live.
func adopt() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// reap reaps the ended processes of a group, which is negative, whose leader is reaped; or an ended process.
func reap(group int) {
	for {
		if pid, err := syscall.Wait4(group, nil, syscall.WNOHANG, nil); pid <= 0 || err != nil {
			return
		}
	}
}

// strays are the processes with the command's mark that have left its group, such as by setsid.
func (p *Process) strays() (ids []int) {
	files, _ := filepath.Glob("/proc/[0-9]*/environ") // the pattern is right
	for _, file := range files {
		id, _ := strconv.Atoi(filepath.Base(filepath.Dir(file))) // it has digits
		variables, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(variables, []byte(p.mark)) {
			continue
		}
		if group, err := syscall.Getpgid(id); err == nil && -group != p.group() {
			ids = append(ids, id)
		}
	}
	return ids
}
