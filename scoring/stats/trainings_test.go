package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"heldout/envs/stream"
)

// TestTrainingsCover trains two equal arms three times each and plays them on the same tasks. As trainings differ
// in how good they are, pairs of trainings differ; the arms are told apart in at most 7 % of the runs.
func TestTrainingsCover(t *testing.T) {
	const runs, trainings = 500, 3
	b := benchmarks()[1]
	s := sampling(t, TheseKinds, b.groups)
	for _, spread := range []float64{0, 0.7} {
		rng := stream.New(1, "trainings")
		tasksOnly := 0.0
		alike(t, fmt.Sprint("spread ", spread), runs, 0.07, func() Difference {
			hardness := make([]float64, len(b.groups))
			for i := range hardness {
				hardness[i] = 1.5 * rng.NormFloat64()
			}
			x, xMeans := trainArm(rng, hardness, trainings, spread)
			y, yMeans := trainArm(rng, hardness, trainings, spread)
			for i := range x {
				x[i] -= y[i]
			}
			d := s.Paired(x, trainings)
			if d.P < 0.05 {
				tasksOnly += 1. / runs
			}
			for _, means := range [][]float64{xMeans, yMeans} {
				d = d.Plus(math.Pow(SampleStd(means), 2)/trainings, trainings-1, 0.95)
			}
			return d
		})
		if spread > 0 && tasksOnly < 0.15 {
			t.Errorf("the trainings are too alike to show anything: %.1f %%", 100*tasksOnly)
		}
	}
}

// trainArm returns the means of an arm by task, and by training.
func trainArm(rng *rand.Rand, hardness []float64, trainings int, spread float64) (byTask, byTraining []float64) {
	byTask = make([]float64, len(hardness))
	for range trainings {
		skill, solved := spread*rng.NormFloat64(), 0.0
		for i, h := range hardness {
			if rng.Float64() < logistic(skill-h) {
				byTask[i] += 1 / float64(trainings)
				solved++
			}
		}
		byTraining = append(byTraining, solved/float64(len(hardness)))
	}
	return byTask, byTraining
}
