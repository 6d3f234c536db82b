package agent

import (
	"slices"
	"strings"
	"testing"

	"heldout/configs"
	"heldout/envs/sharedtest"
	"heldout/eval/model"
	"heldout/scoring/record"
)

// talesForm is an agent of TALES' form with some rules of its own.
func talesForm(t *testing.T, m model.Model, name string, change func(*configs.Play)) Agent {
	t.Helper()
	play := configs.Play{
		Observation:  configs.Observation{Task: "{observation}\n> ", Suffix: "\n> "},
		ActionsShown: configs.ActionsShown{Timing: configs.Never},
		Agent:        configs.AgentForm{Form: configs.Chat, History: "{reply}\n"},
		Reply: configs.ReplyRules{Parser: "whole-reply", OnFailure: configs.Tell,
			Messages: map[string]string{"format": "One line."}},
	}
	change(&play)
	a := sharedtest.Must(NewProtocol(chat(m), Protocol{Play: play, Name: name,
		Instructions: configs.Instructions{System: "Play."}}, nil, start))(t)
	return a
}

// flat writes messages as one line each.
func flat(messages []model.Message) (out []string) {
	for _, m := range messages {
		out = append(out, string(m.Role)+": "+m.Content)
	}
	return out
}

// What models write before a mark is no part of the action, if their names say that they
// think. An episode ends with a reply without the mark, and only then.
func TestThinkingModels(t *testing.T) {
	for _, c := range []struct {
		name, reply, action, thought string
		ends                         bool
	}{
		{"vllm:m", "<think>x</think>go", "<think>x</think>go", "", false},
		{"vllm:Qwen3-8B", "<think>\nx\n</think>\n\n go ", "go", "x", false},
		{"vllm:DeepSeek-R1", "x</think></think>go", "</think>go", "x", false},
		{"vllm:Qwen3-8B", "<think>x", "", "", true},
		{"vllm:Qwen3-8B", " \n", "", "", true},
		{"vllm:qwen3", "<think>x", "<think>x", "", false}, // names have their case
		{"vllm:DeepSeek-R1-Qwen3", "x</think>go", "", "", true},
		{"vllm:m", " \n", "(empty)", "", false},
		{"vllm:m", "", "", "", true},
	} {
		a := talesForm(t, says(c.reply, "", "", ""), c.name, func(p *configs.Play) {
			p.Reply.Retry = configs.Retry{Empty: true, Calls: 3}
			p.Reply.Thinks = configs.Thinks{Models: []string{"Qwen3", "DeepSeek-R1"}, Until: "</think>"}
			p.Reply.Blank, p.Reply.Reasoning = "(empty)", configs.Keep
		})
		got := move(t, a)
		if got.Action != c.action || got.Thought != c.thought || (got.End == record.Unreadable) != c.ends {
			t.Errorf("%s, %q: %+v", c.name, c.reply, got)
		}
	}
}

// A call after an empty reply has its last message once more, and the history does not.
func TestEmptyRepliesAreAskedForAgain(t *testing.T) {
	m := says("", "", "go\nhome", "look")
	a := talesForm(t, m, "vllm:m", func(p *configs.Play) { p.Reply.Retry = configs.Retry{Empty: true, Calls: 3} })
	got := move(t, a)
	if got.Usage.Calls != 3 || got.Correction != "One line." ||
		!slices.Equal(CutAsked(got.Reply, got.Repairs), []string{"", "", "go\nhome"}) {
		t.Errorf("%+v", got)
	}
	a.Observe("One line.")
	move(t, a)
	first := "user: You see a box.\n> "
	sharedtest.Same(t, flat(m.requests[2].Messages), []string{"system: Play.", first, first, first})
	sharedtest.Same(t, flat(m.requests[3].Messages),
		[]string{"system: Play.", first, "assistant: go\nhome\n", "user: One line.\n> "})
}

// A chat may repeat only the last pairs, be one message, or ask for a thought first.
func TestWhatAChatRepeats(t *testing.T) {
	one, two, three := "You see a box.\n> ", "first\n> ", "second\n> "
	for _, c := range []struct {
		name   string
		change func(*configs.AgentForm)
		last   []string
	}{
		{"limit", func(a *configs.AgentForm) { a.Pairs, a.Notice = 1, "last {pairs}> " },
			[]string{"system: Play.", "user: last 1> ", "assistant: b\n", "user: " + three}},
		{"limit of all", func(a *configs.AgentForm) { a.Pairs, a.Notice = 2, "last {pairs}> " },
			[]string{"system: Play.", "user: last 2> ", "assistant: a\n", "user: " + two, "assistant: b\n",
				"user: " + three}},
		{"limit not reached", func(a *configs.AgentForm) { a.Pairs, a.Notice = 3, "last {pairs}> " },
			[]string{"system: Play.", "user: " + one, "assistant: a\n", "user: " + two, "assistant: b\n",
				"user: " + three}},
		{"lost", func(a *configs.AgentForm) { a.Pairs = 1 },
			[]string{"user: " + two, "assistant: b\n", "user: " + three}},
		{"nothing lost", func(a *configs.AgentForm) { a.Pairs = 2 },
			[]string{"system: Play.", "user: " + one, "assistant: a\n", "user: " + two, "assistant: b\n",
				"user: " + three}},
		{"joined", func(a *configs.AgentForm) { a.Joined = true },
			[]string{"system: Play.", "user: " + one + "a\n" + two + "b\n" + three}},
		{"thought", func(a *configs.AgentForm) {
			a.Think, a.Pairs, a.Notice = configs.Think{Ask: "Why?", Action: "So? ", MaxTokens: 9}, 1, "last> "
		}, []string{"system: Play.", "user: last> ", "assistant: b\n", "user: second\n\nWhy?", "assistant: so\n",
			"user: So? "}},
	} {
		replies := []string{"a", "b", "c"}
		if c.name == "thought" {
			replies = []string{" why ", "a", "", "b", " so\n", "c"}
		}
		m := says(replies...)
		a := talesForm(t, m, "vllm:m", func(p *configs.Play) { c.change(&p.Agent) })
		for _, seen := range []string{"first", "second", "third"} {
			move(t, a)
			a.Observe(seen)
		}
		last := m.requests[len(m.requests)-1]
		sharedtest.Same(t, flat(last.Messages), c.last, c.name)
		if c.name == "thought" && (last.Decoding.MaxTokens == 9 || m.requests[4].Decoding.MaxTokens != 9) {
			t.Errorf("lengths %d and %d", m.requests[4].Decoding.MaxTokens, last.Decoding.MaxTokens)
		}
	}
}

// againPlay is Reflexion's form.
func againPlay() configs.Play {
	return configs.Play{
		ActionsShown: configs.ActionsShown{Timing: configs.Never},
		Agent: configs.AgentForm{
			Form: configs.Text, Cue: ">", CueFollows: true, Memory: configs.MemoryForm{
				Intro: "Plans:", Item: "\n{number}: {plan}"},
		},
		Reply: configs.ReplyRules{Parser: "react-line", OnFailure: configs.SendEmpty, Retry: configs.Retry{
			Short: 5, Calls: 3, Warmer: 0.2}},
	}
}

// Short replies are asked for again, warmer each time, and only for one turn. If none is
// long enough, the reply is empty.
func TestShortRepliesAreAskedForAgain(t *testing.T) {
	m := says("look", " ok \u00a0", "look around", "inventory", "a", "b", "c")
	a := newForm(t, chat(m), againPlay(), nil)
	var got []string
	for range 3 {
		mv := move(t, a)
		got = append(got, mv.Action)
		sharedtest.Equal(t, mv.FormatError, (mv.Action == ""), mv.Action, "format error")
		if len(got) == 1 && (mv.Reply != "look\n ok \u00a0\nlook around" || mv.Usage.Calls != 3 ||
			!slices.Equal(mv.Repairs, []string{AskedAgain, AskedAgain})) {
			t.Errorf("%+v", mv)
		}
		a.Observe("seen")
	}
	sharedtest.Same(t, got, []string{"look around", "inventory", ""}, "actions")
	var temperatures []float64
	for _, r := range m.requests {
		temperatures = append(temperatures, r.Decoding.Temperature)
	}
	sharedtest.Same(t, temperatures, []float64{0, 0.2, 0.4, 0, 0, 0.2, 0.4}, "temperatures")
	sharedtest.Equal(t, m.requests[1].Messages[0].Content, m.requests[0].Messages[0].Content,
		"the second request is another one")
}

// The last cue stands behind the last observation, the first one on its own line. Plans
// come before the task, counted from 0.
func TestCueFollowsTheObservation(t *testing.T) {
	m := says("look around")
	c := chat(m)
	c.Memory = Memory{Plans: []record.Remembered{{Trial: 2, Text: " go "}, {Trial: 3, Text: "stay"}}}
	a := newForm(t, c, againPlay(), nil)
	for range 2 {
		move(t, a)
		a.Observe("seen")
	}
	want := []string{
		"Open the box.\nPlans:\n0: go\n1: stayThe box is open.\nYou see a box.\n>",
		"Open the box.\nPlans:\n0: go\n1: stayThe box is open.\nYou see a box.\n> look around\nseen>",
	}
	for i, r := range m.requests {
		if got := r.Messages; len(got) != 1 || got[0] != (model.Message{Role: model.User, Content: want[i]}) {
			t.Errorf("request %d: %q", i+1, got)
		}
	}
}

// A thought of HotpotQA's form that is empty stays a line of later prompts.
func TestEmptyThoughtKeepsItsLine(t *testing.T) {
	m := says("", "t", "I see.\nAction 2: Look ", "x")
	a := newForm(t, chat(m), configs.Play{
		ActionsShown: configs.ActionsShown{Timing: configs.Never},
		Observation:  configs.Observation{Prefix: "Observation {turn}: "},
		Agent:        configs.AgentForm{Form: configs.Text, Cue: "Thought {turn}:"},
		Reply:        configs.ReplyRules{Parser: numberedParser, OnFailure: configs.SendEmpty},
	}, nil)
	for range 2 {
		move(t, a)
		a.Observe("seen")
	}
	sharedtest.OK(t, sharedtest.Err(a.Act(t.Context())))
	const want = "Thought 1: \nAction 1: t\nObservation 1: seen\n" +
		"Thought 2: I see.\nAction 2: Look\nObservation 2: seen\nThought 3:"
	if text := m.requests[3].Messages[0].Content; !strings.HasSuffix(text, want) {
		t.Errorf("%q", text)
	}
}
