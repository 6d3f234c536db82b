package scoring

import (
	"fmt"
	"math"
	"testing"

	"heldout/scoring/record"
	"heldout/scoring/refinement"
	"heldout/scoring/stats"
)

// writtenAs makes a score of episodes, one per task and letter per step: o and O are
// actions of two forms in the old way, n and N in the new way, and . is any other.
func writtenAs(t *testing.T, episodes ...string) *Score {
	t.Helper()
	r := newRun(len(episodes), 1)
	counter := refinement.NewCounter(nil)
	for i, letters := range episodes {
		e := &record.Episode{}
		for _, letter := range letters {
			s := record.Step{Action: fmt.Sprint(len(e.Trajectory)), Valid: true}
			switch letter {
			case 'o':
				s.OldForm, s.Valid = "go to {recep}", false
			case 'O':
				s.OldForm, s.Valid = "look", false
			case 'n':
				s.NewForm = "go to {recep}"
			case 'N':
				s.NewForm = "look"
			}
			e.Trajectory = append(e.Trajectory, s)
		}
		r.add(id(0, i), record.Failure, 0, 1)
		r.Counts = append(r.Counts, counter.Count(e, refinement.Marked))
	}
	return r.score(t)
}

func TestComputeOldForms(t *testing.T) {
	// 12 tasks. Four never use an old form; four write the refused form in the new way
	// after two steps, where another form in the new way does not count; four never do.
	var episodes []string
	for range 4 {
		episodes = append(episodes, "n.N", "oNn.", "o.o")
	}
	o := ComputeOldForms([]*Score{writtenAs(t, episodes...)})
	if o == nil || o.Old != 12 || o.New != 16 || o.Episodes != 12 || o.Refused != 8 || o.Relearned != 4 {
		t.Fatalf("%+v", o)
	}
	// Per task 0 of 2, 1 of 3 and 2 of 2.
	near(t, "use", o.Use.Value, 12.0/28)
	if o.Median != 0 || len(o.Survival) != len(refinement.SurvivalSteps) || o.Survival[0].Interval != nil {
		t.Errorf("fewer than ten tasks are at risk: %+v", o)
	}
	cost := AdaptationCost([]*Score{writtenAs(t, "oNn", "..n")})
	if cost == nil || !math.IsNaN(cost.Value) {
		t.Errorf("no episode is solved: %+v", cost)
	}
	none := ComputeOldForms([]*Score{writtenAs(t, "...", ".")})
	if none != nil {
		t.Errorf("no form is written differently: %+v", none)
	}
}

// TestRelearning: of 20 refused episodes ten write the form in the new way at the next step, five at the third, and
// five end after two steps. By Kaplan and Meier 10/20 are left after one step; 10 are at risk at the second, and 5
// at the third, of which all do.
func TestRelearning(t *testing.T) {
	var episodes []string
	for i := range 20 {
		episodes = append(episodes, []string{"on", "on", "o..n", "o.."}[i%4])
	}
	o := ComputeOldForms([]*Score{writtenAs(t, episodes...)})
	near(t, "within 1", o.Survival[0].Value, 0.5)
	if o.Median != 1 || o.Refused != 20 || o.Relearned != 15 {
		t.Errorf("%+v", o)
	}
	// Two conditions of the same tasks count together.
	two := ComputeOldForms([]*Score{writtenAs(t, episodes...), writtenAs(t, episodes...)})
	if two.Old != 2*o.Old || two.Episodes != 40 {
		t.Errorf("%+v", two)
	}
	near(t, "use", two.Use.Value, o.Use.Value)
	near(t, "within 1", two.Survival[0].Value, 0.5)
	if two.Survival[0].Interval == nil || *two.Survival[0].Interval == (stats.Interval{}) {
		t.Errorf("interval %+v", two.Survival[0])
	}
}
