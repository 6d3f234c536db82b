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
	for round := range max(*goldEach, 1) {
		for _, name := range lab.TaskNames() {
			if !only.MatchString(name) || *goldEach == 0 && !fastGold.MatchString(name) {
				continue
			}
			p := play{task: name, variation: rng.IntN(lab.Variations(name)), simplifications: simplificationSets[rng.IntN(3)], order: noLists}
			if strings.Contains(name, "power") || strings.Contains(name, "conductivity") { // else they cannot be done
				p.simplifications = simplificationSets[1+rng.IntN(2)]
			}
			path, same := comparePath(t, d, solver, p)
			if path != nil {
				p.actions = path
				found, err := replay(d, p)
				if err != nil {
					t.Fatal(err)
				}
				if found != nil {
					same = false
					report(t, d, p, found)
				}
				paths, steps = paths+1, steps+len(path)
			}
			if !same {
				if failures++; failures >= *diffFailures {
					t.FailNow()
				}
			}
		}
		t.Logf("%d solutions with %d steps, %d differences, in %d rounds", paths, steps, failures, round+1)
	}
}

// comparePath compares our solution with the simulator's, which it returns; nil
// if that has none.
func comparePath(t *testing.T, d *driver, solver *lab.Solver, p play) (path []string, same bool) {
	t.Helper()
	theirs := d.answers(t, []call{loadCall(p.task, p.variation, p.simplifications, true), {"getGoldActionSequence"}})
	ours, err := solver.Path(p.task, p.variation, p.simplifications)
	if theirs[0] != "" {
		if err == nil {
			t.Errorf("%v: the simulator has no solution: %s", p, theirs[0])
		}
		return nil, err != nil
	}
	path = strings.Split(theirs[1], "\n")
	if err == nil && slices.Equal(ours, path) {
		return path, true
	}
	i := 0
	for i < len(ours) && i < len(path) && ours[i] == path[i] {
		i++
	}
	t.Errorf("%v: %v; after %d inputs %q:\n  ours   %q\n  theirs %q", p, err, i, ours[max(0, i-6):i], ours[i:min(i+6, len(ours))], path[i:min(i+6, len(path))])
	return path, false
}
