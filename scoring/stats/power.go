package stats

import (
	"math"
	"sort"
)

// Components holds the components of the variance of the difference of two models on the same tasks.
type Components struct {
	// Task is the variance of the difference between tasks, per task. Seed is the
	// variance of decoding, per seed of both models.
	Task, Seed float64
	// Degrees of freedom of the design, which do not depend on the seeds.
	Degrees float64
	N       int // tasks
	// Level is the confidence level of the test.
	Level float64
	// Fixed: the tasks stay, so that only decoding counts, and the test is DecodingDifference's.
	Fixed bool
	// Arms are the rates that the difference is made of; without them the variance is the
	// same for every difference.
	Arms []Arm
}

// Arm is a mean rate of several conditions, such as perturbations, or of one.
type Arm struct {
	Rate       float64
	Conditions int
	// Subtracted: the difference is other arms less this one. Moves: a true difference is one of this arm.
	Subtracted, Moves bool
}

// PlanOf is the plan of a difference by Sampling.Paired over so many seeds, all of whose
// variance counts as variance of tasks.
func PlanOf(d Difference, seeds int) Components {
	n := float64(d.N)
	own := d.Variance*(n+2)*(n+2) - 2*(1/float64(seeds)+d.Mean*d.Mean)
	return Components{Task: max(0, own/n), Degrees: d.Degrees, N: d.N}
}

// wantedPower is the probability with which a test must detect a planned difference.
const wantedPower = 0.8

// What data that show little are completed with: tasks whose variance of single trials adds up to priorTrials in
// each arm, and of which the difference of two models has the share priorShare, a third of it between tasks. That
// is about what models show whose tasks spread by 1.5 logits; simulations chose the amount (COVERAGE.md).
const (
	priorTrials  = 0.25
	priorShare   = 0.7
	betweenTasks = 1.0 / 3
	leastBetween = 0.2
)

// shifted is the plan with rates that have a true difference, and between which there is
// none in the data. sign is its direction.
type shifted struct {
	Components
	task, seed float64 // of a trial's variance
	rates      []float64
	sign       float64
}

func trialVariance(rate float64) float64 { return rate * (1 - rate) }

// weight is the square of the weight that a condition of the arm has, summed over all.
func (a Arm) weight() float64 { return 1 / float64(a.Conditions) }

// shift prepares a plan for a direction.
func (p Components) shift(sign float64) shifted {
	s := shifted{Components: p, task: p.Task, seed: p.Seed, sign: sign}
	if p.Arms == nil {
		return s
	}
	n := float64(p.N)
	own, prior, difference := 0.0, 0.0, 0.0
	for _, a := range p.Arms {
		own += n * a.weight() * trialVariance(a.Rate)
		prior += a.weight() * priorTrials
		difference += a.direction() * a.Rate
	}
	s.task = (n*p.Task + prior*priorShare*betweenTasks) / (own + prior)
	s.seed = (n*p.Seed + prior*priorShare*(1-betweenTasks)) / (own + prior)
	if p.Fixed {
		s.task = 0
	}
	for _, a := range p.Arms {
		level := a.Rate - a.direction()*difference/float64(len(p.Arms))
		s.rates = append(s.rates, (n*min(1, max(0, level))+1)/(n+2))
	}
	return s
}

func (a Arm) direction() float64 {
	if a.Subtracted {
		return -1
	}
	return 1
}

// limit is the largest difference in the direction: rates stay between 0 and 1.
func (s shifted) limit() float64 {
	limit := 1.0
	for i, a := range s.Arms {
		if room := 1 - s.rates[i]; a.Moves && s.sign > 0 {
			limit = min(limit, room)
		} else if a.Moves {
			limit = min(limit, s.rates[i])
		}
	}
	return limit
}

// spread is the variance of a task's difference. Rates in the middle spread more than those
// near 0 and 1, so it depends on the difference. The least is the variance of a difference of single
// trials all in one direction, leastBetween of it between tasks: models that agree by chance show less.
func (s shifted) spread(difference, seeds float64) float64 {
	share, scale, trials := leastBetween, 0.0, seeds
	if s.Fixed {
		share = 0
	}
	for i, a := range s.Arms {
		rate := s.rates[i]
		if a.Moves {
			rate, trials = min(1, max(0, rate+s.sign*difference)), seeds*float64(a.Conditions)
		}
		scale += a.weight() * trialVariance(rate)
	}
	if s.Arms == nil {
		scale = 1
	}
	return max(scale*(s.task+s.seed/seeds), trialVariance(difference)*(share+(1-share)/trials))
}

// variance is the variance of the centre that the test has for a difference, and own the part
// of it that varies from one run to another.
func (s shifted) variance(difference, seeds float64) (tested, own float64) {
	n, spread := float64(s.N), s.spread(difference, seeds)
	if s.Fixed {
		return spread/n + 2/(seeds*seeds*n*n), spread / n
	}
	return (n*spread + 2*(1/seeds+difference*difference)) / ((n + 2) * (n + 2)), n * spread / ((n + 2) * (n + 2))
}

// shrunk is the part of a difference that the centre of the test keeps.
func (p Components) shrunk() float64 {
	if p.Fixed {
		return 1
	}
	return float64(p.N) / float64(p.N+2)
}

// together are plans on independent sets of tasks in one direction, with their weights, as
// CombineDifferences tests them.
type together struct {
	plans  []shifted
	shares []float64
	seeds  float64
}

func combined(plans []Components, weights []float64, seeds, sign float64) together {
	total := 0.0
	for _, w := range weights {
		total += w
	}
	t := together{seeds: seeds}
	for i, p := range plans {
		t.plans, t.shares = append(t.plans, p.shift(sign)), append(t.shares, weights[i]/total)
	}
	return t
}

// tested are the centre of the test at a difference, its variance with the degrees of freedom, and
// the part of the variance that varies.
func (t together) tested(difference float64) (centre, tested, own, degrees float64) {
	fourth := 0.0
	for i, p := range t.plans {
		v, o := p.variance(difference, t.seeds)
		share := t.shares[i] * t.shares[i]
		centre += t.shares[i] * p.shrunk() * difference
		tested, own, fourth = tested+share*v, own+share*o, fourth+share*share*v*v/p.Degrees
	}
	return centre, tested, own, tested * tested / fourth
}

// limit is the largest difference that the mean of the rates can have.
func (t together) limit() (limit float64) {
	for i, p := range t.plans {
		limit += t.shares[i] * p.limit()
	}
	return limit
}

// threshold is the centre of the smallest significant difference, infinite if none is, with the
// quantile of t that it reaches.
func (t together) threshold() (centre, quantile float64) {
	quantiles := map[float64]float64{} // by degrees of freedom, of which one plan has few
	shows := func(difference float64) bool {
		centre, tested, _, degrees := t.tested(difference)
		if quantiles[degrees] == 0 {
			quantiles[degrees] = studentQuantile(t.plans[0].Level, degrees)
		}
		quantile = quantiles[degrees]
		return centre >= quantile*math.Sqrt(tested)
	}
	limit := t.limit()
	if !shows(limit) {
		return math.Inf(1), quantile
	}
	centre, _, _, _ = t.tested(bisect(limit, 0, shows))
	return centre, quantile
}

// power is the probability that a difference is found: that the one that is seen exceeds the
// least significant one, whose variance depends on its own size. The estimated variance varies, too.
func (t together) power(difference, threshold, quantile float64) float64 {
	centre, _, own, degrees := t.tested(difference)
	return 0.5 * math.Erfc((threshold-centre)/math.Sqrt(own*(1+quantile*quantile/(2*degrees)))/math.Sqrt2)
}

// smallest is the smallest difference that is found with the wanted power; infinite if none is.
func (t together) smallest() float64 {
	threshold, quantile := t.threshold()
	found := func(difference float64) bool { return t.power(difference, threshold, quantile) >= wantedPower }
	limit := t.limit()
	if !found(limit) {
		return math.Inf(1)
	}
	return bisect(limit, 0, found)
}

// directions are the directions of a difference.
var directions = []float64{-1, 1}

// Smallest is the smallest true difference that is detected with a probability of 80
// %, and infinite if none is; seeds may be infinite.
func (p Components) Smallest(seeds float64) float64 {
	return Smallest([]Components{p}, []float64{1}, seeds)
}

// Smallest is the smallest true difference of the weighted mean of differences on independent sets of tasks,
// as CombineDifferences tests it, if the difference is the same in all of them; of both directions the worse,
// as far as rates have room for it. The slices have the same length, the weights are positive, and the level
// is the first plan's.
func Smallest(plans []Components, weights []float64, seeds float64) float64 {
	worst := 0.0
	for _, sign := range directions {
		if d := combined(plans, weights, seeds, sign).smallest(); !math.IsInf(d, 1) {
			worst = max(worst, d)
		}
	}
	if worst == 0 {
		return math.Inf(1)
	}
	return worst
}

// Power is the probability that the test of Sampling.Paired rejects at a
// difference, in the worse direction of those that rates have room for.
func (p Components) Power(difference, seeds float64) (power float64) {
	for _, sign := range directions {
		t := combined([]Components{p}, []float64{1}, seeds, sign)
		if threshold, quantile := t.threshold(); difference <= t.limit() {
			if joint := t.power(difference, threshold, quantile); power == 0 || joint < power {
				power = joint
			}
		}
	}
	return power
}

// mostSeeds and mostTasks bound the search for a number of seeds, and of tasks.
const (
	mostSeeds = 1000
	mostTasks = 1e7
)

// Seeds is the smallest number of seeds that shows a difference with a probability
// of 80 %; not ok if no number up to 1000 does.
func (p Components) Seeds(difference float64) (seeds int, ok bool) {
	if !(p.Smallest(mostSeeds) <= difference) {
		return 0, false
	}
	return 1 + sort.Search(mostSeeds-1, func(i int) bool { return p.Smallest(float64(i+1)) <= difference }), true
}

// Tasks is how many tasks like these show it with that many seeds, if they have as
// many degrees of freedom as these.
func (p Components) Tasks(difference, seeds float64) int {
	return 1 + sort.Search(mostTasks-1, func(i int) bool {
		p.N = i + 1
		return p.Smallest(seeds) <= difference
	})
}

// DecodingShare is the share of decoding in the variance of the difference.
func (p Components) DecodingShare(seeds float64) float64 {
	return p.Seed / seeds / (p.Task + p.Seed/seeds)
}
