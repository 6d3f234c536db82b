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
// time. Here an episode moves if it ends clearly earlier elsewhere. TestTail simulates it.

// AllBegun says whether all episodes have begun, so that no other one takes the
// place of one that ends.
func (f *Fleet) AllBegun(yes bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.allBegun = yes
}

const (
	// clearly is how much earlier an episode must end on another server.
	clearly = 1.25
	// coldCalls is the cost of a prompt whose prefix is not cached, in calls.
	coldCalls = 1
)

// orBetter returns the server on which an episode that is at home on s ends first with its calls that are left, if
// that is clearly earlier than on s.
func (s *server) orBetter(present []*server, calls int) *server {
	if s.latency == 0 { // nothing is known yet
		return s
	}
	first, firstEnd := s, s.lasts(calls)/clearly
	for _, other := range present {
		if end := other.lasts(calls + coldCalls); other != s && other.latency > 0 && end < firstEnd {
			first, firstEnd = other, end
		}
	}
	return first
}

// lasts estimates the seconds that an episode takes for calls on a server. A call
// takes longer in proportion where there are more calls in flight than there were.
func (s *server) lasts(calls int) float64 {
	return float64(calls) * s.latency * max(1, float64(s.calls+1)/s.busy)
}

func (s *server) learn(took time.Duration) {
	const calls = 16 // the means reach back about so far
	if s.latency == 0 {
		s.latency, s.busy = took.Seconds(), float64(s.calls)
	}
	s.latency += (took.Seconds() - s.latency) / calls
	s.busy += (float64(s.calls) - s.busy) / calls
}
