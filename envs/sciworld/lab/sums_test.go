package lab_test

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"heldout/envs/sciworld/lab"
)

// The files of sums hold what the official simulator answered, each answer as a
// number of 32 bits. With -update and the simulator they are made anew.
var update = flag.Bool("update", false, "make the files of sums anew, from the official simulator")

const (
	variationSums = "testdata/variations.sum"
	traceSums     = "testdata/traces.jsonl"
	goldSums      = "testdata/gold.jsonl"
)

// sum is a hash of texts.
func sum(texts ...string) uint32 {
	h := fnv.New32a()
	for _, s := range texts {
		fmt.Fprintf(h, "%d %s\n", len(s), s)
	}
	return h.Sum32()
}

// start are the calls that tell of a variation as it is loaded.
func start(task string, variation int) []call {
	return []call{loadCall(task, variation, "", false), {"#counter"}, {"#generator"}, {"getTaskDescription"}, {"freeActionLook"}, {"freeActionInventory"}, {"getGoalProgressStr"}}
}

// Every variation of every task starts as the simulator's: description, first
// look, inventory, goals, generator and the number of objects made.
func TestVariations(t *testing.T) {
	if *update {
		updateVariations(t)
	}
	want, err := os.ReadFile(variationSums)
	if err != nil {
		t.Fatal(err)
	}
	w := lab.New()
	i, wrong := 0, 0
	for _, name := range lab.TaskNames() {
		for v := range lab.Variations(name) {
			trouble := w.Load(name, v, "")
			generator, objects := w.State()
			got := sum(trouble, strconv.Itoa(objects), strconv.FormatUint(generator, 10), w.Description(), w.Look(), w.Inventory(), w.Progress())
			if len(want) < 4*i+4 || got != bigEndian(want[4*i:]) {
				if wrong++; wrong <= 5 {
					t.Errorf("%s %d does not start as in the official simulator; TestDifferential with the simulator shows how", name, v)
				}
			}
			i++
		}
	}
	if len(want) != 4*i {
		t.Errorf("%d variations, want %d", i, len(want)/4)
	}
	t.Logf("%d of %d variations differ", wrong, i)
}

func bigEndian(b []byte) uint32 {
	return uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3])
}

func updateVariations(t *testing.T) {
	d := startDriver(t)
	var out []byte
	for _, name := range lab.TaskNames() {
		for v := range lab.Variations(name) {
			s := sum(d.answers(t, start(name, v))...)
			out = append(out, byte(s>>24), byte(s>>16), byte(s>>8), byte(s))
		}
	}
	if err := os.WriteFile(variationSums, out, 0o644); err != nil {
		t.Fatal(err)
	}
}

// trace is a recorded episode.
type trace struct {
	Task            string   `json:"task"`
	Variation       int      `json:"variation"`
	Simplifications string   `json:"simplifications"`
	Order           order    `json:"order"`
	Actions         []string `json:"actions"`
	Sums            []uint32 `json:"sums"` // of all answers up to each action
}

func (tr trace) play() play {
	return play{task: tr.Task, variation: tr.Variation, simplifications: tr.Simplifications, order: tr.Order, actions: tr.Actions}
}

// sums adds up answers, action by action.
func sums(asked []question, answers []string) (out []uint32) {
	var said []string
	for i, q := range asked {
		if q.call[0] == "getScore" {
			said = append(said, number(answers[i]))
		} else {
			said = append(said, answers[i])
		}
		if i+1 == len(asked) || asked[i+1].after > q.after {
			out = append(out, sum(said...))
			said = said[:0]
		}
	}
	return out
}

// ours are the answers of this engine.
func ours(asked []question) (out []string) {
	for _, q := range asked {
		out = append(out, q.ours)
	}
	return out
}

// Recorded episodes go as they went in the simulator.
func TestTraces(t *testing.T) {
	if *update {
		updateTraces(t)
	}
	steps := 0
	for tr := range readLines[trace](t, traceSums) {
		r := record(tr.play())
		for _, a := range tr.Actions {
			r.step(a)
		}
		got := sums(r.asked, ours(r.asked))
		for i := range tr.Sums {
			if i >= len(got) || got[i] != tr.Sums[i] {
				t.Errorf("%v: differs after %d actions", tr.play(), i)
				break
			}
		}
		steps += len(tr.Actions)
	}
	if steps == 0 {
		t.Error("no steps are recorded")
	}
}

// updateTraces plays an episode of each task, and some long ones.
func updateTraces(t *testing.T) {
	d := startDriver(t)
	f, err := os.Create(traceSums)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rng := rand.New(rand.NewPCG(*diffSeed, 2))
	for i, name := range lab.TaskNames() {
		p := play{task: name, variation: rng.IntN(lab.Variations(name)), simplifications: simplificationSets[i%len(simplificationSets)], order: order(i % 3)}
		length := 20
		if i%10 == 0 {
			length = 150
		}
		r := record(p)
		m := &mischief{rng: rng, kinds: map[string]int{}}
		for range length {
			r.step(m.action(r))
		}
		var calls []call
		for _, q := range r.asked {
			calls = append(calls, q.call)
		}
		writeLine(t, f, trace{name, p.variation, p.simplifications, p.order, r.play.actions, sums(r.asked, d.answers(t, calls))})
	}
}

// solution is a recorded gold path.
type solution struct {
	Task      string `json:"task"`
	Variation int    `json:"variation"`
	Length    int    `json:"length"`
	Sum       uint32 `json:"sum"`
}

// solutionsFor are the simplifications of recorded solutions.
const solutionsFor = "easy"

// Solutions are those of the simulator.
func TestSolutions(t *testing.T) {
	if *update {
		updateSolutions(t)
	}
	for want := range readLines[solution](t, goldSums) {
		path, err := lab.GoldPath(want.Task, want.Variation, solutionsFor)
		if err != nil || len(path) != want.Length || sum(path...) != want.Sum {
			t.Errorf("%s %d: %d inputs, %v, want others: %d", want.Task, want.Variation, len(path), err, want.Length)
		}
	}
}

// updateSolutions makes the solution of one variation of each task, each in a
// process of its own: the simulator remembers tours.
func updateSolutions(t *testing.T) {
	f, err := os.Create(goldSums)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rng := rand.New(rand.NewPCG(*diffSeed, 3))
	for _, name := range lab.TaskNames() {
		d := startDriver(t)
		v := rng.IntN(lab.Variations(name))
		path := strings.Split(d.answers(t, []call{loadCall(name, v, solutionsFor, true), {"getGoldActionSequence"}})[1], "\n")
		writeLine(t, f, solution{name, v, len(path), sum(path...)})
		d.in.Close()
	}
}

func writeLine(t *testing.T, f *os.File, v any) {
	t.Helper()
	line, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(append(line, '\n')); err != nil {
		t.Fatal(err)
	}
}

// readLines yields the lines of a file.
func readLines[T any](t *testing.T, file string) func(yield func(T) bool) {
	return func(yield func(T) bool) {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var v T
			if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
				t.Fatal(err)
			}
			if !yield(v) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			t.Fatal(err)
		}
	}
}
