package eval

import (
	"slices"

	"heldout/eval/lengths"
)

// expense estimates what episodes of a kind take. Later steps take more than earlier ones,
// because prompts grow.
type expense struct {
	*lengths.Lengths
	sum   []float64 // of the costs of first, second, … steps
	count []int
}

func newExpense(limit int) *expense {
	return &expense{lengths.New(limit), make([]float64, limit), make([]int, limit)}
}

// measured reports whether there is anything to estimate from: two steps say how prompts
// grow, and episodes that have ended may have had only one.
func (x *expense) measured() bool {
	return x.count[min(1, x.Limit-1)] > 0 || slices.ContainsFunc(x.Ended, func(n int) bool { return n > 0 })
}

func (x *expense) step(id string, cost float64) {
	i := min(x.Running[id], x.Limit-1)
	x.sum[i] += cost
	x.count[i]++
	x.Running[id]++
}

// costs returns the mean costs of first, second, … steps. They grow on in a straight line
// beyond those that are known.
func (x *expense) costs() []float64 {
	costs := make([]float64, x.Limit)
	n := 0
	for n < x.Limit && x.count[n] > 0 {
		costs[n] = x.sum[n] / float64(x.count[n])
		n++
	}
	growth := 0.0
	if n > 1 {
		growth = max(0, (costs[n-1]-costs[0])/float64(n-1))
	}
	for i := max(1, n); i < x.Limit; i++ {
		costs[i] = costs[i-1] + growth
	}
	return costs
}

// rest returns what an episode is expected to take after 0, 1, … steps, if it goes on.
func (x *expense) rest() []float64 {
	costs, survival := x.costs(), x.Survival()
	rest := make([]float64, x.Limit+1)
	for steps := x.Limit - 1; steps >= 0; steps-- {
		if survival[steps] > 0 {
			rest[steps] = costs[steps] + rest[steps+1]*survival[steps+1]/survival[steps]
		}
	}
	return rest
}

// next is what another episode is expected to take; 0 if nothing is known.
func (x *expense) next() float64 { return x.rest()[0] }

func (x *expense) inFlight() (cost float64) {
	if len(x.Running) == 0 {
		return 0
	}
	rest := x.rest()
	for _, steps := range x.Running {
		cost += rest[min(steps, x.Limit)]
	}
	return cost
}
