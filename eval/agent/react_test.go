package agent

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"heldout/configs"
	"heldout/envs/sharedtest"
	"heldout/eval/model"
	"heldout/scoring/record"
)

const reactHead = `Open the box.
Be quick.

Write a thought and an action.

Here is an example:
Goal: Open the bag.
Observation: You see a bag.
Thought: It is shut.
Action: open bag
Observation: It is locked.
Action: unlock bag
Observation: It is open.

Here is an example:
Observation: You see a jar.
Action: open jar

Now this is your task.
Goal: The box is open.
Observation: You see a box.`

// TestReactMessages follows the bytes of three turns: a good reply, one with trimmings and one without an action.
func TestReactMessages(t *testing.T) {
	m := says(
		"Thought: A box.\nAction: open box",
		"**Thought:** It is locked.\n\n**Action:** \"unlock box\"\nObservation: It is open.\nThought: Done.",
		"  I do not know.\r\n",
		"",
	)
	a := NewReact(chat(m), instructions, "Write a thought and an action.\n", start)

	got := move(t, a)
	want := Move{Step: record.Step{Thought: "A box.", Action: "open box"}, Usage: Usage{
		Usage:    record.Usage{Calls: 1, PromptTokens: fakeTokens(m.requests[0].Messages), CompletionTokens: 32},
		Requests: 1,
		Sent:     got.Usage.Sent, // TestSent checks it
	}}
	sharedtest.Same(t, got, want, "first move")
	a.Observe("It is locked.")

	got = move(t, a)
	if got.Thought != "It is locked." || got.Action != "unlock box" || got.FormatError {
		t.Errorf("second move: %+v", got)
	}
	if got.Reply != "**Thought:** It is locked.\n\n**Action:** \"unlock box\"\nObservation: It is open.\nThought: Done." {
		t.Errorf("the reply that was more than thought and action is kept as %q", got.Reply)
	}
	a.Observe("Nothing happens.")

	got = move(t, a)
	if !got.FormatError || got.Action != "" || got.Thought != "" || got.Reply != "  I do not know.\r\n" {
		t.Errorf("third move: %+v", got)
	}
	a.Observe(FormatHelp)

	got = move(t, a)
	if !got.FormatError {
		t.Errorf("fourth move: %+v", got)
	}
	a.Observe(FormatHelp)
	move(t, a)

	messages := []model.Message{
		{Role: model.System, Content: "You are careful."},
		{Role: model.User, Content: reactHead},
		{Role: model.Assistant, Content: "Thought: A box.\nAction: open box"},
		{Role: model.User, Content: "Observation: It is locked."},
		{Role: model.Assistant, Content: "Thought: It is locked.\nAction: unlock box"},
		{Role: model.User, Content: "Observation: Nothing happens."},
		{Role: model.Assistant, Content: "I do not know."},
		{Role: model.User, Content: "Observation: " + FormatHelp},
		{Role: model.Assistant, Content: "(no reply)"},
		{Role: model.User, Content: "Observation: " + FormatHelp},
	}
	for turn, req := range m.requests {
		sharedtest.Same(t, req.Messages, messages[:2+2*turn], turn+1)
		sharedtest.Equal(t, req.Seed, int64(1000+turn), "turn has the seed", turn+1)
		sharedtest.Same(t, req.Decoding, record.Decoding{TopP: 1, MaxTokens: 100}, turn+1)
	}
}

// TestReactCorrection: with a correction of the prompt, replies without an action are no part
// of the history. The corrections end the prompt, also a base model's, until there is an action.
func TestReactCorrection(t *testing.T) {
	for _, completion := range []bool{false, true} {
		m := says("Action: open box", "What?", "", "Action: unlock box", "Action: wait")
		c := chat(m)
		c.Correction, c.Completion = "Write an action.", completion
		a := NewReact(c, instructions, "Write a thought and an action.\n", start)
		for range 4 {
			answer := "It is locked."
			if got := move(t, a); got.FormatError {
				answer = got.Correction
			}
			sharedtest.Equal(t, a.Observe(answer), answer, "observed")
		}
		move(t, a)
		const locked, mend = "It is locked.", "\n\nWrite an action."
		var ends []string
		for i, req := range m.requests {
			text := contents(req.Messages)
			ends = append(ends, strings.TrimSuffix(text, "\nThought:"))
			if strings.Contains(text, "What?") || strings.Contains(text, "(no reply)") {
				t.Errorf("the prompt %d repeats a reply without an action:\n%s", i, text)
			}
		}
		for i, end := range []string{"You see a box.", locked, locked + mend, locked + mend + mend, locked} {
			if !strings.HasSuffix(ends[i], end) || i != 3 && strings.Contains(ends[i], mend+mend) {
				t.Errorf("completion %v: prompt %d does not end with %q:\n%s", completion, i, end, ends[i])
			}
		}
		if strings.Contains(ends[4], "Write an action.") {
			t.Errorf("the correction outlives a reply with an action:\n%s", ends[4])
		}
	}
}

func TestReactWithoutSystemMessageAndExamples(t *testing.T) {
	m := says("Action: open box")
	move(t, NewReact(chat(m), configs.Instructions{Instruction: "Open the box."}, "Think.", start))
	want := []model.Message{{
		Role:    model.User,
		Content: "Open the box.\n\nThink.\n\nNow this is your task.\nGoal: The box is open.\nObservation: You see a box.",
	}}
	sharedtest.Same(t, m.requests[0].Messages, want)
}

// TestReactHistoryOnlyGrows asks that every prompt continues the one before,
// which a server's prefix cache lives on.
func TestReactHistoryOnlyGrows(t *testing.T) {
	m := says("Thought: a\nAction: b", "nothing", "", "Action: c\nAction: d", "e")
	a := NewReact(chat(m), instructions, "Think.", start)
	for range 30 {
		move(t, a)
		a.Observe("It goes on.")
	}
	for i := 1; i < len(m.requests); i++ {
		if !continues(m.requests[i-1].Messages, m.requests[i].Messages) {
			t.Fatalf("request %d does not continue the one before:\n%s", i, contents(m.requests[i].Messages))
		}
	}
}

func TestReactReasoningIsRecordedAndNotSent(t *testing.T) {
	m := &fakeModel{answer: func(int, model.Request) (model.Reply, error) {
		return model.Reply{Text: "Action: open box", Reasoning: "I wonder.", Attempts: 1}, nil
	}}
	a := NewReact(chat(m), instructions, "Think.", start)
	if got := move(t, a); got.Reasoning != "I wonder." || got.Reply != "" {
		t.Errorf("move: %+v", got)
	}
	a.Observe("It is open.")
	move(t, a)
	sharedtest.Same(t, m.requests[1].Messages[2], model.Message{Role: model.Assistant, Content: "Action: open box"})
}

// TestErrorsAreCounted: a move that failed still says what it cost.
func TestErrorsAreCounted(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		want int
	}{
		"context":     {&model.ContextError{Attempts: 2}, 2},
		"refused":     {&model.RequestError{Attempts: 1}, 1},
		"unavailable": {&model.UnavailableError{Attempts: 8}, 8},
		"cancelled":   {context.Canceled, 0},
	} {
		t.Run(name, func(t *testing.T) {
			m := &fakeModel{answer: func(int, model.Request) (model.Reply, error) { return model.Reply{}, c.err }}
			bare := configs.Instructions{Instruction: "Open the box."} // nothing to leave out
			for _, a := range []Agent{NewReact(chat(m), bare, "Think.", start),
				NewAct(chat(m), configs.Prompt{Help: "help"}, bare, start)} {
				got, err := a.Act(context.Background())
				if !errors.Is(err, c.err) {
					t.Errorf("error %v, want %v", err, c.err)
				}
				sharedtest.Same(t, got, Move{Usage: Usage{Usage: record.Usage{Calls: 1}, Requests: c.want}})
			}
		})
	}
}

// A base model is given one text in the form of the examples, and continues it.
func TestReactCompletions(t *testing.T) {
	m := says(" A box.\nAction: open box", " I do not know.", "")
	c := chat(m)
	c.Completion = true
	a := NewReact(c, instructions, "Write a thought and an action.\n", start)
	if got := move(t, a); got.Thought != "A box." || got.Action != "open box" || got.FormatError {
		t.Errorf("first move: %+v", got)
	}
	a.Observe("It is locked.")
	if got := move(t, a); !got.FormatError {
		t.Errorf("second move: %+v", got)
	}
	a.Observe("What?")
	if got := move(t, a); got.Fault != record.NoAction || got.Reply != "" {
		t.Errorf("third move: %+v", got)
	}
	want := []model.Message{{Role: model.User, Content: "You are careful.\n\n" + reactHead +
		"\nThought: A box.\nAction: open box\nObservation: It is locked.\nThought: I do not know.\nObservation: What?\nThought:"}}
	if diff := cmp.Diff(want, m.requests[2].Messages); diff != "" || !m.requests[2].Completion {
		t.Errorf("completion %v (-want +got):\n%s", m.requests[2].Completion, diff)
	}
}

func TestSystemMessageInUserMessage(t *testing.T) {
	m := says("Action: open box")
	c := chat(m)
	c.FoldSystem = true
	move(t, NewReact(c, instructions, "Think.", start))
	if got := m.requests[0].Messages; len(got) != 1 ||
		!strings.HasPrefix(got[0].Content, "You are careful.\n\nOpen the box.") {
		t.Errorf("messages:\n%s", contents(got))
	}
}

// A reply that repeats what the model is told after an unreadable one says so.
func TestEcho(t *testing.T) {
	for _, step := range []record.Step{{Action: FormatHelp}, {Thought: FormatHelp, Action: "look"},
		{Reply: "> " + FormatHelp}} {
		if !(&Move{Step: step}).Reading(true).Echo {
			t.Errorf("%v repeats it", step)
		}
	}
	move := Move{Step: record.Step{Thought: "No action could be better.", Action: "look"}}
	if move.Reading(true).Echo {
		t.Errorf("%v does not", move)
	}
}

// A digest differs where a role, a text or the border between two texts differs, whatever was sent before.
func TestSent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		message := rapid.Custom(func(t *rapid.T) model.Message {
			return model.Message{Role: rapid.SampledFrom([]model.Role{model.User, model.Assistant}).Draw(t, "role"),
				Content: rapid.StringOfN(rapid.RuneFrom([]rune("ab")), 0, 3, -1).Draw(t, "content")}
		})
		prompts := rapid.SliceOfN(rapid.SliceOfN(message, 1, 4), 2, 6).Draw(t, "prompts")
		seen := map[string][]model.Message{}
		var c caller
		for _, p := range prompts {
			got := c.digest(p)
			c.Messages = p
			if alone := new(caller).digest(p); alone != got {
				t.Fatalf("%v has the digest %s, after others %s", p, alone, got)
			}
			if other, ok := seen[got]; ok && !slices.Equal(other, p) || len(got) != sentDigits {
				t.Fatalf("%v and %v have the digest %s", other, p, got)
			}
			seen[got] = p
		}
	})
}

// shareAgents are agents of all forms whose prompts continue each other.
func shareAgents(t *testing.T) map[string]func(Chat) Agent {
	out := map[string]func(Chat) Agent{
		"react": func(c Chat) Agent { return agents["react"](c, start) },
		"act":   func(c Chat) Agent { return agents["act"](c, start) },
		"completions": func(c Chat) Agent {
			c.Completion = true
			return agents["react"](c, start)
		},
	}
	for _, form := range []string{configs.Chat, configs.Text} {
		out[form] = func(c Chat) Agent {
			p := Protocol{Instructions: configs.Instructions{Instruction: "Open the box."}}
			p.Agent.Form, p.Agent.Cue, p.Reply.Parser = form, ">", "whole-reply"
			p.ActionsShown.Timing = configs.Never
			return sharedtest.Must(NewProtocol(c, p, nil, start))(t)
		}
	}
	return out
}

// shareEpisode is what was sent in an episode, and the turns that each step left out.
func shareEpisode(t *testing.T, newAgent func(Chat) Agent, c Chat, seed uint64) (sent []string, trimmed []int) {
	m := limited(c.ContextLimit, false)
	c.Model = m
	draw, a := rand.New(rand.NewPCG(seed, 0)), newAgent(c)
	for range 60 {
		trimmed = append(trimmed, move(t, a).Usage.Trimmed)
		a.Observe(strings.Repeat("You see a room. ", 1+draw.IntN(9)))
	}
	for _, req := range m.requests {
		if n := fakeTokens(req.Messages) + req.Decoding.MaxTokens; n > c.ContextLimit {
			continue // refused, since the estimate was a token off
		}
		sent = append(sent, contents(req.Messages))
	}
	return sent, trimmed
}

// TestHistoryShare: with a share, no prompt is longer than the context, prompts begin alike between two cuts, cuts
// are rare, and an episode with the same history is cut where the first was.
func TestHistoryShare(t *testing.T) {
	for name, newAgent := range shareAgents(t) {
		for seed := range uint64(5) {
			c := chat(nil)
			c.ContextLimit, c.HistoryShare = 2000+int(seed)*333, 30+10*int(seed)
			sent, trimmed := shareEpisode(t, newAgent, c, seed)
			again, trimmedAgain := shareEpisode(t, newAgent, c, seed)
			if len(sent) != 60 || !slices.Equal(sent, again) || !slices.Equal(trimmed, trimmedAgain) {
				t.Fatalf("%s: %d prompts; the same episode is cut otherwise: %v, %v", name, len(sent), trimmed,
					trimmedAgain)
			}
			cuts := 0
			for i := 1; i < len(sent); i++ {
				prefix := strings.TrimSuffix(strings.TrimSuffix(sent[i-1], ">"), "\nThought:")
				prefix = strings.TrimSuffix(prefix, "\nAction: ")
				if same := strings.HasPrefix(sent[i], prefix); same == (trimmed[i] > 0) {
					t.Errorf("%s, step %d: %d turns left out, the same beginning: %v", name, i+1, trimmed[i], same)
				}
				if trimmed[i] > 0 {
					cuts++
				}
			}
			c.HistoryShare = 0
			_, single := shareEpisode(t, newAgent, c, seed)
			fewest := len(slices.DeleteFunc(single, func(n int) bool { return n == 0 }))
			if cuts == 0 || 2*cuts > fewest {
				t.Errorf("%s: cut in %d steps, and in %d without a share", name, cuts, fewest)
			}
		}
	}
}

// TestHistoryShareKeepsExamples: a cut to a share leaves out turns only. What else does not fit goes part by part.
func TestHistoryShareKeepsExamples(t *testing.T) {
	c := chat(limited(1700, true))
	c.ContextLimit, c.HistoryShare = 1700, 1
	a := agents["react"](c, start)
	play(t, a, 30)
	for i, req := range c.Model.(*fakeModel).requests {
		if !strings.Contains(req.Messages[1].Content, "You see a jar.") {
			t.Errorf("request %d lacks an example", i)
		}
	}
	used := newCaller(c)
	r := &reflector{caller: used, steps: []string{"a", "b", "c", "d"}}
	if spent := (Usage{}); !used.drop(r, &spent) || len(r.steps) != 3 || spent.Trimmed != 1 {
		t.Errorf("a reflection lost %d steps", spent.Trimmed)
	}
}
