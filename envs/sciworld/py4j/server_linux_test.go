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
