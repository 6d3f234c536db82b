package record

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"heldout/envs/sharedtest"
)

// thoughtful is a run that is worth keeping measures of. Measuring measures the first thought, and counts how often.
func thoughtful(t *testing.T) (dir string, measuring func(version int) (*Measuring, *atomic.Int32)) {
	t.Helper()
	dir, episodes := indexedRun(t, worthKeeping+50)
	var lines []byte
	for i, e := range episodes {
		e.Schema = Schema
		e.Trajectory[0].Thought = fmt.Sprint("thought ", i)
		line := sharedtest.Must(encode(e))(t)
		lines = append(lines, line...)
	}
	overwrite(t, dir, episodesFile, lines)
	return dir, func(version int) (*Measuring, *atomic.Int32) {
		var made atomic.Int32
		return NewMeasuring(version, func(_ *Manifest, e *Episode) *string {
			made.Add(1)
			return new(e.ID + e.Trajectory[0].Thought)
		}), &made
	}
}

// measuredRun reads a run, and returns what was measured and how many measures were made for that.
func measuredRun(t *testing.T, dir string, g *Measuring, made *atomic.Int32) (found map[string]string, n int) {
	t.Helper()
	made.Store(0)
	found = map[string]string{}
	if _, err := EachMeasured(Parts{dir}, g, Companion{}, func(_ *Manifest, e *Episode, _ Position, text *string,
		_ any) {
		found[e.ID] = *text
	}); err != nil {
		t.Fatal(err)
	}
	return found, int(made.Load())
}

// What is measured is kept, and what is kept is what would be measured: also when the file of measures is damaged
// anywhere, when lines of the run change, and when another version measures.
func TestMeasuresAreKept(t *testing.T) {
	dir, measuring := thoughtful(t)
	g, made := measuring(1)
	want, n := measuredRun(t, dir, g, made)
	sharedtest.Equal(t, n, worthKeeping+50, "measures are made at first")
	name := filepath.Join(dir, measuresFile)
	kept := sharedtest.Must(os.ReadFile(name))(t)
	same := func(what string, g *Measuring, made *atomic.Int32, least, most int) {
		t.Helper()
		got, n := measuredRun(t, dir, g, made)
		if diff := cmp.Diff(want, got); diff != "" || n < least || n > most {
			t.Errorf("%s: %d made, want %d to %d: %s", what, n, least, most, diff)
		}
	}
	same("again", g, made, 0, 0)
	other, madeByOther := measuring(2)
	same("another version", other, madeByOther, n, n)
	same("another version again", other, madeByOther, 0, 0)
	same("the first one after that", g, made, 0, 0)
	random := rand.New(rand.NewPCG(1, 2))
	for range sharedtest.Times(t, 40, 4) {
		damaged := bytes.Clone(kept)
		for range 1 + random.IntN(3) {
			damaged[random.IntN(len(damaged))] ^= byte(1 + random.IntN(255))
		}
		overwrite(t, dir, measuresFile, damaged[:len(damaged)-random.IntN(2)*random.IntN(300)])
		same("damaged", g, made, 0, 12)
	}
	overwrite(t, dir, measuresFile, kept)
	e := new(Episode)
	sharedtest.OK(t, sharedtest.Err(EachEpisode(Parts{dir}, func(_ *Manifest, of *Episode) {
		if of.TaskIndex == 0 {
			*e = *of
		}
	})))
	lines := sharedtest.Must(os.ReadFile(filepath.Join(dir, episodesFile)))(t)
	_, rest, _ := bytes.Cut(lines, []byte("\n"))
	e.Trajectory[0].Thought = "changed"
	want[e.ID] = e.ID + "changed"
	line := sharedtest.Must(encode(e))(t)
	overwrite(t, dir, episodesFile, append(line, rest...))
	same("a changed line", g, made, 1, 1)
}

// An index has the notes of all measures, known or not, also of lines that come later.
func TestNotes(t *testing.T) {
	dir, measuring := thoughtful(t)
	lines := sharedtest.Must(os.ReadFile(filepath.Join(dir, episodesFile)))(t)
	note := func(r *Result, limit int, measures any) uint8 {
		return uint8(len(*measures.(*string))+r.TaskIndex) + uint8(limit)
	}
	for _, part := range []int{len(lines), 0, len(lines) / 3} { // unknown, known, and both
		overwrite(t, dir, episodesFile, lines[:bytes.LastIndexByte(lines[:part], '\n')+1])
		g, _ := measuring(1)
		x := sharedtest.Must(OpenNoted(Parts{dir}, g, note))(t)
		overwrite(t, dir, episodesFile, lines)
		updated(t, x)
		sharedtest.Equal(t, x.Results().Len(), worthKeeping+50, "results")
		for i := range x.Results().Len() {
			r := x.Results().Result(i)
			if got := x.Results().Note(i); got != uint8(20+len(fmt.Sprint("thought ", i))+r.TaskIndex+5) {
				t.Fatalf("note %d is %d", i, got)
			}
		}
	}
}

// A line of the file of measures that is not sealed as heldout seals it is not used, whatever it says.
func FuzzMeasures(f *testing.F) {
	g := NewMeasuring(1, func(*Manifest, *Episode) *string { return nil })
	good := Seal([]byte(`{"line":"0123456789abcdef","version":1,"measures":"text"}`))
	for _, line := range [][]byte{good, good[:len(good)-2], []byte(`{"line":"0123456789abcdef","version":1}`), nil,
		Seal([]byte(`{"version":2,"measures":"text"}`)), Seal([]byte(`{"measures":{}}`)), Seal([]byte(`{`))} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		body, sum, sealed := cutSeal(line)
		_, found, err := g.reader()(line)
		if err == nil && (!sealed || checksum(body) != sum || *found.(*string) == "" && !bytes.Contains(line, []byte(`""`))) {
			t.Errorf("%q is taken for %q", line, *found.(*string))
		}
	})
}
