package ulimit

import (
	"strings"
	"testing"
)

// The least limits are enough, and one below them is not.
func TestLack(t *testing.T) {
	for _, c := range []struct {
		files, space uint64
		want         string
	}{
		{^uint64(0), ^uint64(0), ""},
		{leastFiles, leastSpace, ""},
		{leastFiles - 1, leastSpace, "ulimit -n"},
		{leastFiles, leastSpace - 1, "ulimit -v"},
		{0, 0, "ulimit -n"},
	} {
		got := lack(c.files, c.space)
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) || strings.Count(got, "\n") > 1 {
			t.Errorf("%d files, %d bytes: %q, want one line with %q", c.files, c.space, got, c.want)
		}
	}
}
