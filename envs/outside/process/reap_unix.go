//go:build unix && !linux

package process

// adopt does nothing: only Linux has it.
func adopt() {}

// reap does nothing: the first process reaps.
func reap(int) {}

// strays finds nothing: only Linux shows the variables of processes.
func (*Process) strays() []int { return nil }
