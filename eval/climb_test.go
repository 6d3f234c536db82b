package eval

import (
	"math/rand/v2"
	"testing"
	"time"

	"heldout/envs/sharedtest"
	"heldout/eval/agent"
	"heldout/scoring/record"
)

// simulated is a server that computes so many calls side by side, each in a second, under a climb.
type simulated struct {
	slots float64
	limit int
	now   time.Time
	told  []string
}

func (s *simulated) climb() *climb {
	return newClimb(func(n int) { s.limit = n }, func() int { return s.limit }, func(line string) {
		s.told = append(s.told, line)
	}, func() time.Time { return s.now })
}

// answer lets n calls end, a share of them sent twice.
func (s *simulated) answer(c *climb, n int, twice float64) {
	owed := 0.0
	for range n {
		rate := min(float64(s.limit), s.slots)
		s.now = s.now.Add(time.Duration(float64(time.Second) / rate))
		u := agent.Usage{Usage: record.Usage{Calls: 1}, Requests: 1}
		if owed += twice; owed >= 1 {
			owed--
			u.Requests++
		}
		c.step(u)
	}
}

// The number is found for slow and fast servers, and it stays there.
func TestClimbFindsTheSlots(t *testing.T) {
	for _, slots := range []float64{1, 3, 8, 20, 64, 200, 1000, 5000} {
		s := &simulated{slots: slots}
		c := s.climb()
		s.answer(c, 200_000, 0)
		least, most := min(0.8*slots, MostInFlight), max(2.1*slots, firstInFlight)
		if got := float64(c.good); got < least || got > most {
			t.Errorf("%v slots: %v episodes in flight, want %v to %v; %q", slots, got, least, most, s.told)
		}
		sharedtest.Equal(t, len(s.told), 1, slots, s.told, "slots: told")
	}
}

// More slots, as when servers join, are found by and by.
func TestClimbFollowsGrowth(t *testing.T) {
	s := &simulated{slots: 16}
	c := s.climb()
	s.answer(c, 10_000, 0)
	s.slots = 256
	s.answer(c, 400_000, 0)
	if c.good < 200 {
		t.Errorf("%d episodes in flight", c.good)
	}
}

// Servers that refuse calls because they are too busy get fewer.
func TestClimbGivesWay(t *testing.T) {
	s := &simulated{slots: 64}
	c := s.climb()
	s.answer(c, 10_000, 0)
	before := c.good
	s.answer(c, 3_000, 0.2)
	if c.good >= before/2 {
		t.Errorf("%d episodes in flight after %d", c.good, before)
	}
	s.answer(c, 100_000, 1)
	sharedtest.Equal(t, c.good, 1, "episodes in flight")
}

// A server that refuses the calls that it has no slot for is used fully: episodes in flight end slowly after the
// limit has fallen, and what they are refused meanwhile does not count again.
func TestClimbAlongRefusals(t *testing.T) {
	const slots, steps = 16, 30
	s := &simulated{slots: slots}
	flying := 0
	c := newClimb(func(n int) { s.limit = n }, func() int { return flying }, func(line string) {
		s.told = append(s.told, line)
	}, func() time.Time { return s.now })
	least, most, owed := slots, 0, 0.0
	for call := range 100_000 {
		if flying < s.limit {
			flying = s.limit
		} else if flying > s.limit && call%(steps/2) == 0 { // an episode ends
			flying--
		}
		s.now = s.now.Add(time.Duration(float64(time.Second) / min(float64(flying), slots)))
		u := agent.Usage{Usage: record.Usage{Calls: 1}, Requests: 1}
		if owed += max(0, float64(flying)/slots-1); owed >= 1 {
			owed--
			u.Requests++
		}
		c.step(u)
		if call > 10_000 {
			least, most = min(least, s.limit), max(most, s.limit)
		}
	}
	if least < slots/2 || most > 3*slots {
		t.Errorf("%d to %d episodes in flight", least, most)
	}
	if len(s.told) > 20 {
		t.Errorf("told %d times", len(s.told))
	}
}

// On servers of several kinds it ends near the knee: nearly the best rate, at not much more
// than the latency that this rate needs.
func TestClimbEndsAtTheKnee(t *testing.T) {
	type of func(n float64, at time.Duration, r *rand.Rand) (seconds float64)
	flat := func(n, slots float64) float64 { return max(1, n/slots) }
	for name, tt := range map[string]struct {
		latency of
		// least is the least share of the best rate, most the largest number in flight.
		least float64
		most  int
	}{
		"flat, then linear": {func(n float64, _ time.Duration, _ *rand.Rand) float64 {
			return flat(n, 48)
		}, 0.94, 64},
		"always linear": {func(n float64, _ time.Duration, _ *rand.Rand) float64 { return n / 8 }, 0.94, 8},
		"two knees": {func(n float64, _ time.Duration, _ *rand.Rand) float64 {
			return max(1, 1+max(0, n-32)/64, n/51.2) // the rate grows slowly from 32 to 128
		}, 0.85, 128},
		"noisy": {func(n float64, _ time.Duration, r *rand.Rand) float64 {
			return flat(n, 48) * (0.5 + r.Float64())
		}, 0.85, 64},
		"a slow start": {func(n float64, at time.Duration, _ *rand.Rand) float64 {
			if at < time.Minute {
				return 5 * flat(n, 48)
			}
			return flat(n, 48)
		}, 0.94, 64},
	} {
		r := rand.New(rand.NewPCG(3, 4))
		start := time.Unix(0, 0)
		s := &simulated{now: start}
		c := newClimb(func(n int) { s.limit = n }, func() int { return s.limit }, func(string) {},
			func() time.Time { return s.now })
		for range 200_000 {
			n := float64(s.limit)
			s.now = s.now.Add(time.Duration(float64(time.Second) * tt.latency(n, s.now.Sub(start), r) / n))
			c.step(agent.Usage{Usage: record.Usage{Calls: 1}, Requests: 1})
		}
		late := time.Hour
		mean := func(n int) float64 {
			sum := 0.0
			for range 1000 {
				sum += tt.latency(float64(n), late, r) / 1000
			}
			return sum
		}
		best := 0.0
		for n := 1; n <= MostInFlight; n++ {
			best = max(best, float64(n)/mean(n))
		}
		rate := float64(c.good) / mean(c.good)
		t.Logf("%s: %d in flight, %.1f calls per second of %.1f, latency %.2f s", name, c.good, rate, best, mean(c.good))
		if rate < tt.least*best || c.good > tt.most {
			t.Errorf("%s: %d in flight, %.1f calls per second of %.1f", name, c.good, rate, best)
		}
	}
}
