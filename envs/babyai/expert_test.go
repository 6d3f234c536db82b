package babyai

import (
	"context"
	"testing"
	"time"
)

// The expert solves the benchmark through the text layer.
func TestExpertOnBenchmark(t *testing.T) {
	e := official(t)
	solved, full, within := 0, 0, 0
	for _, task := range e.Tasks() {
		w, start := played(t, e, task.ID)
		steps := 0
		t0 := time.Now()
		for !w.game.done && steps < 64 {
			action, err := w.ExpertAction(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			if action == "" {
				break
			}
			act(t, w, action)
			steps++
		}
		d := time.Since(t0)
		if w.game.done {
			solved++
			if steps <= 30 {
				within++
			}
		}
		if w.game.reward == 1 {
			full++
		}
		if !w.game.done || w.game.reward < 1 || d > 500*time.Millisecond || steps > 20 {
			t.Logf("%d %s (%s): done %v, reward %v, %d steps, left %v, %v", task.Index, task.ID, start.Goal, w.game.done, w.game.reward, steps, w.game.goals.ways, d)
		}
	}
	t.Logf("%d solved, %d within 30, %d full", solved, within, full)
}
