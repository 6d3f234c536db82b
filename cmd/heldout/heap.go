package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

const (
	// heapRoom is by how much the heap may grow between two collections, in bytes.
	heapRoom = 24 << 20
	// leastGrowth is the least growth in percent of what is in use, so that a large
	// heap is not collected all the time.
	leastGrowth = 33
)

var pacing sync.Once

// paceHeap has the garbage collector leave the same room to a heap of any size from
// now on. By default the room is as large as what is in use: too small with few
// episodes in flight, which costs processor time, and too large with many, which
// costs memory. A GOGC that the user sets stays in force.
func paceHeap(sys *system) {
	if sys.getenv("GOGC") == "" {
		pacing.Do(paceCollection)
	}
}

// paceCollection sets the room before the next collection. That collection cleans
// up a value that nothing refers to, and thus calls paceCollection again.
func paceCollection() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}} // after the last collection
	metrics.Read(live)
	debug.SetGCPercent(max(leastGrowth, 100*heapRoom/max(1, int(live[0].Value.Uint64()))))
	runtime.AddCleanup(new([64]byte), func(struct{}) { paceCollection() }, struct{}{})
}
