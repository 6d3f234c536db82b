package stats

import (
	"errors"
	"math"
	"slices"
)

// Linear is an estimate with the influences of episodes on it, by task: how far the
// estimate moves with the episode. The influences sum to 0. The variance of the
// estimate is the variance of the influences (the delta method).
type Linear struct {
	Value float64
	Tasks []Influence
	// Share: the value is in [0,1]. Carriers is the effective number of tasks that
	// keep it from 0 and from 1, Based counts the tasks that it is based on.
	Share    bool
	Carriers float64
	Based    int
}

// Influence is the mean and the sample variance of the influences of the episodes of a task.
type Influence struct {
	Episodes       int
	Mean, Variance float64
}

func newInfluence(values []float64) Influence {
	i := Influence{Episodes: len(values), Mean: Mean(values)}
	if len(values) > 1 {
		i.Variance = Variance(values)
	}
	return i
}

// ErrNothing says that there is nothing to measure. ErrAlike says that no task
// differs from the others, so the spread of tasks is unknown.
var (
	ErrNothing = errors.New("there is nothing to measure")
	ErrAlike   = errors.New("all tasks are alike")
)

// Ratio is the sum of the numerators divided by the sum of the denominators, each averaged over the episodes of a
// task first; sums returns both of an episode. The error is ErrNothing.
func Ratio[E any](tasks [][]E, sums func(E) (num, den float64), share bool) (Linear, error) {
	l := Linear{Share: share}
	var num, den float64
	var upper, lower [2]float64 // sum and squares of what keeps it from 0 and from 1
	var nums, dens []float64
	for _, task := range tasks {
		nums, dens = nums[:0], dens[:0]
		for _, episode := range task {
			n, d := sums(episode)
			nums, dens = append(nums, n), append(dens, d)
		}
		n, d := Mean(nums), Mean(dens)
		num, den = num+n, den+d
		upper[0], upper[1] = upper[0]+n, upper[1]+n*n
		lower[0], lower[1] = lower[0]+d-n, lower[1]+(d-n)*(d-n)
		if d > 0 {
			l.Based++
		}
	}
	if den == 0 {
		return l, ErrNothing
	}
	l.Value = num / den
	if l.Value >= 0.5 {
		upper = lower
	}
	l.Carriers = upper[0] * upper[0] / upper[1]
	scale := float64(len(tasks)) / den
	influences := nums
	for _, task := range tasks {
		influences = influences[:0]
		for _, episode := range task {
			n, d := sums(episode)
			influences = append(influences, (n-l.Value*d)*scale)
		}
		l.Tasks = append(l.Tasks, newInfluence(influences))
	}
	return l, nil
}

// ProductLimit returns the share that lasts longer than 0, 1, … steps, from the share of
// those under way that ends at each of them (Kaplan and Meier 1958).
func ProductLimit(steps int, hazard func(step int) float64) []float64 {
	out := make([]float64, steps)
	share := 1.0
	for step := range out {
		share *= 1 - hazard(step)
		out[step] = share
	}
	return out
}

// Survival is the share of spells that last longer than a number of steps, by the estimator of Kaplan and Meier.
// count counts an episode's spells that are under way and that end at each step from 1 on; the slices have any
// length. Spells of one task belong together (Williams 1995). The error is ErrNothing, also if fewer than ten tasks
// are at risk at the last step: an estimate from fewer would be there only by chance, and too high.
func Survival[E any, N uint16 | float64](tasks [][]E, count func(E) (atRisk, ended []N), steps int) (Linear, error) {
	const fewest = 10
	l := Linear{Value: 1, Share: true}
	total := newHazards(tasks, count, steps)
	for step := range steps {
		if total.tasks[step] < fewest {
			return l, ErrNothing
		}
	}
	if steps > 0 {
		l.Value = ProductLimit(steps, total.hazard)[steps-1]
		l.Based = total.tasks[0]
	}
	var carried, squares float64
	var influences []float64
	for _, task := range tasks {
		influences = influences[:0]
		weight := 0.0 // spells that keep the value from 0, or those that keep it from 1
		for _, episode := range task {
			influence := 0.0
			atRisk, ended := count(episode)
			for step := range min(steps, len(atRisk)) {
				n, d := float64(atRisk[step]), float64(ended[step])
				if l.Value >= 0.5 {
					weight += d
				} else if step == steps-1 {
					weight += n - d
				}
				if h := total.hazard(step); h < 1 {
					influence -= (d - h*n) / (total.atRisk[step] * (1 - h))
				}
			}
			influences = append(influences, influence*(l.Value*float64(len(tasks)*len(task))))
		}
		l.Tasks = append(l.Tasks, newInfluence(influences))
		weight /= float64(len(task))
		carried, squares = carried+weight, squares+weight*weight
	}
	l.Carriers = carried * carried / squares
	return l, nil
}

// hazards counts the spells of all tasks by step.
type hazards struct {
	atRisk, ended []float64
	tasks         []int // those at risk
}

func newHazards[E any, N uint16 | float64](tasks [][]E, count func(E) (atRisk, ended []N), steps int) hazards {
	h := hazards{make([]float64, steps), make([]float64, steps), make([]int, steps)}
	for _, task := range tasks {
		previous := slices.Clone(h.atRisk)
		for _, episode := range task {
			atRisk, ended := count(episode)
			for step := range min(steps, len(atRisk)) {
				h.atRisk[step] += float64(atRisk[step])
				h.ended[step] += float64(ended[step])
			}
		}
		for step, n := range previous {
			if h.atRisk[step] > n {
				h.tasks[step]++
			}
		}
	}
	return h
}

// hazard is the share of the spells under way at a step that end at it.
func (h *hazards) hazard(step int) float64 { return h.ended[step] / h.atRisk[step] }

// means returns the influences of the tasks.
func (l Linear) means() []float64 {
	out := make([]float64, len(l.Tasks))
	for i, task := range l.Tasks {
		out[i] = task.Mean
	}
	return out
}

// Linear is the interval of an estimate: a score interval of a share, Student's t interval of another one, which is
// not less than 0. The error is ErrFewTasks or ErrAlike.
func (s Sampling) Linear(l Linear) (Interval, error) {
	if l.Based < 2 {
		return Interval{}, ErrFewTasks
	}
	variance := 0.0
	squared := 0.0
	for _, d := range s.designs {
		if v := d.variance(l.means()); d.t*d.t*v >= squared {
			squared, variance = d.t*d.t*v, v
		}
	}
	return l.interval(variance, squared, s.z, float64(l.Based)/(1+intraclass*(s.clusterSize-1)))
}

// DecodingLinear is the interval for other decodings of the same tasks. The error is
// ErrFewTasks, also if no task has two episodes, or ErrAlike.
func DecodingLinear(l Linear, level float64) (Interval, error) {
	variance, degrees := decodingVariance(l)
	if degrees == 0 {
		return Interval{}, ErrFewTasks
	}
	return l.interval(variance, width(variance, degrees, level), normalQuantile(level), float64(l.Based))
}

// decodingVariance is the variance within tasks.
func decodingVariance(l Linear) (variance, degrees float64) {
	n := float64(len(l.Tasks))
	for _, task := range l.Tasks {
		if k := float64(task.Episodes); k > 1 {
			variance += task.Variance / k / (n * n)
			degrees += k - 1
		}
	}
	return variance, degrees
}

// interval makes an interval from a squared half width; worth is how many independent trials the tasks are worth.
func (l Linear) interval(variance, squared, z, worth float64) (Interval, error) {
	if !l.Share {
		if variance == 0 {
			return Interval{}, ErrAlike
		}
		half := math.Sqrt(squared)
		return limits(max(0, l.Value-half), l.Value+half), nil
	}
	outer := wilson(l.Value, worth, z)
	if variance == 0 || l.Value <= rounding || l.Value >= 1-rounding {
		return outer, nil
	}
	return widened(scoreInterval(l.Value, squared, false), outer, l.Carriers), nil
}

// PairedLinear is the difference of two estimates on the same tasks. The error is ErrAlike or ErrFewTasks.
func (s Sampling) PairedLinear(a, b Linear) (Difference, error) {
	d := Difference{Mean: Exact(a.Value - b.Value), N: s.n, limit: math.Inf(1)}
	if a.Based < 2 || b.Based < 2 {
		return d, ErrFewTasks
	}
	diffs, theirs := a.means(), b.means()
	for i := range diffs {
		diffs[i] -= theirs[i]
	}
	d.Centre = d.Mean
	if d = d.blocked(s.designs, func(g design) float64 { return g.variance(diffs) }); d.Variance == 0 {
		return d, ErrAlike
	}
	return d, nil
}

// DecodingPairedLinear is the difference for other decodings of the same tasks. The
// error is ErrAlike or ErrFewTasks.
func DecodingPairedLinear(a, b Linear, level float64) (Difference, error) {
	d := Difference{Mean: Exact(a.Value - b.Value), N: len(a.Tasks), limit: math.Inf(1)}
	v, degrees := decodingVariance(a)
	w, extraDegrees := decodingVariance(b)
	d.Centre, d.Variance, d.Degrees = d.Mean, v+w, degrees+extraDegrees
	if d.Degrees == 0 {
		return d, ErrFewTasks
	}
	if d.Variance == 0 {
		return d, ErrAlike
	}
	return d.atLevel(level), nil
}
