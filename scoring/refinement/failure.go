package refinement

import (
	"regexp"
	"slices"
	"strings"

	"heldout/scoring/record"
)

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
