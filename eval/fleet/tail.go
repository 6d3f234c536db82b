package fleet

import "time"

// The end of a run. While episodes wait to begin, every server has enough to do,
// and episodes stay where their prefixes are cached. Then the servers run out of
// work one by one, the fastest first, and the last episodes of a slow server would
// decide how long the run takes: four servers, each half as fast as the one before,
// would do 0.84 of what they can in a run of 600 episodes.
//
// What is then optimal without costs is the level algorithm: at every moment, the
// episodes with the most calls to come are on the fastest servers (Muntz and
// Coffman 1969, for tasks that can be interrupted). It would move episodes all the
// time. The rule here comes close to it with few moves: all episodes have until the
// same deadline, those that would miss it move, and those with time to spare on a
// fast server give way. TestTail simulates it.

// AllBegun says whether all episodes have begun, so that no other one takes the
// place of one that ends.
func (f *Fleet) AllBegun(yes bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.allBegun = yes
}

const (
	// slack is the time until the deadline by the least time in which the servers
	// could make all calls that are left. With less of it, more episodes move to the
	// fast servers than these can serve in time.
	slack = 1.6
	// clearly is how much earlier an episode must end on another server.
	clearly = 1.25
	// slower is how much slower a server is to which an episode gives way.
	slower = 2
	// coldCalls is the cost of a prompt whose prefix is not cached, in calls.
	coldCalls = 1
)

// deadline returns the seconds in which the episodes should end. The caller holds
// the lock.
func (f *Fleet) deadline(present []*server) float64 {
	rate := 0.0
	for _, s := range present {
		rate += s.rate
	}
	if rate == 0 {
		return 0
	}
	return slack * float64(f.remaining) / rate
}

// orBetter returns the server on which an episode that is at home on s makes its
// calls that are left, so that it ends within the seconds until the deadline:
//
//   - s, if the episode ends in time there, and no server does that is much slower;
//   - otherwise the slowest server on which it ends in time;
//   - if there is none, the one on which it ends first, if that is clearly earlier.
func (s *server) orBetter(present []*server, calls int, deadline float64) *server {
	if s.latency == 0 { // nothing is known yet
		return s
	}
	first, firstEnd := s, s.lasts(calls)/clearly
	var slowest *server // of those in time
	for _, other := range present {
		end := other.lasts(calls + coldCalls)
		switch {
		case other == s || other.latency == 0:
			continue
		case end <= deadline && (slowest == nil || other.latency > slowest.latency):
			slowest = other
		}
		if end < firstEnd {
			first, firstEnd = other, end
		}
	}
	inTime := s.lasts(calls) <= deadline
	switch {
	case slowest != nil && (!inTime || slowest.latency > slower*s.latency):
		return slowest
	case inTime:
		return s
	}
	return first
}

// lasts estimates the seconds that an episode takes for calls on a server. A call
// takes longer in proportion where there are more calls in flight than there were.
func (s *server) lasts(calls int) float64 {
	return float64(calls) * s.latency * max(1, float64(s.calls+1)/s.busy)
}

func (s *server) learn(took time.Duration, begins bool) {
	const calls = 16 // the mean reaches back about so far
	if s.latency == 0 {
		s.latency, s.busy = took.Seconds(), float64(s.calls)
	}
	s.latency += (took.Seconds() - s.latency) / calls
	s.busy += (float64(s.calls) - s.busy) / calls
	if begins || s.rate == 0 {
		s.rate = s.busy / s.latency
	}
}
