package bench

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

// withEarlier gives the cases of later trials, which are played after the earlier ones of
// their task, and the cases of reflections what the model answered before: Reflexion
// reflects on all games that failed, in their order, after each trial.
func withEarlier(t *testing.T, cases []*goldenCase) {
	t.Helper()
	reflection := map[string]*goldenCase{} // the last one on a game
	var failed []*goldenCase               // games of the trial that have no reflection yet
	for _, c := range cases {
		if strings.HasPrefix(c.task, "reflection ") {
			c.about, failed = failed[0], failed[1:]
			c.earlier = slices.Concat(c.about.earlier, c.about.replies)
			game, _ := c.about.trial()
			reflection[game] = c
			continue
		}
		game, trial := c.trial()
		if trial > 1 {
			before := reflection[game]
			if before == nil {
				t.Fatalf("%s has no failed trial before it", c.task)
			}
			c.earlier = slices.Concat(before.earlier, before.replies)
		}
		if c.outcome != nil && c.outcome.Success != nil && !*c.outcome.Success {
			failed = append(failed, c)
		}
	}
}

// trial is the game of a case and the number of its trial, from 1; 0 if it is no trial.
func (c *goldenCase) trial() (game string, number int) {
	game, trial, _ := strings.Cut(c.task, " trial ")
	n, err := strconv.Atoi(trial)
	if err != nil {
		return c.task, 0
	}
	return game, n + 1
}
