package main

import (
	"runtime"
	"runtime/debug"
)

// frugal has the garbage collector let garbage grow by half of the memory in use, and
// not by as much again, until restore is called. Reading records of a million episodes
// takes some 500 MB. It costs a few percent more of the processor's time. What a run
// leaves behind is collected first.
func frugal() (restore func()) {
	const percent = 50
	before := debug.SetGCPercent(percent)
	if before >= 0 && before < percent { // GOGC asks for less
		debug.SetGCPercent(before)
	}
	runtime.GC()
	return func() { debug.SetGCPercent(before) }
}
