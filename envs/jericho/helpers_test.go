package jericho

import "testing"

// Helpers take what other memory leaves, within their bounds.
func TestHelpBeside(t *testing.T) {
	for _, x := range []struct{ others, want int64 }{
		{-1 << 20, mostHelp}, {roomy - mostHelp, mostHelp}, {100 << 20, roomy - 100<<20},
		{roomy - leastHelp, leastHelp}, {1 << 40, leastHelp},
	} {
		if got := helpBeside(x.others); got != x.want {
			t.Errorf("%d bytes beside %d, want %d", got, x.others, x.want)
		}
	}
	if got := helpMemory(leastHelp); got != leastHelp {
		t.Errorf("%d bytes, want %d", got, leastHelp)
	}
	if got := helpMemory(leastHelp + 1); got < leastHelp || got > mostHelp {
		t.Errorf("%d bytes", got)
	}
}
