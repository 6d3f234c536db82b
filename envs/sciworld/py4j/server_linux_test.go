package py4j

import (
	"syscall"
	"testing"
)

// On Linux that also holds for a machine that hangs.
func TestKilledParentOfHungMachine(t *testing.T) {
	p, port, pid := parent(t)
	gone := watch(t, port)
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if err := p.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	wantGone(t, gone)
}

// Ctrl-C in a terminal goes to the tool's process group, in which machines are
// not.
func TestProcessGroup(t *testing.T) {
	s, err := started(t, "fine", 0)
	if err != nil {
		t.Fatal(err)
	}
	if group, err := syscall.Getpgid(s.pid()); err != nil || group != s.pid() {
		t.Errorf("process %d is in group %d, %v", s.pid(), group, err)
	}
}
