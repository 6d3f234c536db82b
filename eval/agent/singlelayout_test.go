package agent

import (
	"strings"
	"testing"

	"heldout/configs"
	"heldout/envs/sharedtest"
	"heldout/eval/model"
)

// If a message does not fit, what it shows is shortened, the oldest first. What it
// does not show costs no call.
func TestSingleTrims(t *testing.T) {
	for _, older := range []string{"", "({action})"} {
		play := chatPlay()
		play.Agent = configs.AgentForm{Form: configs.Single, Pairs: 2}
		template := &configs.Template{Next: "{history}\n{observation}", Pair: "[{observation}|{action}]", Older: older}
		full := false
		refused := 0
		m := &fakeModel{answer: func(int, model.Request) (model.Reply, error) {
			if full {
				refused++
				return model.Reply{}, &model.ContextError{Status: 400, Message: "too long", Attempts: 1}
			}
			return model.Reply{Text: "Action: go", Attempts: 1}, nil
		}}
		a := sharedtest.Must(NewProtocol(chat(m), Protocol{Play: play, Template: template}, nil, start))(t)
		for turn := range 12 {
			move(t, a)
			a.Observe(observation(turn))
		}
		full = true
		if _, err := a.Act(t.Context()); err == nil {
			t.Error("a message that never fits is answered")
		}
		want := 2 // whole, and with one pair
		if older != "" {
			want = 13 // without any of the 11 older actions
		}
		last := m.requests[len(m.requests)-1].Messages[0].Content
		if refused != want || strings.Count(last, "[") != 1 || strings.Contains(last, "(go)") {
			t.Errorf("older %q: %d calls, want %d; the last: %q", older, refused, want, last)
		}
	}
}
