package scienceworld

import (
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"heldout/envs/sharedtest"
)

// goldSums are the recorded solutions.
const goldSums = "testdata/gold.jsonl"

// solution is a recorded gold path.
type solution struct {
	Task      string `json:"task"`
	Variation int    `json:"variation"`
	Length    int    `json:"length"`
	Sum       uint32 `json:"sum"`
}

// solutionsFor are the simplifications of recorded solutions.
const solutionsFor = "easy"

// Solutions equal the simulator's.
func TestSolutions(t *testing.T) {
	if *update {
		updateSolutions(t)
	}
	n := 0
	for want := range readLines[solution](t, goldSums) {
		n++
		path, err := GoldPath(want.Task, want.Variation, solutionsFor)
		if err != nil || len(path) != want.Length || sum(path...) != want.Sum {
			t.Errorf("%s %d: %d inputs, %v, want the simulator's %d", want.Task, want.Variation, len(path), err,
				want.Length)
		}
	}
	sharedtest.Equal(t, n, len(TaskNames()), "solutions")
}

// updateSolutions makes the solution of one variation of each task, each in a
// process of its own: the simulator remembers tours.
func updateSolutions(t *testing.T) {
	f := sharedtest.Must(os.Create(goldSums))(t)
	defer f.Close()
	rng := rand.New(rand.NewPCG(*diffSeed, 3))
	for _, name := range TaskNames() {
		d := startDriver(t)
		v := rng.IntN(Variations(name))
		path := strings.Split(d.answers(t, []call{
			loadCall(name, v, solutionsFor, true), {"getGoldActionSequence"}})[1], "\n")
		writeLine(t, f, solution{name, v, len(path), sum(path...)})
		d.in.Close()
	}
}
