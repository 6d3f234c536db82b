//go:build unix

package sharedtest

import (
	"syscall"
	"testing"
	"time"
)

// ProcessorTime is how long processors have worked for this process.
func ProcessorTime(t testing.TB) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// Cost runs a benchmark of a name that reports the time of the processor, with the collection of garbage.
func Cost(b *testing.B, name string, do func(n int)) {
	b.Helper()
	b.Run(name, func(b *testing.B) {
		b.ReportAllocs()
		start, n := ProcessorTime(b), 0
		for b.Loop() {
			do(n)
			n++
		}
		b.ReportMetric((ProcessorTime(b)-start).Seconds()/float64(n)*1e6, "cpu-us/op")
	})
}
