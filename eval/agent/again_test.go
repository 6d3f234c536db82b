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
