package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Plan holds the components of the variance of the difference of two models on
// the same tasks.
type Plan struct {
	// Task is the variance of the difference between tasks, per task. Seed is the
	// variance of decoding, per seed of both models.
	Task, Seed float64
	// Degrees of freedom of the design, which do not depend on the seeds.
	Degrees float64
	N       int // tasks
	Level   float64
}

// wantedPower is the probability with which a test must detect a planned
// difference.
const wantedPower = 0.8

// reach is how many standard errors a difference must span to be detected with
// the wanted power.
func (p Plan) reach() float64 {
	return studentQuantile(p.Level, p.Degrees) + studentQuantile(2*wantedPower-1, p.Degrees)
}

// variance is the variance of the centre that Sampling.Paired gives for a
// difference.
func (p Plan) variance(difference, seeds float64) float64 {
	n := float64(p.N)
	return (n*(p.Task+p.Seed/seeds) + 2*(1/seeds+difference*difference)) / ((n + 2) * (n + 2))
}

// Smallest is the smallest difference that is detected with a probability of 80
// %; seeds may be infinite.
func (p Plan) Smallest(seeds float64) float64 {
	n := float64(p.N)
	return p.reach() * math.Sqrt(p.variance(0, seeds)) * (n + 2) / n
}

// Power is the probability that the test of Sampling.Paired rejects at a
// difference, by the noncentral t distribution.
func (p Plan) Power(difference, seeds float64) float64 {
	n := float64(p.N)
	shift := difference * n / (n + 2) / math.Sqrt(p.variance(difference, seeds))
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

// mostSeeds bounds the search for a number of seeds.
const mostSeeds = 1000

// Seeds is the smallest number of seeds that shows a difference with a probability
// of 80 %; not ok if no number up to 1000 does.
func (p Plan) Seeds(difference float64) (seeds int, ok bool) {
	for seeds = 1; seeds <= mostSeeds; seeds++ {
		if p.Smallest(float64(seeds)) <= difference {
			return seeds, true
		}
	}
	return 0, false
}

// Tasks is how many tasks like these show it with that many seeds, if they have as
// many degrees of freedom as these.
func (p Plan) Tasks(difference, seeds float64) int {
	reach := p.reach() / difference
	linear := (p.Task + p.Seed/seeds) * reach * reach // n² = n·linear + 2/seeds·reach²
	return int(math.Ceil((linear + math.Sqrt(linear*linear+8/seeds*reach*reach)) / 2))
}

// DecodingShare is the share of decoding in the variance of the difference.
func (p Plan) DecodingShare(seeds float64) float64 {
	return p.Seed / seeds / (p.Task + p.Seed/seeds)
}
