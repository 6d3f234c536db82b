package child

import (
	"testing"

	"heldout/envs/outside/lines"
)

// FuzzAnswer looks for bytes that are read as an answer to several requests.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte(`{"id":1,"observation":"x","reward":1e3,"done":true}` + "\n"))
	f.Fuzz(func(t *testing.T, line []byte) {
		var a response
		if lines.Parse(line, &a) != nil {
			return
		}
		kinds := 0
		for _, ask := range []string{askStart, askStep, askActions, askExpert, askFork, askStateKey, askClose} {
			if a.only(ask) == nil {
				kinds++
			}
		}
		one := a.Reward != nil || a.Actions != nil || a.Action != nil || a.StateKey != ""
		if kinds > 1 && a.Goal+a.Error == "" && one {
			t.Errorf("%q answers %d requests", line, kinds)
		}
	})
}
