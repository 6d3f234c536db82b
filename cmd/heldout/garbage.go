package main

import "runtime"

// saveMemory has garbage collected once memory has grown by a fifth, not by as much again,
// but not before it has grown by 12 MiB: in a small run a third of the time would go into
// collections. With 1,024 episodes in flight the largest part of memory is stacks, prompts and
// 35 to 46 MiB of pages of the program. A GOGC that the user sets stays in force.
func (s *system) saveMemory() { s.collect(garbage{percent: 20, minimum: 12 << 20, limit: 400}) }

// spareRequests has garbage collected as seldom as it is where GOGC is 100, but not before
// memory has grown by 64 MiB: while a collection goes on, some requests wait for
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
}

// growth is by how many percent memory in use, in bytes, grows until garbage is collected.
func (g garbage) growth(live int64) int {
	return int(min(max(int64(g.percent), 100*g.minimum/max(live, 1)), int64(g.limit)))
}

// collector sets after each collection how far memory grows until the next one.
type collector struct {
	garbage
	set  func(percent int) int
	live func() int64 // memory in use at the last collection, in bytes
	now  int          // the percentage that was set
}

func (c *collector) adapt() {
	// Setting it stops the world for a moment, and small differences do not matter.
	if p := c.growth(c.live()); p*10 > c.now*11 || p*11 < c.now*10 {
		c.set(p)
		c.now = p
	}
	// The next collection finds that nothing refers to this. It is too large to share its
	// memory with others, which would keep it.
	runtime.AddCleanup(new([64]byte), (*collector).adapt, c)
}
