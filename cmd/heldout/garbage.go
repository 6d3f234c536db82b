package main

import (
	"math"
	"runtime"
	"runtime/debug"
)

// saveMemory has garbage collected once memory has grown by a fifth, not by as much again,
// but not before it has grown by 12 MiB: in a small run a third of the time would go into
// collections. With 1,024 episodes in flight the largest part of memory is stacks, prompts and
// 35 to 46 MiB of pages of the program. The budget holds six environments played at random, with 64
// in flight, under 400 MB. A GOGC that the user sets stays in force.
func (s *system) saveMemory() {
	s.collect(garbage{percent: 20, minimum: 12 << 20, limit: 400, budget: 280 << 20})
}

// spareRequests has garbage collected as seldom as it is where GOGC is 100, but not before
// memory has grown by 64 MiB: during a collection, some requests wait for
// milliseconds.
func (s *system) spareRequests() { s.collect(garbage{percent: 100, minimum: 64 << 20, limit: 1600}) }

func (s *system) collect(g garbage) {
	if s.collectAt != nil && s.getenv("GOGC") == "" {
		c := &collector{garbage: g, set: s.collectAt, live: func() int64 { bytes, _ := memoryInUse(); return bytes }}
		c.adapt()
	}
}

// garbage says when it is collected: once memory has grown by some percent, but not before it
// has grown by least bytes.
type garbage struct {
	percent int
	minimum int64
	// limit bounds how far memory grows, in percent, if most of it is new and in use, until the
	// next collection shows that.
	limit int
	// budget is what memory does not pass, in bytes, while six sevenths of it suffice for what is in
	// use; 0 for none. The nearer memory comes, the more often garbage is collected.
	budget int64
}

// threshold is when the runtime collects garbage: once memory in use has grown by some percent, or
// when all memory would pass a limit in bytes.
type threshold struct {
	percent int
	limit   int64
}

func (t threshold) apply() {
	debug.SetGCPercent(t.percent)
	debug.SetMemoryLimit(t.limit)
}

// threshold is what suits the memory in use, in bytes.
func (g garbage) threshold(live int64) threshold {
	t := threshold{g.growth(live), math.MaxInt64}
	if g.budget > 0 {
		t.limit = max(g.budget, live+live/6)
	}
	return t
}

// growth is by how many percent memory in use, in bytes, grows until garbage is collected.
func (g garbage) growth(live int64) int {
	return int(min(max(int64(g.percent), 100*g.minimum/max(live, 1)), int64(g.limit)))
}

// collector sets after each collection how far memory grows until the next one.
type collector struct {
	garbage
	set  func(threshold)
	live func() int64 // memory in use at the last collection, in bytes
	now  threshold    // that was set
}

func (c *collector) adapt() {
	// Setting it stops the world for a moment, and small differences do not matter.
	if t := c.threshold(c.live()); differs(t.percent, c.now.percent) || differs(t.limit/11, c.now.limit/11) {
		c.set(t)
		c.now = t
	}
	// The next collection finds that nothing refers to this. It is too large to share its
	// memory with others, which would keep it.
	runtime.AddCleanup(new([64]byte), (*collector).adapt, c)
}

// differs reports whether two numbers are more than a tenth apart.
func differs[T int | int64](a, b T) bool { return a*10 > b*11 || a*11 < b*10 }
