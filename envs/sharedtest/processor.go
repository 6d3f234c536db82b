//go:build unix

package sharedtest

import (
	"syscall"
	"testing"
)

// ProcessorTime is what this process has used, in seconds.
func ProcessorTime(t testing.TB) float64 {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return float64(used.Utime.Nano()+used.Stime.Nano()) / 1e9
}

// Cost runs a benchmark of a name that reports the time of the processor, with the
// collection of garbage.
func Cost(b *testing.B, name string, do func(n int)) {
	b.Helper()
	b.Run(name, func(b *testing.B) {
		b.ReportAllocs()
		before, n := ProcessorTime(b), 0
		for b.Loop() {
			do(n)
			n++
		}
		b.ReportMetric((ProcessorTime(b)-before)/float64(n)*1e6, "cpu-us/op")
	})
}
