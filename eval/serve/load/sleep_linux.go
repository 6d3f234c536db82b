package load

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// sleeper sleeps to some microseconds. Timers of the Go runtime ring up to a millisecond
// late while the process waits, and then all that are due ring together.
type sleeper struct {
	descriptor int
	timer      *os.File
}

func newSleeper() (*sleeper, error) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("timerfd_create", err)
	}
	return &sleeper{fd, os.NewFile(uintptr(fd), "timer")}, nil
}

func (s *sleeper) sleep(d time.Duration) error {
	once := unix.ItimerSpec{Value: unix.NsecToTimespec(d.Nanoseconds())}
	if err := unix.TimerfdSettime(s.descriptor, 0, &once, nil); err != nil {
		return os.NewSyscallError("timerfd_settime", err)
	}
	var rings [8]byte
	_, err := s.timer.Read(rings[:])
	return err
}

func (s *sleeper) close() { _ = s.timer.Close() }
