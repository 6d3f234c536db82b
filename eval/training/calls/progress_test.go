package calls

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// The line says how long the rest takes at the pace so far.
func TestProgressLine(t *testing.T) {
	now := time.Unix(0, 0)
	items := NewProgress(10, func() time.Time { return now })
	now = now.Add(40 * time.Second)
	for range 3 {
		items.Item(nil)
	}
	items.Item(errors.New("no reply"))
	line := items.Line()
	for _, part := range []string{"4/10 items", "ETA 1m0s", "1 without a result", "0 calls"} {
		if !strings.Contains(line, part) {
			t.Errorf("%q lacks %q", line, part)
		}
	}
	for range 6 {
		items.Item(nil)
	}
	if line := items.Line(); strings.Contains(line, "ETA") {
		t.Errorf("what is done has a rest: %q", line)
	}
}
