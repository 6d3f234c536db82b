package scoring

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"heldout/scoring/record"
)

// TestRanks: of three scores on 40 tasks, one is certainly the best; the others
// cannot be told apart.
func TestRanks(t *testing.T) {
	var scores []*Score
	for _, solved := range []int{6, 40, 5} {
		r := newRun(40, 1)
		for i := range 40 {
			outcome, progress := record.Failure, 0.0
			if i < solved {
				outcome, progress = record.Success, 1
			}
			r.add(id(0, i), outcome, progress, 1)
		}
		scores = append(scores, r.score(t))
	}
	got, err := Rank(scores)
	if err != nil {
		t.Fatal(err)
	}
	want := []Ranks{{2, 3}, {1, 1}, {2, 3}}
	if diff := cmp.Diff(want, got.Success); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, got.Progress); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
	if len(got.Pairs) != 3 {
		t.Fatalf("%d pairs", len(got.Pairs))
	}
	for _, p := range got.Pairs {
		alone, together := p.Alone.Success, p.Together.Success
		if !(together.Low < alone.Low || alone.Low == -1) || !(together.High > alone.High || alone.High == 1) ||
			alone.Mean != together.Mean {
			t.Errorf("%d and %d: alone %v, together %v", p.A, p.B, alone.Interval, together.Interval)
		}
	}
}
