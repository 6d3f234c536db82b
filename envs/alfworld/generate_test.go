package alfworld

import (
	"testing"
)

func generated(t testing.TB, seed int64) *Env {
	t.Helper()
	e, err := NewGenerated(seed, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Every generated game is solved by the expert.
func TestExpertGenerated(t *testing.T) {
	e := generated(t, 0)
	for _, task := range e.Tasks() {
		steps, success := solve(t, e, task)
		if !success || steps < 3 || steps > 14 {
			t.Errorf("%s: %d steps, success %v", task.ID, steps, success)
		}
	}
}
