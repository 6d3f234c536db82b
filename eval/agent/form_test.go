package agent

import (
	"context"
	"errors"
	"strings"
	"testing"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/eval/model"
	"heldout/scoring/record"
)

// chatPlay is a preset's form for tests.
func chatPlay() configs.Play {
	return configs.Play{
		ActionsShown: configs.ActionsShown{Timing: configs.Never},
		Agent: configs.AgentForm{Form: configs.Chat, Acknowledge: "OK", Shots: configs.Shots{
			Format: "turns", Count: 2}},
		Reply: configs.ReplyRules{Parser: "after-first-action", OnFailure: configs.SendEmpty},
	}
}

var turnInstructions = configs.Instructions{Instruction: "Open the box.", Examples: []configs.Example{
	{Turns: []configs.ChatMessage{{Role: "user", Content: "first"}, {Role: "assistant", Content: "Action: one"}}},
	{Goal: "Open the bag.", Observation: "You see a bag.", Steps: []configs.ExampleStep{
		{Thought: "Shut.", Action: "open bag", Observation: "It is open."}}},
}}

// The history of a chat may hold replies in another form than they came in, and an
// empty reply of one line goes to the game.
func TestFormKeepsReplies(t *testing.T) {
	play := chatPlay()
	play.Agent = configs.AgentForm{Form: configs.Chat, History: "{reply}\n"}
	play.Reply = configs.ReplyRules{Parser: "whole-reply", OnFailure: configs.Tell, Messages: map[string]string{
		"format": "One line."}}
	m := &fakeModel{answer: func(call int, _ model.Request) (model.Reply, error) {
		return model.Reply{Text: []string{" open box ", "", "a\nb", "look"}[call], Attempts: 1}, nil
	}}
	a := sharedtest.Must(NewProtocol(chat(m),
		Protocol{Play: play, Instructions: configs.Instructions{System: "Play."}}, nil, start))(t)
	var actions []string
	for range 4 {
		got := move(t, a)
		actions = append(actions, got.Action+got.Correction)
		a.Observe("seen")
	}
	sharedtest.Same(t, actions, []string{"open box", "", "One line.", "look"}, "actions")
	var said []string
	for _, sent := range m.requests[3].Messages {
		if sent.Role == model.Assistant {
			said = append(said, sent.Content)
		}
	}
	sharedtest.Same(t, said, []string{"open box\n", "\n", "a\nb\n"}, "the history holds")
}

func newForm(t *testing.T, c Chat, play configs.Play, w envs.World) Agent {
	t.Helper()
	return sharedtest.Must(NewProtocol(c, Protocol{Play: play, Instructions: turnInstructions}, w, start))(t)
}

// A form that trims leaves the oldest turns out, then its examples, and never the
// instruction, the task and the last turn.
func TestFormTrims(t *testing.T) {
	m := limited(700, true)
	a := newForm(t, chat(m), chatPlay(), nil)
	trimmed := 0
	for turn := range 6 {
		trimmed += move(t, a).Usage.Trimmed
		a.Observe(observation(turn))
	}
	last := m.requests[len(m.requests)-1].Messages
	if trimmed == 0 || last[0].Content != "Open the box." || !strings.Contains(contents(last),
		"The box is open.\nYou see a box.") || last[len(last)-1].Content != observation(4) {
		t.Errorf("%d trimmed:\n%s", trimmed, contents(last))
	}
	for i := 1; i < len(last); i++ {
		if last[i].Role == last[i-1].Role {
			t.Errorf("messages %d and %d are both of the %s", i-1, i, last[i].Role)
		}
	}
}

// With the rule, an episode ends when the server refuses its prompt, but a first
// prompt that is too long is a fault of the set-up, and so is one that the server says it cut.
func TestFormEndsAtItsContext(t *testing.T) {
	play := chatPlay()
	play.Stop.ContextOverflow = configs.End
	a := newForm(t, chat(limited(480, true)), play, nil)
	var got Move
	for turn := range 9 {
		if got = move(t, a); got.GiveUp {
			break
		}
		a.Observe(observation(turn))
	}
	if !got.GiveUp || got.End != record.ContextOverflow || got.Usage.Calls != 1 || got.Usage.Trimmed != 0 {
		t.Errorf("%+v", got)
	}
	var tooLong *model.ContextError
	if _, err := newForm(t, chat(limited(100, true)), play, nil).Act(context.Background()); !errors.As(err, &tooLong) {
		t.Errorf("the first prompt: %v", err)
	}
	cut := &fakeModel{answer: func(call int, _ model.Request) (model.Reply, error) {
		if call > 0 {
			return model.Reply{}, &model.ContextError{Status: 200, Message: "filled"}
		}
		return model.Reply{Text: "Action: go", Attempts: 1}, nil
	}}
	a = newForm(t, chat(cut), play, nil)
	move(t, a)
	a.Observe("Seen.")
	if _, err := a.Act(context.Background()); !errors.As(err, &tooLong) {
		t.Errorf("a prompt that the server cut: %v", err)
	}
}

// The list of the last observation alone makes a later prompt shorter, which is not the server's doing.
func TestLatestListShortensPrompts(t *testing.T) {
	w := &board{actions: []string{strings.Repeat("a very long action ", 40)}}
	play := chatPlay()
	play.ActionsShown.Timing = configs.Latest
	m := says("Action: go")
	a := newForm(t, chat(m), play, w)
	move(t, a)
	w.actions = []string{"b"}
	a.Observe("Seen.")
	move(t, a)
	if last := m.requests[1].Messages; strings.Contains(contents(last), "very long") ||
		!strings.HasSuffix(contents(last), "Seen.b") {
		t.Error(contents(last))
	}
}

// A window leaves earlier turns out, or writes them in another form. A correction stands beside the list of actions.
func TestSingleWindow(t *testing.T) {
	play := chatPlay()
	play.Agent, play.ActionsShown.Timing = configs.AgentForm{Form: configs.Single, Pairs: 1}, configs.Every
	play.Reply.OnFailure, play.Reply.Messages = configs.Tell, map[string]string{"format": "What?"}
	for older, want := range map[string]string{
		"":         "turn 4 after 3, 1 pairs: 3 Seen 1.> | Seen 2. look",
		"{action}": "turn 4 after 3, 1 pairs: a;b;3 Seen 1.> | Seen 2. look",
	} {
		m := says("Action: a", "Action: b", "c", "Action: d")
		a := sharedtest.Must(NewProtocol(chat(m), Protocol{Play: play, Template: &configs.Template{
			Next: "turn {turn} after {steps}, {pairs} pairs: {history} | {observation} {actions}",
			Pair: "{turn} {observation}>{action}", Between: ";", Older: older,
		}}, &board{actions: []string{"look"}}, start))(t)
		for _, seen := range []string{"Seen 0.", "Seen 1.", "Seen 2.", ""} {
			move(t, a)
			a.Observe(seen)
		}
		if got := m.requests[3].Messages; len(got) != 1 || got[0].Content != want {
			t.Errorf("%q, want %q", contents(got), want)
		}
	}
}

// What does not fit together is an error before the first call.
func TestImpossibleForms(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Protocol)
		world  envs.World
		want   string
	}{
		"no parser": {func(p *Protocol) { p.Reply.Parser = "lisp" }, nil, `no parser "lisp"`},
		"no normalisation": {func(p *Protocol) { p.Reply.Normalise = []string{"upper"} }, nil,
			`unknown normalisation "upper"`},
		"no list": {func(p *Protocol) { p.ActionsShown.Timing = configs.Every }, struct{ envs.World }{},
			"cannot list"},
		"no list to repair": {func(p *Protocol) { p.Reply.Normalise = []string{"nearest-bleu:0.1"} },
			struct{ envs.World }{}, "cannot list"},
		"no template": {func(p *Protocol) { p.Agent.Form = configs.Single }, nil, "no template"},
		"no example":  {func(p *Protocol) { p.Agent.Shots.Order = []int{2} }, nil, "no example 2; it has 2"},
		"no turns": {func(p *Protocol) {
			p.Instructions.Examples = []configs.Example{{Text: "x"}}
			p.Agent.Shots.Count = 1
		}, nil, "one text"},
		"no form": {func(p *Protocol) { p.Agent.Form = "poem" }, nil, `unknown form "poem"`},
	} {
		p := Protocol{Play: chatPlay(), Instructions: turnInstructions}
		c.change(&p)
		sharedtest.Fails(t, sharedtest.Err(NewProtocol(chat(says("")), p, c.world, start)), c.want, name)
	}
}

// A world that cannot list its actions now ends the episode with its error.
func TestFormWithABrokenList(t *testing.T) {
	play := chatPlay()
	play.ActionsShown.Timing = configs.Every
	w := &board{err: errors.New("broken")}
	if _, err := newForm(t, chat(says("")), play, w).Act(context.Background()); !errors.Is(err, w.err) {
		t.Error(err)
	}
}

// Later observations lose what the preset says.
func TestLaterObservation(t *testing.T) {
	o := configs.Observation{Arrive: configs.Strip, Remove: `\n`}
	for text, want := range map[string]string{
		"You arrive at loc 3. A desk.": "A desk.", `One\n two` + "\n": "One two\n", "You arrive.": "You arrive.",
	} {
		sharedtest.Equal(t, laterObservation(o, text), want, text)
	}
}

func TestSegments(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, " \n ": 0, "a": 1, "seventy": 1, "eighteen": 2, "a b": 2, "go to desk 12.": 6, "\t": 1,
		"Äußerste Maße": 3, strings.Repeat("x", 15): 3,
	} {
		sharedtest.Equal(t, segments(text), want, text, "segments")
	}
}

// The first message stays, and after it comes an answer.
func TestFiltered(t *testing.T) {
	all := []model.Message{
		{Role: model.User, Content: "rules"}, {Role: model.Assistant, Content: "one"},
		{Role: model.User, Content: "two two"},
		{Role: model.Assistant, Content: "three"}, {Role: model.User, Content: "four four four"},
	}
	for most, want := range map[int]string{
		0: "rules|one|two two|three|four four four", 9: "rules|one|two two|three|four four four",
		8: "rules, without 2|three|four four four", 6: "rules, without 2|three|four four four", 5: "rules, without 4",
		1: "rules, without 4",
	} {
		var got []string
		for _, m := range filtered(configs.Filter{Segments: most, Notice: ", without {omitted}"}, all) {
			got = append(got, m.Content)
		}
		sharedtest.Equal(t, strings.Join(got, "|"), want, "fewer than segments", most, got)
	}
	sharedtest.Equal(t, all[0].Content, "rules", "filtering changes the history")
}

// A chat shows a text before its examples and in place of older lists, and filters what it sends.
func TestFormFilters(t *testing.T) {
	play := chatPlay()
	play.ActionsShown = configs.ActionsShown{Timing: configs.Latest, Prefix: " NOW: ", Older: " "}
	play.Agent.Shots.Intro = "See: "
	m := says("Action: look")
	move(t, newForm(t, chat(m), play, &board{actions: []string{"look"}}))
	if got := m.requests[0].Messages[2].Content; !strings.HasPrefix(got, "See: ") {
		t.Errorf("the example begins %q", got)
	}
	play.Agent.Filter = configs.Filter{Segments: 24}
	m = says("Action: look")
	a := newForm(t, chat(m), play, &board{actions: []string{"look"}})
	for range 2 {
		move(t, a)
		a.Observe("seen")
	}
	var got []string
	for _, sent := range m.requests[1].Messages {
		got = append(got, sent.Content)
	}
	sharedtest.Same(t, got, []string{"Open the box.", "Action: look", "seen NOW: look"})
}

// If a message does not fit, what it shows is shortened, the oldest first. What it does not show costs no call.
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
