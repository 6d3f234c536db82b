package tensorboard

import (
	"encoding/hex"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"heldout/envs/sharedtest"
)

// The bytes are those that the Python package tensorboard 2.21.0 writes for the same events.
func TestFrame(t *testing.T) {
	at := time.Unix(1, 500_000_000)
	for want, data := range map[string][]byte{
		"1800000000000000a37f4b2209000000000000f83f1a0d627261696e2e4576656e743a322a28646c": version(at),
		"2300000000000000b09f774309000000000000f83f10c8012a150a130a0c7064646c2f737563636573731500004841ae5e2915": event(at,
			200, []Scalar{{"pddl/success", 12.5}}),
	} {
		if got := hex.EncodeToString(frame(data)); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}

// reader prints what TensorBoard reads from a folder.
const reader = `
import json, sys
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
a = EventAccumulator(sys.argv[1])
a.Reload()
print(json.dumps({tag: [[e.step, round(e.value, 6)] for e in a.Scalars(tag)] for tag in a.Tags()["scalars"]}))
`

// TensorBoard itself reads the files.
func TestRead(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil || exec.Command(python, "-c", "import tensorboard").Run() != nil {
		sharedtest.Absent(t, "tensorboard", "needs Python 3 with TensorBoard: pip install tensorboard")
	}
	dir := t.TempDir()
	for i, step := range []int64{200, 1000} {
		err := Append(dir, time.Unix(1_700_000_000+int64(i), 0), step, []Scalar{{"pddl/success", 12.5 * float64(i)},
			{"pddl/progress", 50}})
		if err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.Command(python, "-c", reader, dir).Output()
	if err != nil {
		t.Fatal(err)
	}
	var got map[string][][]float64
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	want := map[string][][]float64{"pddl/success": {{200, 0}, {1000, 12.5}}, "pddl/progress": {{200, 50}, {1000, 50}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAppendFails(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Append(file, time.Unix(0, 0), 0, []Scalar{{"x", math.NaN()}}); err == nil {
		t.Error("a file is taken for a folder")
	}
}
