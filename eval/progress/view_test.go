package progress

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"heldout/eval"
	"heldout/eval/agent"
	"heldout/eval/episode"
	"heldout/scoring/record"
)

// The cells of a run add up to its totals at every moment, folded or not, and rows and columns
// stand in the order of the plan whatever ends first.
func TestViewOfAnyRun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		due, rows, models := anyRun(t)
		now := time.Unix(0, 0)
		p := NewRun(due, 4, never, func() time.Time { return now })
		for _, i := range rapid.Permutation(indices(due.Missing)).Draw(t, "ends") {
			e := due.Missing[i]
			p.EpisodeBegun(e)
			p.StepDone(e, agent.Usage{Usage: record.Usage{CompletionTokens: 3}})
			now = now.Add(time.Second)
			r := result(e, 2, rapid.SampledFrom([]record.Outcome{record.Success, record.Failure, record.ModelError,
				record.Cancelled}).Draw(t, "outcome"), 0, time.Second)
			r.FormatErrors = 1
			p.EpisodeDone(e, r)
			v := p.View()
			checkView(t, v, rows, models)
			for _, fold := range []View{v, v.Fold(true, false), v.Fold(false, true), v.Fold(true, true)} {
				checkSums(t, p, fold)
			}
		}
	})
}

// anyRun is a run of some environments, models and perturbations, part of which has ended.
func anyRun(t *rapid.T) (due eval.Due, rows, models []string) {
	perturbations := []string{"none", "P1", "P2", "P3"}[:rapid.IntRange(1, 4).Draw(t, "conditions")]
	for m := range rapid.IntRange(1, 8).Draw(t, "models") {
		models = append(models, fmt.Sprint("m", m))
	}
	for e := range rapid.IntRange(1, 6).Draw(t, "environments") {
		for _, perturbation := range perturbations {
			env := fmt.Sprint("e", e)
			rows = append(rows, strings.TrimSuffix(env+" "+perturbation, " none"))
			for _, model := range models {
				some := episodes(env, model, perturbation, 5, rapid.IntRange(1, 3).Draw(t, "episodes"))
				due.Conditions = append(due.Conditions, *some[0].Condition)
				ended := rapid.IntRange(0, len(some)).Draw(t, "ended")
				for _, one := range some[:ended] {
					due.Finished = append(due.Finished, eval.Finished{Episode: one,
						Attempt: &record.Attempt{Rank: record.Rank{Outcome: record.Failure}}})
				}
				due.Missing = append(due.Missing, some[ended:]...)
			}
		}
	}
	return due, rows, models
}

func indices(episodes []*episode.Episode) []int {
	out := make([]int, len(episodes))
	for i := range out {
		out[i] = i
	}
	return out
}

func checkView(t *rapid.T, v View, rows, models []string) {
	var labels []string
	for _, row := range v.Rows {
		labels = append(labels, strings.TrimSpace(row.Place+" "+row.Perturbation))
	}
	if !slices.Equal(labels, rows) || !slices.Equal(v.Models, models) {
		t.Fatalf("rows %q and columns %q, want %q and %q", labels, v.Models, rows, models)
	}
}

// checkSums reports cells that do not add up to what the run has.
func checkSums(t *rapid.T, p *Tracker, v View) {
	var sum Cell
	for _, row := range v.Rows {
		if len(row.Cells) != len(v.Models) {
			t.Fatalf("%d cells for %d models", len(row.Cells), len(v.Models))
		}
		for _, c := range row.Cells {
			if c.Success < 0 || c.Success > 1 || c.Done > c.Planned {
				t.Errorf("impossible: %+v", c)
			}
			sum = sum.plus(c)
		}
	}
	s := p.Status()
	ended := s.Done // since the run began
	if totals := fmt.Sprintf("%d/%d episodes", sum.Done, sum.Planned); !strings.HasPrefix(v.Totals, totals) ||
		sum.Done != p.finished+ended-s.Failed || sum.Replies != 2*ended || sum.Unreadable != ended {
		t.Errorf("cells add up to %s and %d of %d replies, but there are %q", totals, sum.Unreadable, sum.Replies,
			v.Totals)
	}
}
