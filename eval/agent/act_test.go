package agent

import (
	"fmt"
	"strings"
	"testing"

	"heldout/configs"
	"heldout/envs/sharedtest"
	"heldout/eval/model"
	"heldout/scoring/record"
)

const actHead = `Open the box.
Be quick.

Here are examples:
Goal: Open the bag.
Observation: You see a bag.
Action: open bag
Observation: It is locked.
Action: unlock bag
Observation: It is open.
Observation: You see a jar.
Action: open jar
You should perform actions to accomplish the goal: The box is open.
You should use the following commands for help when your action cannot be understood: check valid actions
`

// TestActMessages follows the bytes of AgentBoard's prompt: thoughts are left
// out, the history is lines, and a blank follows the last "Action:".
func TestActMessages(t *testing.T) {
	m := says("open box", "Action: unlock box\nObservation: You did it.", "")
	a := NewAct(chat(m), configs.Prompt{Help: "check valid actions"}, instructions, start)
	for turn, want := range []struct{ action, reply, history string }{
		{"open box", "", "Observation: You see a box.\nAction: "},
		{"unlock box", "Action: unlock box\nObservation: You did it.",
			"Observation: You see a box.\nAction: open box\nObservation: Seen 0.\nAction: "},
		{"", "",
			"Observation: You see a box.\nAction: open box\nObservation: Seen 0.\nAction: unlock box\nObservation: " +
				"Seen 1.\nAction: "},
		{"open box", "",
			"Observation: You see a box.\nAction: open box\nObservation: Seen 0.\nAction: unlock box\nObservation: " +
				"Seen 1.\nAction: \nObservation: Seen 2.\nAction: "},
	} {
		got := move(t, a)
		if got.Action != want.action || got.Reply != want.reply || got.FormatError != (want.action == "") ||
			got.Correction != "" || got.GiveUp {
			t.Errorf("turn %d: %+v", turn+1, got)
		}
		messages := []model.Message{
			{Role: model.System, Content: "You are careful."},
			{Role: model.User, Content: actHead + want.history},
		}
		sharedtest.Same(t, m.requests[turn].Messages, messages, turn+1)
		sharedtest.Equal(t, m.requests[turn].Seed, int64(1000+turn), "turn has the seed", turn+1)
		a.Observe(fmt.Sprintf("Seen %d.", turn))
	}
}

func TestActWithoutExamples(t *testing.T) {
	m := says("open box")
	move(t, NewAct(chat(m), configs.Prompt{Help: "help"}, configs.Instructions{Instruction: "Open the box.\n"}, start))
	want := []model.Message{{Role: model.User, Content: "Open the box.\n" +
		"You should perform actions to accomplish the goal: The box is open.\n" +
		"You should use the following commands for help when your action cannot be understood: help\n" +
		"Observation: You see a box.\nAction: "}}
	sharedtest.Same(t, m.requests[0].Messages, want)
}

// TestActRemembersHundredItems: the window is AgentBoard's, of observations and actions together. What leaves it is
// not trimmed for lack of context, and the shorter prompt is not taken for one that the server cut.
func TestActRemembersHundredItems(t *testing.T) {
	m := says("wait")
	long := start
	long.Observation = strings.Repeat("a long first look ", 200)
	a := NewAct(chat(m), configs.Prompt{Help: "help"}, instructions, long)
	trimmed := 0
	for turn := range 80 {
		trimmed += move(t, a).Usage.Trimmed
		a.Observe(fmt.Sprintf("Seen %d.", turn))
	}
	sharedtest.Equal(t, trimmed, 0, "items were trimmed")
	for turn, req := range m.requests {
		_, history, found := strings.Cut(req.Messages[1].Content, "understood: help\n")
		if !found {
			t.Fatalf("turn %d: %s", turn+1, req.Messages[1].Content)
		}
		items := strings.Split(strings.TrimSuffix(history, "\nAction: "), "\n")
		want := min(100, 1+2*turn)
		sharedtest.Equal(t, len(items), want, "turn has items", turn+1)
		if turn > 0 && items[want-1] != fmt.Sprintf("Observation: Seen %d.", turn-1) {
			t.Errorf("turn %d ends in %q", turn+1, items[want-1])
		}
	}
	last := m.requests[79].Messages[1].Content
	if !strings.Contains(last, "help\nAction: wait\nObservation: Seen 29.\n") {
		t.Errorf("the window starts elsewhere:\n%s", last)
	}
}

// A model that continues a text gets the message in its chat template.
func TestActWraps(t *testing.T) {
	m := says(`open\_box`)
	c := chat(m)
	c.Wrap, c.Added = configs.Wrap{Text: "\n  <<{system_prompt}>>\n  {prompt}\n", Unescape: true}, "Act now. \n"
	a := NewAct(c, configs.Prompt{}, instructions, start)
	if got := move(t, a); got.Action != "open_box" || got.Reply != `open\_box` {
		t.Errorf("%+v", got)
	}
	text := m.requests[0].Messages[0].Content
	if !strings.HasPrefix(text, "<<You are careful.Act now. \n>>\n  Open the box.") ||
		!strings.HasSuffix(text, "\nAction:") {
		t.Errorf("%q", text)
	}
	sharedtest.Equal(t, len(m.requests[0].Messages), 1, "messages")
}

// A refused prompt ends an episode that has a step, if the protocol says so.
func TestActEndsAtRefusal(t *testing.T) {
	for _, first := range []int{0, 1} {
		m := &fakeModel{}
		m.answer = func(call int, _ model.Request) (model.Reply, error) {
			if call == first {
				return model.Reply{}, &model.ContextError{Status: 400, Message: "too long", Limit: 10, Attempts: 1}
			}
			return model.Reply{Text: "open box", Attempts: 1}, nil
		}
		c := chat(m)
		c.EndsAtRefusal = true
		a := NewAct(c, configs.Prompt{}, instructions, start)
		for range first {
			move(t, a)
			a.Observe("Seen.")
		}
		got, err := a.Act(t.Context())
		if ends := err == nil && got.GiveUp && got.End == record.ContextOverflow; ends != (first > 0) ||
			len(m.requests) != first+1 {
			t.Errorf("after %d steps: %+v, %v, %d requests", first, got, err, len(m.requests))
		}
	}
}
