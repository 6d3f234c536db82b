package scienceworld

import (
	"encoding/json"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"heldout/envs/sharedtest"
)

// goldEach is how many solutions of each task TestGoldPaths compares.
var goldEach = flag.Int("gold", 0,
	"solutions of each task to compare with the official simulator's, and to play on both sides")

// goldBoard makes TestGoldPaths compare the solutions of AgentBoard's tasks.
var goldBoard = flag.Bool("board", false, "compare the solutions of AgentBoard's 90 tasks")

// fastGold are tasks the solutions of which the simulator makes fast.
var fastGold = regexp.MustCompile("^(find|lifespan|power|use)")

// TestGoldPaths compares solutions, and what both sides answer to them: some of
// each task, or the solutions of AgentBoard's tasks.
func TestGoldPaths(t *testing.T) {
	plays := randomSolutions
	if *goldBoard {
		plays = boardSolutions
	}
	d := startDriver(t)
	solver := NewSolver()
	paths, steps, failures := 0, 0, 0
	for i, p := range plays(t) {
		path, same := comparePath(t, d, solver, p)
		if path != nil {
			p.actions = path
			found, err := replay(d, p)
			if err != nil {
				t.Fatalf("%v: %v", p, err)
			}
			if found != nil {
				same = false
				report(t, d, p, found)
			}
			paths, steps = paths+1, steps+len(path)
		}
		if !same {
			failures++
		}
		if i%10 == 9 || failures >= *diffFailures {
			t.Logf("%d solutions with %d steps, %d differences, up to %s %d", paths, steps, failures, p.task,
				p.variation)
		}
		if failures >= *diffFailures {
			t.FailNow()
		}
	}
	t.Logf("%d solutions with %d steps, %d differences", paths, steps, failures)
}

// randomSolutions draws variations whose solutions are compared.
func randomSolutions(t *testing.T) (plays []play) {
	only := regexp.MustCompile(*diffTasks)
	rng := rand.New(rand.NewPCG(*diffSeed, 1))
	for range max(*goldEach, 1) {
		for _, name := range TaskNames() {
			if !only.MatchString(name) || *goldEach == 0 && !fastGold.MatchString(name) {
				continue
			}
			p := play{task: name, variation: rng.IntN(Variations(name)),
				simplifications: simplificationSets[rng.IntN(3)], order: noLists}
			if strings.Contains(name, "power") || strings.Contains(name, "conductivity") { // else they cannot be done
				p.simplifications = simplificationSets[1+rng.IntN(2)]
			}
			plays = append(plays, p)
		}
	}
	return plays
}

// boardSolutions are AgentBoard's tasks, played in its order of calls.
func boardSolutions(t *testing.T) (plays []play) {
	labels := sharedtest.Must(os.ReadFile(filepath.Join(sharedtest.AgentBoard(t), "scienceworld", "test.jsonl")))(t)
	for line := range strings.Lines(string(labels)) {
		var label struct {
			Info struct {
				Variation int    `json:"var"`
				Task      string `json:"env_name"`
			} `json:"additional_info"`
		}
		sharedtest.OK(t, json.Unmarshal([]byte(line), &label))
		plays = append(plays, play{task: label.Info.Task, variation: label.Info.Variation,
			simplifications: simplificationSets[0], order: agentBoardOrder})
	}
	return plays
}

// comparePath compares our solution with the simulator's, which it returns; nil if that has none.
func comparePath(t *testing.T, d *driver, solver *Solver, p play) (path []string, same bool) {
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
	t.Errorf("%v: %v; after %d inputs %q:\n  ours   %q\n  theirs %q", p, err, i, ours[max(0, i-6):i],
		ours[i:min(i+6, len(ours))], path[i:min(i+6, len(path))])
	return path, false
}

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
