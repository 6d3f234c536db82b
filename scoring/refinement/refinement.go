// Package refinement measures what an agent does with its errors: how often it makes them, how long it repeats
// them, whether it turns them into a better action, how it explores, and how its episodes end. It consists of pure
// functions on records. MEASURES.md defines each measure.
package refinement

import (
	"regexp"
	"slices"
	"strings"

	"heldout/scoring/record"
)

// Horizons are the numbers of steps within which a recovery from an error counts.
var Horizons = [3]int{1, 3, 5}

// Version is the version of the definitions of Counts, which run directories keep: it goes up with each change.
const Version = 1

// Counts is what one episode contributes: counts of at most record.MaxSteps, because large runs keep one for each
// episode. An error is a step that has no readable action or whose action the environment did not carry out.
type Counts struct {
	Steps, FormatErrors, Invalid uint16
	// ProgressOnly says that Steps, Solved and Changes are known alone, as of logs without the validity of actions.
	ProgressOnly bool
	// Replies counts the steps whose server said why the reply ended, CutOff those that ended by the length limit.
	Replies, CutOff uint16
	// CutOffErrors counts the format errors among those that ended by the length limit.
	CutOffErrors uint16
	// OldForm counts invalid actions in a form that the perturbation replaces;
	// Perturbed says that there are such forms.
	OldForm   uint16
	Perturbed bool
	// OldUses and NewUses count the actions of forms that the perturbation writes differently, by the way that they
	// are written. Refused says that one is written in the old way. Relearning is the time from the first of them
	// to the first action that writes the same form in the new way.
	OldUses, NewUses uint16
	Refused          bool
	Relearning       Spell
	// Adapted says that a valid action writes its form in the new way, Adapting how many
	// errors come before the first one.
	Adapted  bool
	Adapting uint16

	// Runs are the lengths of the runs of consecutive errors.
	Runs []uint16
	// Repeated counts the errors that repeat an earlier error in the same situation.
	Repeated uint16
	// Looped counts the steps inside a cycle, ValidLooped the valid ones of them.
	Looped, ValidLooped uint16
	// Recovered and Progressed count the errors that a different valid action, or
	// progress, followed within the steps of Horizons.
	Recovered, Progressed [len(Horizons)]uint16
	// Spells are the times from each error to the first different valid action.
	Spells Spells

	// Actions counts different valid actions, Observations different observations of steps.
	Actions, Observations uint16
	Thoughts              Thoughts

	// Solved says that the episode succeeded. Lost says that it ended with less progress than it had reached.
	Solved, Lost bool
	// Of failures: Astray says that objects were taken in ALFWorld, and none that the goal names. Decided says that the
	// last action is one that ends an episode for good or ill.
	Astray, Decided bool
	// Changes are the steps at which progress changed, in order.
	Changes []Change
	// Stuck is the last step, from 1, at which progress reached a new maximum; 0 if none did.
	Stuck uint16
}

// Change is a change of progress.
type Change struct {
	Step     uint16 // from 1
	Progress float64
}

// ProgressAt returns the progress after a step; after the last step it stays.
func (c *Counts) ProgressAt(step int) (progress float64) {
	for _, change := range c.Changes {
		if int(change.Step) > step {
			break
		}
		progress = change.Progress
	}
	return progress
}

// Errors counts the errors.
func (c *Counts) Errors() uint16 { return c.FormatErrors + c.Invalid }

// Longest is the length of the longest run of errors.
func (c *Counts) Longest() (longest uint16) {
	for _, n := range c.Runs {
		longest = max(longest, n)
	}
	return longest
}

// Count measures an episode. Old reports whether an action is in a form that the
// perturbation replaces; nil without a perturbation of the interface.
func (c *Counter) Count(e *record.Episode, old func(action string) bool) Counts {
	out := WithoutThoughts(e, old)
	out.Thoughts = c.thoughts(e.Trajectory)
	return out
}

// WithoutThoughts measures an episode as Count does, except for its thoughts.
func WithoutThoughts(e *record.Episode, old func(action string) bool) Counts {
	out := Counts{Steps: uint16(len(e.Trajectory)), Perturbed: old != nil, Solved: e.Success}
	for _, s := range e.Trajectory {
		switch {
		case s.FormatError:
			out.FormatErrors++
		case s.Erroneous():
			out.Invalid++
			if s.OldForm != "" || old != nil && old(s.Action) {
				out.OldForm++
			}
		}
		if s.FinishReason != "" {
			out.Replies++
			if s.FinishReason == lengthLimit {
				out.CutOff++
				if s.FormatError {
					out.CutOffErrors++
				}
			}
		}
	}
	out.runs(e.Trajectory)
	out.repetitions(e)
	out.Looped, out.ValidLooped = looped(e.Trajectory)
	out.recoveries(e.Trajectory)
	out.relearn(e.Trajectory)
	out.variety(e.Trajectory)
	out.profile(e.Trajectory)
	out.failure(e)
	return out
}

// lengthLimit is the finish reason of replies that the length limit ended.
const lengthLimit = "length"

// runs measures the runs of consecutive errors.
func (c *Counts) runs(steps []record.Step) {
	for i, s := range steps {
		if !s.Erroneous() {
			continue
		}
		if i == 0 || !steps[i-1].Erroneous() {
			c.Runs = append(c.Runs, 0)
		}
		c.Runs[len(c.Runs)-1]++
	}
}

// repetitions counts errors that were made before in an equal situation: an error does not change the world, so two
// situations are equal if the last valid step had the same answer.
func (c *Counts) repetitions(e *record.Episode) {
	type attempt struct{ situation, action string }
	failed := map[attempt]bool{}
	situation := e.Observation
	for _, s := range e.Trajectory {
		if !s.Erroneous() {
			situation = s.Observation
			continue
		}
		a := attempt{situation, s.Action}
		if failed[a] {
			c.Repeated++
		}
		failed[a] = true
	}
}

const (
	// longestPeriod is the number of steps of the longest cycle. cycles is the number of consecutive passes that
	// make a cycle a loop: it repeats at least twice.
	longestPeriod = 5
	cycles        = 3
)

// looped counts the steps in cycles of action and observation, and the valid ones of them.
func looped(steps []record.Step) (n, valid uint16) {
	inside := make([]bool, len(steps))
	for period := 1; period <= longestPeriod; period++ {
		run := 0 // steps in a row that equal the one a period before
		for i := period; i < len(steps); i++ {
			if steps[i].Action != steps[i-period].Action || steps[i].Observation != steps[i-period].Observation {
				run = 0
				continue
			}
			if run++; run < (cycles-1)*period {
				continue
			}
			for j := i - cycles*period + 1; j <= i; j++ {
				inside[j] = true
			}
		}
	}
	for i, in := range inside {
		if in {
			n++
			if steps[i].Valid {
				valid++
			}
		}
	}
	return n, valid
}

// recoveries looks for the recovery that follows each error.
func (c *Counts) recoveries(steps []record.Step) {
	for i, s := range steps {
		if !s.Erroneous() {
			continue
		}
		spell := Spell{Steps: uint16(len(steps) - 1 - i)}
		progressed := 0
		for j := i + 1; j < len(steps); j++ {
			if progressed == 0 && steps[j].Progress > s.Progress {
				progressed = j - i
			}
			if !spell.Recovered && !steps[j].Erroneous() && steps[j].Action != s.Action {
				spell = Spell{uint16(j - i), true}
			}
			if spell.Recovered && (progressed > 0 || j-i >= Horizons[len(Horizons)-1]) {
				break
			}
		}
		c.Spells.add(spell)
		for h, horizon := range Horizons {
			if spell.Recovered && int(spell.Steps) <= horizon {
				c.Recovered[h]++
			}
			if progressed > 0 && progressed <= horizon {
				c.Progressed[h]++
			}
		}
	}
}

// variety counts different actions and observations.
func (c *Counts) variety(steps []record.Step) {
	actions, observations := map[string]bool{}, map[string]bool{}
	for _, s := range steps {
		observations[s.Observation] = true
		if !s.Erroneous() {
			actions[s.Action] = true
		}
	}
	c.Actions, c.Observations = uint16(len(actions)), uint16(len(observations))
}

// almost allows for the rounding of progress, which is a share of sub-goals.
const almost = 1e-9

// profile says when progress was made, and whether it was lost.
func (c *Counts) profile(steps []record.Step) {
	best, last := 0.0, 0.0
	for i, s := range steps {
		if s.Progress != last {
			c.Changes = append(c.Changes, Change{uint16(i + 1), s.Progress})
		}
		if last = s.Progress; last <= best+almost {
			continue
		}
		best = last
		c.Stuck = uint16(i + 1)
	}
	c.Lost = last < best-almost
}

// takeAction is how ALFWorld's agents take objects.
var takeAction = regexp.MustCompile(`^take (\w+) \d+ from `)

// failure says what a failed episode went for.
func (c *Counts) failure(e *record.Episode) {
	if e.Outcome != record.Failure || len(e.Trajectory) == 0 {
		return
	}
	last := e.Trajectory[len(e.Trajectory)-1].Action
	c.Decided = strings.HasPrefix(last, "focus on ") || strings.HasPrefix(strings.ToLower(last), "finish[")
	c.Astray = e.Env == "alfworld" && astray(e)
}

// astray reports whether the agent took objects, but none whose name is a word of the goal.
func astray(e *record.Episode) bool {
	words := strings.FieldsFunc(strings.ToLower(e.Goal), func(r rune) bool { return r < 'a' || r > 'z' })
	anyTaken := false
	for _, s := range e.Trajectory {
		if found := takeAction.FindStringSubmatch(s.Action); found != nil && s.Valid {
			if slices.Contains(words, found[1]) {
				return false
			}
			anyTaken = true
		}
	}
	return anyTaken
}
