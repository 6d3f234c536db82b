package agent

import (
	"strings"
	"testing"

	"heldout/envs/sharedtest"
)

func TestParseBoard(t *testing.T) {
	for _, c := range sharedtest.Cases[struct{ Name, Reply, Want string }](t, "boardreplies.yaml") {
		t.Run(c.Name, func(t *testing.T) {
			if got, ok := parseBoard(c.Reply, 0); got.action != c.Want || ok != (c.Want != "") {
				t.Errorf("%q, %v, want %q", got.action, ok, c.Want)
			}
		})
	}
}

func FuzzParseBoard(f *testing.F) {
	for _, c := range replies(f) {
		if len(c.Reply) < 1000 {
			f.Add(c.Reply)
		}
	}
	f.Add("The next action:\n'İ action is to\r\n/open box/")
	f.Fuzz(func(t *testing.T, reply string) {
		got, ok := parseBoard(reply, 0)
		if strings.Contains(got.action, "\n") || ok != (got.action != "") {
			t.Errorf("%q gives %q, %v", reply, got.action, ok)
		}
		if !strings.Contains(reply, got.action) {
			t.Errorf("%q gives %q, which it does not contain", reply, got.action)
		}
	})
}

// What the history holds is what AgentBoard's drivers make of an action.
func TestKeptActions(t *testing.T) {
	for _, c := range sharedtest.Cases[struct{ Kept, Action, Want string }](t, "keptactions.yaml") {
		sharedtest.Equal(t, keeper(c.Kept)(c.Action), c.Want, c.Kept, c.Action, "gives")
	}
}
