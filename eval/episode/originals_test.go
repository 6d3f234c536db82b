package episode

import (
	"os/exec"
	"testing"

	"heldout/envs/sharedtest"
)

// The scripts that compare requests with those of the originals have tests of
// their own.
func TestOriginals(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		sharedtest.Absent(t, "python3", "needs Python 3, in which the scripts are written: apt-get install python3")
	}
	c := exec.CommandContext(t.Context(), python, "-B", "-W", "error", "-m", "unittest")
	c.Dir = "testdata/conformance/originals"
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
