package claim

import (
	"testing"

	"heldout/envs/sharedtest"
)

// Captions and claims count the seeds of players that depend on them, if there are any.
func TestSeedsText(t *testing.T) {
	expert := Subject{Seeds: 1, Seedless: true}
	for want, subjects := range map[string][]Subject{
		"3 seeds": {{Seeds: 3}, expert}, "1 seed": {expert}, "1 to 3 seeds": {{Seeds: 3}, {Seeds: 1}, expert},
		"2 to 4 seeds": {{Seeds: 4, FewestSeeds: 2}, {}}, "": {{}},
	} {
		sharedtest.Equal(t, seeds(subjects), want, subjects)
	}
}
