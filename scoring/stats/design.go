package stats

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Question says what an interval treats as drawn anew, and therefore what the interval is about.
type Question string

// The questions.
const (
	// TheseTasks: the tasks stay, the replies are sampled again.
	TheseTasks Question = "tasks"
	// TheseKinds: the kinds and their shares stay, and their tasks are drawn anew.
	TheseKinds Question = "kinds"
	// NewKinds: kinds are drawn anew, with their tasks.
	NewKinds Question = "new-kinds"
)

// Questions are all questions.
func Questions() []Question { return []Question{TheseTasks, TheseKinds, NewKinds} }

// Group is the group that a task belongs to.
type Group struct {
	// Kind is the kind of task. Setting is what several tasks of one kind share
	// beyond the kind. Tasks that share no setting have different settings.
	Kind, Setting string
}

// Reasons why there is no interval.
var (
	ErrFewTasks = errors.New("fewer than two tasks")
	ErrFewKinds = errors.New("too few kinds to say anything about others")
)

// fewestKinds is the smallest number of kinds that an interval for new kinds is
// made from, fewestDegrees the smallest number of degrees of freedom.
const (
	fewestKinds   = 4
	fewestDegrees = 2
)

// Sampling is a model of how tasks are drawn: one or several designs. The design with the widest interval counts. A
// Sampling belongs to tasks in one order and to one confidence level.
type Sampling struct {
	designs []design
	n       int
	z       float64 // the level's quantile of the normal distribution
	// clusterSize is the mean number of tasks in a task's cluster, in the coarsest design.
	clusterSize float64
}

// NewSampling returns the sampling for NewKinds, or else for TheseKinds, of tasks that belong to these groups.
// Under TheseKinds, kinds are strata and settings are clusters. Under NewKinds, kinds are clusters; the designs of
// TheseKinds and the design of independent tasks count too, so that kinds that agree by chance do not make the
// interval for new kinds the narrower one. The level is a fraction such as 0.95. The errors are ErrFewTasks and
// ErrFewKinds.
func NewSampling(q Question, groups []Group, level float64) (Sampling, error) {
	n := len(groups)
	if n < 2 {
		return Sampling{}, ErrFewTasks
	}
	overall, kind, setting, task := make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	for i, g := range groups {
		kind[i], setting[i], task[i] = g.Kind, g.Setting, fmt.Sprintf("%09d", i)
	}
	settings := newDesign(kind, setting)
	s := Sampling{n: n, z: normalQuantile(level), designs: []design{settings}, clusterSize: settings.clusterSize}
	if !settings.single {
		s.designs = append(s.designs, newDesign(kind, task))
	}
	if q == NewKinds {
		kinds := newDesign(overall, kind)
		if !kinds.single {
			if kinds.clusters < fewestKinds || kinds.degrees < fewestDegrees {
				return Sampling{}, ErrFewKinds
			}
			s.designs = append(s.designs, newDesign(overall, task), kinds)
			s.clusterSize = kinds.clusterSize
		}
	}
	// A design of one cluster says nothing; the others decide.
	s.designs = slices.DeleteFunc(s.designs, func(d design) bool { return d.clusters < 2 })
	for i := range s.designs {
		s.designs[i].t = studentQuantile(level, s.designs[i].degrees)
	}
	return s, nil
}

// design is strata of clusters of tasks.
type design struct {
	strata []stratum
	// degrees of freedom of the variance, from the sizes alone (Bell and McCaffrey 2002).
	degrees  float64
	t        float64 // Student's quantile of the sampling's level
	clusters int
	// single: every cluster is one task.
	single      bool
	clusterSize float64
}

// stratum holds its share of all tasks and its clusters of task numbers.
type stratum struct {
	share    float64
	n        int
	clusters [][]int
}

// newDesign groups tasks by their strata and, within those, by their clusters.
func newDesign(stratum, cluster []string) design {
	d := design{strata: merged(grouped(stratum, cluster)), single: true}
	n := len(stratum)
	var trace, square, size float64
	for i := range d.strata {
		s := &d.strata[i]
		s.share = float64(s.n) / float64(n)
		d.clusters += len(s.clusters)
		var sum, corrections float64
		total := float64(s.n)
		for _, c := range s.clusters {
			k := float64(len(c))
			d.single = d.single && len(c) == 1
			size += k * k / float64(n)
			if v := k / total; v < 1 {
				weight := v * v / (1 - v)
				sum += weight
				corrections += weight * weight * ((1/k-1/total)*(1/k-1/total) - 1/(total*total))
			}
		}
		w := s.share * s.share
		trace += w / total
		square += w * w * (corrections + sum*sum/(total*total))
	}
	d.degrees = trace * trace / square
	d.clusterSize = size
	return d
}

// grouped makes strata in the order of their names, and clusters in the order of the clusters' names.
func grouped(name, cluster []string) []stratum {
	order := make([]int, len(name))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(name[a], name[b]), cmp.Compare(cluster[a], cluster[b]))
	})
	var strata []stratum
	for rank, i := range order {
		fresh := rank == 0 || name[i] != name[order[rank-1]]
		if fresh {
			strata = append(strata, stratum{})
		}
		s := &strata[len(strata)-1]
		if fresh || cluster[i] != cluster[order[rank-1]] {
			s.clusters = append(s.clusters, nil)
		}
		last := len(s.clusters) - 1
		s.clusters[last] = append(s.clusters[last], i)
		s.n++
	}
	return strata
}

// merged joins strata of one cluster, because their spread is unknown. Several
// such strata become one stratum. A single one joins the smallest other stratum.
func merged(strata []stratum) []stratum {
	var several, alone []stratum
	for _, s := range strata {
		if len(s.clusters) > 1 {
			several = append(several, s)
		} else {
			alone = append(alone, s)
		}
	}
	if len(alone) == 0 {
		return several
	}
	joined := alone[0]
	for _, s := range alone[1:] {
		joined.n += s.n
		joined.clusters = append(joined.clusters, s.clusters...)
	}
	if len(alone) > 1 || len(several) == 0 {
		return append(several, joined)
	}
	smallest := 0
	for i, s := range several {
		if s.n < several[smallest].n {
			smallest = i
		}
	}
	several[smallest].n += joined.n
	several[smallest].clusters = append(several[smallest].clusters, joined.clusters...)
	return several
}

// variance returns the variance of the mean of the values: the bias-reduced cluster estimate CR2 within strata
// (Bell and McCaffrey 2002; Pustejovsky and Tipton 2018, doi:10.1080/07350015.2016.1247004).
func (d design) variance(values []float64) (v float64) {
	for _, s := range d.strata {
		mean := 0.0
		for _, c := range s.clusters {
			for _, i := range c {
				mean += values[i]
			}
		}
		mean /= float64(s.n)
		squares := 0.0
		for _, c := range s.clusters {
			sum := 0.0
			for _, i := range c {
				sum += values[i]
			}
			deviation := sum/float64(len(c)) - mean
			share := float64(len(c)) / float64(s.n)
			if share < 1 {
				squares += share * share / (1 - share) * deviation * deviation
			}
		}
		v += s.share * s.share * squares
	}
	if v < rounding*rounding {
		return 0
	}
	return v
}

// width returns the squared half width of Student's t interval.
func width(variance, degrees, level float64) float64 {
	t := studentQuantile(level, degrees)
	return t * t * variance
}

// Variance returns the variance of the mean of values, one for each task, and its
// degrees of freedom, for the design with the widest t interval.
func (s Sampling) Variance(values []float64) (variance, degrees float64) {
	widest := math.Inf(-1)
	for _, d := range s.designs {
		v := d.variance(values)
		if w := d.t * d.t * v; w > widest {
			widest, variance, degrees = w, v, d.degrees
		}
	}
	return variance, degrees
}
