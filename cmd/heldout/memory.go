package main

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"

	"heldout/eval/serve"
)

// memorySize is an amount of memory, in units of 1,000,000 bytes; 0 for none.
type memorySize int64

// leastMemory is what a server needs before its first episode, with room for some.
const leastMemory memorySize = 100

// Set implements pflag.Value.
func (m *memorySize) Set(text string) error {
	number, unit := strings.ToUpper(strings.TrimSpace(text)), int64(1)
	if rest, ok := strings.CutSuffix(number, "GB"); ok {
		number, unit = rest, 1000
	} else if number, ok = strings.CutSuffix(number, "MB"); !ok {
		return errors.New("want a number with MB or GB, such as 4GB")
	}
	value, err := strconv.ParseInt(strings.TrimSpace(number), 10, 32)
	if *m = memorySize(value * unit); err != nil || *m < leastMemory {
		return fmt.Errorf("want at least %dMB", leastMemory)
	}
	return nil
}

// String implements pflag.Value.
func (m *memorySize) String() string {
	if *m == 0 {
		return ""
	}
	return fmt.Sprintf("%dMB", *m)
}

// Type implements pflag.Value.
func (*memorySize) Type() string { return "size" }

// limit has the process keep to that much memory, and says how a server does so.
func (m memorySize) limit() serve.Memory {
	if m == 0 {
		return serve.Memory{}
	}
	limit := int64(m) * 1_000_000
	debug.SetMemoryLimit(limit)
	return serve.Memory{Limit: limit, Read: memoryInUse, Collect: runtime.GC}
}

// memoryInUse is the memory of live objects at the last garbage collection and of stacks,
// and the number of collections.
func memoryInUse() (bytes int64, collections uint64) {
	samples := [...]metrics.Sample{
		{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"},
		{Name: "/gc/cycles/total:gc-cycles"},
	}
	metrics.Read(samples[:])
	return int64(samples[0].Value.Uint64() + samples[1].Value.Uint64()), samples[2].Value.Uint64()
}
