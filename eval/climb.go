package eval

import (
	"fmt"
	"sync"
	"time"

	"heldout/eval/agent"
	"heldout/scoring/table"
)

// MostInFlight is the largest concurrency that a run finds by itself.
const MostInFlight = 1024

// firstInFlight is where it begins.
const firstInFlight = 8

// climb finds the number of episodes in flight at which the rate of model calls no longer grows. It doubles the
// number while the rate grows by a sixth or more, and stays at the last number that helped. From time to time it
// tries a quarter more, because servers join and prompts become longer. Where more than one call in twenty was sent
// again, as servers ask that are too busy, it takes a quarter off. It climbs on the rate rather than on latency,
// because the latency of a call grows with its prompt over an episode, and a server that fills its batch answers
// each call later and all of them sooner.
type climb struct {
	// set is told the new number.
	set func(limit int)
	// inFlight is the number of episodes in flight, which falls slowly: only new episodes respect a smaller limit.
	inFlight func() int
	// tell receives a line about every number that is settled on.
	tell func(line string)
	now  func() time.Time

	mu sync.Mutex
	// limit is the number in force, good the last one that helped, and rate the
	// calls per second with that. limit is greater than good while it is tried.
	limit, good int
	rate        float64
	// settled: the number has stopped doubling from window to window. windows counts those since then.
	settled bool
	windows int
	// falling: there are more episodes in flight than the limit. What is measured then
	// says nothing about the limit.
	falling bool
	// reported is the last number that was told, 0 for none; another one is told if it is
	// half or twice as large, because numbers swing along refusals.
	reported int

	// The window of calls that is being measured. The first skip calls after a change
	// began before it and do not count. resent counts requests that were sent again.
	skip, calls, resent int
	began               time.Time
}

// A window is at least this many calls, twice the number in flight, and this time.
const (
	windowCalls = 32
	windowTime  = time.Second
	// probeEvery is the number of windows between two tries of a larger number.
	probeEvery = 8
)

func newClimb(set func(int), inFlight func() int, tell func(string), now func() time.Time) *climb {
	c := &climb{set: set, inFlight: inFlight, tell: tell, now: now, good: firstInFlight}
	c.begin(firstInFlight)
	return c
}

// begin puts a number in force and begins a window. The caller holds the lock, or is alone.
func (c *climb) begin(limit int) {
	limit = min(limit, MostInFlight)
	c.falling = limit < c.limit
	c.limit = limit
	c.skip, c.calls, c.resent = c.limit, 0, 0
	c.set(c.limit)
}

func (c *climb) step(u agent.Usage) {
	if u.Calls == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.falling {
		c.falling = c.inFlight() > c.limit
		return
	}
	if c.skip > 0 {
		c.skip -= u.Calls
		c.began = c.now()
		return
	}
	c.calls += u.Calls
	c.resent += u.Requests - u.Calls
	elapsed := c.now().Sub(c.began)
	if c.calls < max(windowCalls, 2*c.limit) || elapsed < windowTime {
		return
	}
	rate, busy := float64(c.calls)/elapsed.Seconds(), c.resent*20 > c.calls
	c.calls, c.resent, c.began = 0, 0, c.now()
	c.decide(rate, busy)
}

// decide ends a window. The caller holds the lock.
func (c *climb) decide(rate float64, busy bool) {
	growth := 7.0 / 6
	if c.limit < 2*c.good {
		growth = 1.1
	}
	switch {
	case busy:
		c.settle(max(1, c.limit*3/4), rate)
	case c.limit > c.good && rate < growth*c.rate:
		c.settle(c.good, c.rate)
	case c.limit > c.good || !c.settled:
		c.good, c.rate = c.limit, rate
		if c.limit == MostInFlight {
			c.settle(c.limit, rate)
			return
		}
		c.begin(2 * c.limit)
	default:
		c.rate = rate
		if c.windows++; c.windows%probeEvery == 0 && c.limit < MostInFlight {
			c.begin(c.limit + max(1, c.limit/4))
		}
	}
}

// settle stays with a number until the next try of a larger one.
func (c *climb) settle(limit int, rate float64) {
	if c.reported == 0 || limit >= 2*c.reported || 2*limit <= c.reported {
		c.reported = limit
		c.tell(fmt.Sprintf("concurrency: %s in flight, with %.3g model calls per second",
			table.Counted(limit, "episode"), rate))
	}
	c.good, c.rate, c.settled, c.windows = limit, rate, true, 0
	c.begin(limit)
}
