package scoring

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"heldout/eval/record"
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
	got, err := RankSuccess(scores)
	if err != nil {
		t.Fatal(err)
	}
	want := []Ranks{{2, 3}, {1, 1}, {2, 3}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got, err = RankProgress(scores); err != nil || cmp.Diff(want, got) != "" {
		t.Errorf("progress: %v, error %v", got, err)
	}
}
