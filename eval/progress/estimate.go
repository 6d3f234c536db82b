package progress

import (
	"math"
	"slices"
	"time"

	"heldout/eval/episode"
	"heldout/eval/lengths"
	"heldout/scoring/record"
)

// forecast is what lengths say of the steps that are left.
type forecast struct {
	survival []float64 // the share of episodes that go on after so many steps
	tail     []float64 // the sum of survival from there on
	// longest is expected of the episode in flight that takes longest.
	longest float64
	// drain is how much longer than the mean the longest is expected to take, from when the last episode begins.
	drain float64
}

// forecastOf estimates what episodes in flight still take, when so many are in flight at the end.
func forecastOf(l *lengths.Lengths, last int) forecast {
	survival := l.Survival()
	f := forecast{survival: survival, tail: make([]float64, l.Limit+2)}
	for steps := l.Limit; steps >= 0; steps-- {
		f.tail[steps] = f.tail[steps+1] + survival[steps]
	}
	ages := make([]int, l.Limit+1)
	for _, steps := range l.Running {
		age := min(steps, l.Limit)
		ages[age]++
	}
	for ahead := range l.Limit {
		none := 1.0 // the probability that none in flight takes longer
		for age, n := range ages[:l.Limit-ahead] {
			if n > 0 && survival[age] > 0 {
				none *= math.Pow(1-survival[age+ahead]/survival[age], float64(n))
			}
		}
		f.longest += 1 - none
		if f.tail[0] > 0 { // what is left of an episode at any moment of it
			longer := f.tail[ahead] / f.tail[0]
			f.drain += 1 - math.Pow(1-longer, float64(last)) - longer
		}
	}
	return f
}

// remaining is how many steps an episode still takes after so many.
func (f forecast) remaining(steps int) float64 {
	if age := min(steps, len(f.survival)-1); f.survival[age] > 0 {
		return f.tail[age] / f.survival[age]
	}
	return 0
}

// durations are the sums of the first, the first two, …, in seconds.
type durations []float64

func (d *durations) add(took time.Duration) {
	sum := took.Seconds()
	if n := len(*d); n > 0 {
		sum += (*d)[n-1]
	}
	*d = append(*d, sum)
}

// recent is the mean of the later half, in seconds; 0 if there are none. The
// first ones take longer because servers, games and caches warm up.
func (d durations) recent() float64 {
	n := len(d)
	switch half := n / 2; {
	case n == 0:
		return 0
	case half == 0:
		return d[n-1]
	default:
		return (d[n-1] - d[half-1]) / float64(n-half)
	}
}

// stepTimes measure how long steps take by Little's law: the time that the episodes in flight spent during the
// latest minute, by the steps that ended in it. Steps under way count, so that it is soon known when steps become
// longer, as where more episodes share a processor.
type stepTimes struct {
	begin   time.Time
	spent   float64 // seconds in steps that ended
	calling float64 // of these, those in which a model was asked
	// underWay counts the steps under way, since adds up when they began, in seconds after begin.
	underWay int
	since    float64
	counts   []stepCount // of the latest steps that ended, the oldest first
}

// stepCount is what was known when a step ended.
type stepCount struct {
	time           time.Time
	spent, calling float64 // spent has the time of steps under way, too
	ended          int
}

// The latest steps ended within this time; they are so many at least, and never more than the later half.
const (
	latest      = time.Minute
	fewestSteps = 64
)

func (s *stepTimes) elapsed(t time.Time) float64 { return t.Sub(s.begin).Seconds() }

func (s *stepTimes) total(now time.Time) float64 {
	return s.spent + float64(s.underWay)*s.elapsed(now) - s.since
}

func (s *stepTimes) start(now time.Time) {
	if s.begin.IsZero() {
		s.begin, s.counts = now, []stepCount{{time: now}}
	}
	s.underWay++
	s.since += s.elapsed(now)
}

func (s *stepTimes) stop(began time.Time) {
	s.underWay--
	s.since -= s.elapsed(began)
}

// end notes that a step that began then has ended, in which a model was asked for so long.
func (s *stepTimes) end(began, now time.Time, calling time.Duration) {
	s.stop(began)
	s.spent += now.Sub(began).Seconds()
	s.calling += calling.Seconds()
	ended := s.ended() + 1
	s.counts = append(s.counts, stepCount{now, s.total(now), s.calling, ended})
	for len(s.counts) > 2 && (s.counts[1].ended <= ended/2 ||
		len(s.counts) > fewestSteps && now.Sub(s.counts[1].time) > latest) {
		s.counts = s.counts[1:]
	}
}

func (s *stepTimes) ended() int { return s.counts[len(s.counts)-1].ended }

// mean is how long one of the latest steps took, in seconds; false if none has ended.
func (s *stepTimes) mean(now time.Time) (float64, bool) {
	if len(s.counts) < 2 {
		return 0, false
	}
	return max(0, s.total(now)-s.counts[0].spent) / float64(s.ended()-s.counts[0].ended), true
}

// pace is what is known of one kind of episodes: of one environment, player and perturbation.
type pace struct {
	*lengths.Lengths
	planned, done int
	// finished counts the episodes that had a result when the run began, failed those done
	// without one. Replies are the replies of the episodes that are done.
	finished, failed    int
	replies, unreadable int
	tasks               map[string]*sums // of first trials
	// firsts are how long episodes took to their first step, steps how long each
	// further step took, and ends what was left after the last.
	firsts, ends durations
	steps        stepTimes
	asks         bool             // a model was asked
	begun        map[string]*life // of episodes in flight
	lives        []*life          // of all episodes, in the order in which they began
}

// life is how long an episode took.
type life struct {
	id    string
	began time.Time
	heard time.Time // when it was last heard of
	took  float64   // in seconds; 0 while it is in flight
	own   *ownSteps // nil before its second step
}

// ownSteps is how long the latest steps of an episode took, in seconds: as they were, and if no other episode had
// shared its processor.
type ownSteps struct{ took, alone float64 }

// sums are the sums over the results of a task.
type sums struct{ results, successes float64 }

// rate adds a result.
func (p *pace) rate(e *episode.Episode, success bool) {
	if e.Trial > 1 {
		return
	}
	s := p.tasks[e.Task.ID]
	if s == nil {
		s = &sums{}
		p.tasks[e.Task.ID] = s
	}
	s.results++
	if success {
		s.successes++
	}
}

// success is the mean over tasks of their means, as a scoring.Rate is; NaN without a result.
func (p *pace) success() (rate float64) {
	for _, task := range p.tasks {
		rate += task.successes / task.results
	}
	return rate / float64(len(p.tasks))
}

func (p *pace) begin(id string, now time.Time) {
	episode := &life{id: id, began: now, heard: now}
	p.Running[id], p.begun[id] = 0, episode
	p.lives = append(p.lives, episode)
}

// step notes the end of a step. Sharing is the number of episodes per processor during the step.
func (p *pace) step(id string, now time.Time, calling time.Duration, sharing float64) {
	p.asks = p.asks || calling > 0
	episode := p.begun[id]
	if p.Running[id] == 0 {
		p.firsts.add(now.Sub(episode.heard))
	} else {
		p.steps.end(episode.heard, now, calling)
		took := now.Sub(episode.heard).Seconds()
		if episode.own == nil {
			episode.own = &ownSteps{took, took / sharing}
		}
		episode.own.took += latestShare * (took - episode.own.took)
		episode.own.alone += latestShare * (took/sharing - episode.own.alone)
	}
	p.Running[id]++
	episode.heard = now
	p.steps.start(now)
}

// again notes a step that was made before, and took no time now.
func (p *pace) restart(id string, now time.Time) {
	if p.Running[id] > 0 {
		p.steps.stop(p.begun[id].heard)
	}
	p.Running[id]++
	p.begun[id].heard = now
	p.steps.start(now)
}

// note notes the end of an episode.
func (p *pace) note(e *episode.Episode, r record.Result, now time.Time) {
	took := &p.ends
	if p.Running[r.ID] == 0 {
		took = &p.firsts // it has failed without a step
	}
	current := p.begun[r.ID]
	took.add(now.Sub(current.heard))
	current.took = max(1e-9, now.Sub(current.began).Seconds())
	p.leave(r.ID)
	p.End(r.ID, r.Steps)
	p.done++
	p.replies += r.Steps
	p.unreadable += r.FormatErrors
	if r.Outcome.Final() {
		p.rate(e, r.Success)
	} else {
		p.failed++
	}
}

// cancel forgets an episode in flight.
func (p *pace) cancel(id string) {
	p.lives = slices.DeleteFunc(p.lives, func(episode *life) bool { return episode.id == id })
	p.leave(id)
}

func (p *pace) leave(id string) {
	if p.Running[id] > 0 {
		p.steps.stop(p.begun[id].heard)
	}
	delete(p.Running, id)
	delete(p.begun, id)
}

func (p *pace) waiting() int { return max(0, p.planned-p.done-len(p.Running)) }

// measured reports whether there is any data to estimate the time of an episode from.
func (p *pace) measured() bool { return len(p.firsts)+len(p.steps.counts) > 0 }

// latestShare is the share that an episode's latest step has in what its steps take.
const latestShare = 0.2

// remaining is what the episodes in flight still take, in seconds: all of them and the one that takes longest, each by
// its own steps, as a step of one game may cost twenty times as much as one of another. Extra is what an episode takes
// beside its steps, sharing the number of episodes per processor now.
func (p *pace) remaining(f forecast, perStep, extra, sharing float64, now time.Time) (work, longest float64) {
	local := p.local()
	for id, steps := range p.Running {
		episode, own := p.begun[id], perStep
		if episode.own != nil {
			own = (1-local)*episode.own.took + local*sharing*episode.own.alone
		}
		took := own * f.remaining(steps)
		if steps == 0 { // some plan for long before their first step
			elapsed := now.Sub(episode.began).Seconds()
			took += max(extra-elapsed, extra/2, elapsed/2)
		}
		work, longest = work+took, max(longest, took)
	}
	return work, longest
}

// total is how long an episode takes that has not begun, in seconds: the mean of those that have. It takes all of them,
// because those in flight are mostly slow ones, and those that have ended are mostly fast ones. Of steps in which a
// model was asked only the later half counts, as a server may become slower.
func (p *pace) total(f forecast, perStep, extra float64, now time.Time) float64 {
	begun, sum := p.lives, 0.0
	if p.local() < mostlyLocal {
		begun = begun[len(begun)/2:]
	}
	usual := f.remaining(0)*perStep + extra
	for _, episode := range begun {
		elapsed := now.Sub(episode.began).Seconds()
		switch {
		case episode.took > 0:
			sum += episode.took
		case episode.own != nil:
			sum += elapsed + episode.own.took*f.remaining(p.Running[episode.id])
		default:
			sum += max(usual, 1.5*elapsed)
		}
	}
	if len(begun) == 0 {
		return usual
	}
	return sum / float64(len(begun))
}

// local is the share of the latest steps' time in which no model was asked: this machine computed, and all steps
// share its processors.
func (p *pace) local() float64 {
	counts := p.steps.counts
	switch {
	case !p.asks && len(p.firsts) > 0:
		return 1
	case len(counts) < 2:
		return 0
	}
	first, last := counts[0], counts[len(counts)-1]
	if last.spent <= first.spent {
		return 0
	}
	return min(1, max(0, 1-(last.calling-first.calling)/(last.spent-first.spent)))
}

// costs returns the seconds per step and the seconds per episode in addition to its steps.
func (p *pace) costs(now time.Time) (perStep, extra float64) {
	first := p.firsts.recent()
	perStep = first
	if steps, ok := p.steps.mean(now); ok {
		perStep = steps
	}
	return perStep, max(0, first-perStep) + p.ends.recent()
}

// inFlight is how many episodes are in flight.
func inFlight(paces []*pace) (n int) {
	for _, p := range paces {
		n += len(p.begun)
	}
	return n
}

// sharing is the number of episodes in flight per processor, at least 1.
func sharing(paces []*pace, processors int) float64 {
	return max(1, float64(inFlight(paces))/float64(processors))
}

// remaining estimates how long a run still takes. It gives no estimate while any kind of episodes has not made a
// step. The steps and the beginnings of episodes that are left take the time that the recent ones of their kind
// took. They are shared by the episodes in flight, until no episode is waiting; then the run takes as long as the
// longest.
func remaining(paces []*pace, processors int, now time.Time) (rest time.Duration, ok bool) {
	missing := 0
	for _, p := range paces {
		if p.planned > p.done && !p.measured() {
			return 0, false
		}
		missing += p.planned - p.done
	}
	if missing == 0 {
		return 0, false
	}
	together := max(1, inFlight(paces)) // those on their way to the disk, too, and no more than a player plays at once
	waiting := 0
	var work, longest, drain float64 // in seconds
	for _, p := range paces {
		perStep, extra := p.costs(now)
		f := forecastOf(p.Lengths, together)
		begun, slowest := p.remaining(f, perStep, extra, sharing(paces, processors), now)
		work += begun + float64(p.waiting())*p.total(f, perStep, extra, now)
		// Steps that share processors take less time when episodes have ended.
		local := p.local()
		if n := float64(len(p.Running)); n > 0 {
			shared := max(begun/n, slowest*min(1, float64(processors)/n))
			longest = max(longest, (1-local)*max(slowest, perStep*f.longest)+local*shared)
		}
		if p.waiting() > 0 {
			waiting, drain = waiting+p.waiting(), f.drain*perStep*(1-local) // of the last to begin
		}
	}
	seconds := longest
	if waiting > 0 {
		seconds = max(longest, work/float64(together)+drain)
	}
	return time.Duration(seconds * float64(time.Second)), true
}
