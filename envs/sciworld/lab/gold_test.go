package lab_test

import (
	"flag"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"heldout/envs/sciworld/lab"
)

// goldEach is how many solutions of each task TestGoldPaths compares.
var goldEach = flag.Int("gold", 0, "solutions of each task to compare with the official simulator's, and to play on both sides")

// goldOnly are tasks the solutions of which the simulator makes fast.
var fastGold = regexp.MustCompile("^(find|lifespan|power|use)")

// TestGoldPaths compares solutions, and what both sides answer to them.
func TestGoldPaths(t *testing.T) {
	d := startDriver(t)
	only := regexp.MustCompile(*diffTasks)
	rng := rand.New(rand.NewPCG(*diffSeed, 1))
	solver := lab.NewSolver()
	paths, steps, failures := 0, 0, 0
	for _, name := range lab.TaskNames() {
		n := *goldEach
		if n == 0 && fastGold.MatchString(name) {
			n = 1
		}
		for range n {
			if !only.MatchString(name) || failures >= *diffFailures {
				continue
			}
			v := rng.IntN(lab.Variations(name))
			simplifications := simplificationSets[rng.IntN(3)]
			if strings.Contains(name, "power") || strings.Contains(name, "conductivity") {
				simplifications = simplificationSets[1+rng.IntN(2)]
			}
			theirs := d.answers(t, []call{loadCall(name, v, simplifications, true), {"getGoldActionSequence"}})
			ours, err := solver.Path(name, v, simplifications)
			path := strings.Split(theirs[1], "\n")
			failed := strings.HasPrefix(theirs[0], "{")
			if failed != (err != nil) || !failed && !slices.Equal(ours, path) {
				failures++
				i := 0
				for i < len(ours) && i < len(path) && ours[i] == path[i] {
					i++
				}
				t.Errorf("%s %d %q: %q, %v; after %d inputs %q:\n  ours   %q\n  theirs %q", name, v, simplifications, theirs[0], err, i, ours[max(0, i-6):i], ours[i:min(i+6, len(ours))], path[i:min(i+6, len(path))])
			}
			if !failed {
				p := play{task: name, variation: v, simplifications: simplifications, order: noLists, actions: path}
				found, err := replay(d, p)
				if err != nil {
					t.Fatal(err)
				}
				if found != nil {
					failures++
					report(t, d, p, found)
				}
				paths, steps = paths+1, steps+len(path)
			}
		}
	}
	t.Logf("%d solutions with %d steps, %d differences", paths, steps, failures)
}
