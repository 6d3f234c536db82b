package scienceworld

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"os"
	"strconv"
	"testing"

	"heldout/envs/sharedtest"
)

// The files of sums hold what the official simulator answered, each answer as a
// number of 32 bits. With -update and the simulator they are made anew.
var update = flag.Bool("update", false, "make the files of sums anew, from the official simulator")

const variationSums = "testdata/variations.sum"

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
	return []call{loadCall(task, variation, "", false), {"#counter"}, {"#generator"}, {"getTaskDescription"},
		{"freeActionLook"}, {"freeActionInventory"}, {"getGoalProgressStr"}}
}

// Every variation of every task starts as the simulator's: description, first
// look, inventory, goals, generator and the number of objects made.
func TestVariations(t *testing.T) {
	if *update {
		updateVariations(t)
	}
	want := sharedtest.Must(os.ReadFile(variationSums))(t)
	w := New()
	i, wrong, every := -1, 0, sharedtest.Every(t, 11)
	for _, name := range TaskNames() {
		for v := range Variations(name) {
			if i++; i%every != 0 {
				continue
			}
			trouble := w.Load(name, v, "")
			generator, objects := w.State()
			got := sum(trouble, strconv.Itoa(objects), strconv.FormatUint(generator, 10), w.Description(), w.Look(),
				w.Inventory(), w.Progress())
			if len(want) < 4*i+4 || got != bigEndian(want[4*i:]) {
				if wrong++; wrong <= 5 {
					t.Errorf(
						"%s %d does not start as in the official simulator; TestDifferential with the simulator "+
							"shows how", name, v)
				}
			}
		}
	}
	sharedtest.Equal(t, len(want), 4*(i+1), i+1, "variations")
	t.Logf("%d of %d variations differ", wrong, i/every+1)
}

func bigEndian(b []byte) uint32 {
	return uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3])
}

func updateVariations(t *testing.T) {
	d := startDriver(t)
	var out []byte
	for _, name := range TaskNames() {
		for v := range Variations(name) {
			s := sum(d.answers(t, start(name, v))...)
			out = append(out, byte(s>>24), byte(s>>16), byte(s>>8), byte(s))
		}
	}
	sharedtest.OK(t, os.WriteFile(variationSums, out, 0o644))
}

func writeLine(t *testing.T, f *os.File, v any) {
	t.Helper()
	if _, err := f.Write(append(sharedtest.Must(json.Marshal(v))(t), '\n')); err != nil {
		t.Fatal(err)
	}
}

// readLines yields the lines of a file.
func readLines[T any](t *testing.T, file string) func(yield func(T) bool) {
	return func(yield func(T) bool) {
		f := sharedtest.Must(os.Open(file))(t)
		defer f.Close()
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var v T
			sharedtest.OK(t, json.Unmarshal(lines.Bytes(), &v))
			if !yield(v) {
				return
			}
		}
		sharedtest.OK(t, lines.Err())
	}
}
