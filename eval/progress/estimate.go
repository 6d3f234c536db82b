package progress

import (
	"math"
	"time"

	"heldout/scoring/record"
	"heldout/scoring/stats"
)

// lengths estimates how many steps episodes of one kind take, from those that
// have ended and those in flight. The latter must count: the first episodes to
// end are the short ones.
type lengths struct {
	limit   int
	ended   []int          // how many ended after so many steps
	running map[string]int // the steps so far, by id
}

func newLengths(limit int) *lengths {
	return &lengths{limit: limit, ended: make([]int, limit+1), running: map[string]int{}}
}

// end notes that an episode ended.
func (l *lengths) end(id string, steps int) {
	delete(l.running, id)
	l.ended[min(max(steps, 0), l.limit)]++
}

// survival returns the share of episodes that go on after 0, 1, … steps. One more episode counts as observed that ends
// after any
// number of steps up to the limit alike: it stands for all where there are none.
func (l *lengths) survival() []float64 {
	atRisk := make([]int, l.limit+2) // that took at least so many steps
	for steps, n := range l.ended {
		atRisk[steps] += n
	}
	for _, steps := range l.running {
		atRisk[min(steps, l.limit)]++
	}
	for steps := l.limit; steps >= 0; steps-- {
		atRisk[steps] += atRisk[steps+1]
	}
	return stats.ProductLimit(l.limit+1, func(steps int) float64 {
		alike := 1 / float64(l.limit-steps+1) // of that one more to end here
		return (float64(l.ended[steps]) + alike) / float64(atRisk[steps]+1)
	})
}

// forecast is what lengths say of the steps that are left.
type forecast struct {
	work float64 // of all episodes, added up
	// longest is expected of the episode in flight that takes longest.
	longest float64
	// drain is how much longer than the mean the longest is expected to take, from
	// when the last episode begins.
	drain float64
}

// forecast estimates what the episodes in flight and so many that have not begun
// still take, when so many are in flight at the end.
func (l *lengths) forecast(waiting, last int) forecast {
	survival := l.survival()
	after := make([]float64, l.limit+2) // the sum of survival from there on
	for steps := l.limit; steps >= 0; steps-- {
		after[steps] = after[steps+1] + survival[steps]
	}
	f := forecast{work: float64(waiting) * after[0]}
	ages := make([]int, l.limit+1)
	for _, steps := range l.running {
		at := min(steps, l.limit)
		if ages[at]++; survival[at] > 0 {
			f.work += after[at] / survival[at]
		}
	}
	for ahead := range l.limit {
		none := 1.0 // the probability that none in flight takes longer
		for at, n := range ages[:l.limit-ahead] {
			if n > 0 && survival[at] > 0 {
				none *= math.Pow(1-survival[at+ahead]/survival[at], float64(n))
			}
		}
		f.longest += 1 - none
		if after[0] > 0 { // what is left of an episode at any moment of it
			longer := after[ahead] / after[0]
			f.drain += 1 - math.Pow(1-longer, float64(last)) - longer
		}
	}
	return f
}

// durations are the successive durations of one kind of work.
type durations struct {
	sums []float64 // in seconds, of the first, the first two, …
}

func (d *durations) add(took time.Duration) {
	sum := took.Seconds()
	if n := len(d.sums); n > 0 {
		sum += d.sums[n-1]
	}
	d.sums = append(d.sums, sum)
}

// recent is the mean of the later half, in seconds; 0 if there are none. The
// first ones take longer because servers, games and caches warm up.
func (d *durations) recent() float64 {
	n := len(d.sums)
	if n == 0 {
		return 0
	}
	half := n / 2
	if half == 0 {
		return d.sums[n-1]
	}
	return (d.sums[n-1] - d.sums[half-1]) / float64(n-half)
}

// pace is what is known of one kind of episodes: of one environment, player and
// perturbation.
type pace struct {
	*lengths
	planned, done      int
	results, successes int     // of first trials
	progress           float64 // the sum
	// firsts are how long episodes took to their first step, steps how long each
	// further step took, and ends what was left after the last.
	firsts, steps, ends durations
	since               map[string]time.Time // of episodes in flight, the last that was heard of them
	begun               map[string]time.Time // of episodes in flight
}

func newPace(limit int) *pace {
	return &pace{lengths: newLengths(limit), since: map[string]time.Time{}, begun: map[string]time.Time{}}
}

// begin notes an episode that begins.
func (p *pace) begin(id string, now time.Time) {
	p.running[id], p.since[id], p.begun[id] = 0, now, now
}

// step notes a step of an episode.
func (p *pace) step(id string, now time.Time) {
	took := &p.steps
	if p.running[id] == 0 {
		took = &p.firsts
	}
	took.add(now.Sub(p.since[id]))
	p.running[id]++
	p.since[id] = now
}

// note adds a finished attempt.
func (p *pace) note(r record.Result, now time.Time) {
	took := &p.ends
	if p.running[r.ID] == 0 {
		took = &p.firsts // it has failed without a step
	}
	took.add(now.Sub(p.since[r.ID]))
	delete(p.since, r.ID)
	delete(p.begun, r.ID)
	p.end(r.ID, r.Steps)
	p.done++
	if !r.Outcome.Final() || r.Trial > 1 {
		return
	}
	p.results++
	p.progress += r.Progress
	if r.Success {
		p.successes++
	}
}

// waiting is how many episodes have not begun.
func (p *pace) waiting() int { return max(0, p.planned-p.done-len(p.running)) }

// known reports whether there is any data to estimate the time of an episode
// from.
func (p *pace) known() bool { return len(p.firsts.sums) > 0 }

// costs returns the seconds per step and the seconds per episode in addition to
// its steps.
func (p *pace) costs() (perStep, beside float64) {
	first := p.firsts.recent()
	perStep = first
	if len(p.steps.sums) > 0 {
		perStep = p.steps.recent()
	}
	return perStep, max(0, first-perStep) + p.ends.recent()
}

// remaining estimates how long a run still takes. It gives no estimate while any
// kind of episodes has not made a step. The steps and the beginnings of episodes
// that are left take the time that the recent ones of their kind took. They are
// shared by the episodes in flight, until no episode is waiting; then the run
// takes as long as the longest.
func remaining(paces []*pace, concurrency int) (left time.Duration, ok bool) {
	missing := 0
	for _, p := range paces {
		if p.planned > p.done && !p.known() {
			return 0, false
		}
		missing += p.planned - p.done
	}
	if missing == 0 {
		return 0, false
	}
	together := min(concurrency, missing)
	waiting := 0
	var work, longest, drain float64 // in seconds
	for _, p := range paces {
		perStep, beside := p.costs()
		f := p.forecast(p.waiting(), together)
		work += f.work*perStep + float64(p.waiting())*beside
		longest = max(longest, f.longest*perStep)
		if p.waiting() > 0 {
			waiting, drain = waiting+p.waiting(), f.drain*perStep // of the last to begin
		}
	}
	seconds := longest
	if waiting > 0 {
		seconds = max(longest, work/float64(together)+drain)
	}
	return time.Duration(seconds * float64(time.Second)), true
}
