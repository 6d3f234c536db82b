package stats

import (
	"math"
	"sort"

	"gonum.org/v1/gonum/stat/distuv"
)

// Components holds the components of the variance of the difference of two models on
// the same tasks.
type Components struct {
	// Task is the variance of the difference between tasks, per task. Seed is the
	// variance of decoding, per seed of both models.
	Task, Seed float64
	// Degrees of freedom of the design, which do not depend on the seeds.
	Degrees float64
	N       int // tasks
	// Level is the confidence level of the test.
	Level float64
	// Fixed: the tasks stay, so that only decoding counts, and the test is that of
	// DecodingDifference.
	Fixed bool
}

// PlanOf is the plan of a difference by Sampling.Paired over so many seeds, all of whose
// variance counts as that of tasks.
func PlanOf(d Difference, seeds int) Components {
	n := float64(d.N)
	own := d.Variance*(n+2)*(n+2) - 2*(1/float64(seeds)+d.Mean*d.Mean)
	return Components{Task: max(0, own/n), Degrees: d.Degrees, N: d.N}
}

// wantedPower is the probability with which a test must detect a planned
// difference.
const wantedPower = 0.8

// betweenTasks is the share of the variance of single trials that is between tasks, if the
// data cannot give it: that of tasks whose difficulty spreads by 1.5 on the scale of
// logits, at a rate of one half.
const betweenTasks = 1.0 / 3

// spread is the variance of a task's difference. Models that hardly differ show less of
// it than models that differ: the least is that of a difference of single trials, all in
// one direction.
func (p Components) spread(difference, seeds float64) float64 {
	trials, taskShare := difference*(1-difference), betweenTasks
	if p.Fixed {
		taskShare = 0
	}
	return max(p.Task+p.Seed/seeds, trials*(taskShare+(1-taskShare)/seeds))
}

// variance is the variance of the centre that the test has for a difference.
func (p Components) variance(difference, seeds float64) float64 {
	n := float64(p.N)
	if p.Fixed {
		return p.spread(difference, seeds)/n + 2/(seeds*seeds*n*n)
	}
	return (n*p.spread(difference, seeds) + 2*(1/seeds+difference*difference)) / ((n + 2) * (n + 2))
}

// shrunk is the part of a difference that the centre of the test keeps.
func (p Components) shrunk() float64 {
	if p.Fixed {
		return 1
	}
	return float64(p.N) / float64(p.N+2)
}

// Smallest is the smallest true difference that is detected with a probability of 80
// %, and infinite if none is; seeds may be infinite.
func (p Components) Smallest(seeds float64) float64 {
	return Smallest([]Components{p}, []float64{1}, seeds)
}

// Smallest is that of the weighted mean of differences on independent sets of tasks, as
// CombineDifferences tests it, if the difference is the same in all of them. The slices
// have the same length, the weights are positive, and the level is that of the first plan.
func Smallest(plans []Components, weights []float64, seeds float64) float64 {
	total := 0.0
	for _, w := range weights {
		total += w
	}
	reaches := map[float64]float64{}          // by degrees of freedom, of which one plan has few
	beyond := func(difference float64) bool { // enough standard errors
		var centre, variance, fourth float64
		for i, p := range plans {
			share := weights[i] / total
			v := share * share * p.variance(difference, seeds)
			centre, variance = centre+share*p.shrunk()*difference, variance+v
			fourth += v * v / p.Degrees
		}
		degrees := variance * variance / fourth
		reach, ok := reaches[degrees]
		if !ok {
			reach = studentQuantile(plans[0].Level, degrees) + studentQuantile(2*wantedPower-1, degrees)
			reaches[degrees] = reach
		}
		return centre >= reach*math.Sqrt(variance)
	}
	if !beyond(1) {
		return math.Inf(1)
	}
	return bisect(1, 0, beyond)
}

// Power is the probability that the test of Sampling.Paired rejects at a
// difference, by the noncentral t distribution.
func (p Components) Power(difference, seeds float64) float64 {
	shift := difference * p.shrunk() / math.Sqrt(p.variance(difference, seeds))
	t := studentQuantile(p.Level, p.Degrees)
	chi := distuv.ChiSquared{K: p.Degrees}
	const points = 500 // equally likely values of the estimated variance
	power := 0.0
	for i := range points {
		scale := math.Sqrt(chi.Quantile((float64(i)+0.5)/points) / p.Degrees)
		power += distuv.UnitNormal.CDF(shift-t*scale) / points
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
