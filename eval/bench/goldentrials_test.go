package bench

import (
	"strings"
	"testing"
)

// withEarlier gives the cases of later trials, which are played after the earlier ones of
// their task, what the model answered then: Reflexion reflects on all games that failed, in
// their order, between two trials.
func withEarlier(t *testing.T, cases []*goldenCase) {
	t.Helper()
	var failed, reflections []*goldenCase
	for _, c := range cases {
		if strings.HasPrefix(c.task, "reflection ") {
			reflections = append(reflections, c)
			continue
		}
		name, later := strings.CutSuffix(c.task, " trial 1")
		if !later {
			if c.outcome != nil && c.outcome.Success != nil && !*c.outcome.Success {
				failed = append(failed, c)
			}
			continue
		}
		for i, first := range failed {
			if first.task == name+" trial 0" {
				c.earlier = append(append(c.earlier, first.replies...), reflections[i].replies...)
			}
		}
		if c.earlier == nil {
			t.Fatalf("%s has no failed trial before it", c.task)
		}
	}
}
