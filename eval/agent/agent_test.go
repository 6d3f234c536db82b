package agent

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/eval/model"
	"heldout/scoring/record"
)

// board is a world that lists actions and has an expert.
type board struct {
	envs.World
	actions []string
	expert  string
	err     error
}

func (b *board) Actions(context.Context) ([]string, error)           { return b.actions, b.err }
func (b *board) ExpertAction(context.Context) (string, error)        { return b.expert, b.err }
func (b *board) Step(context.Context, string) (s envs.Step, e error) { return }

func TestRandom(t *testing.T) {
	w := &board{actions: []string{"a", "b", "c"}}
	var games [2][]string
	for i := range games {
		a := sharedtest.Must(NewRandom(w, rand.New(rand.NewPCG(1, 2))))(t)
		for range 100 {
			games[i] = append(games[i], move(t, a).Action)
			a.Observe("It goes on.")
		}
	}
	if !slices.Equal(games[0], games[1]) {
		t.Error("the same seed gives other actions")
	}
	for _, action := range w.actions {
		n := 0
		for _, played := range games[0] {
			if played == action {
				n++
			}
		}
		if n < 15 {
			t.Errorf("%s was chosen %d times in 100", action, n)
		}
	}
	for _, played := range games[0] {
		if !slices.Contains(w.actions, played) {
			t.Errorf("%q is not valid", played)
		}
	}
	other, _ := NewRandom(w, rand.New(rand.NewPCG(3, 4)))
	var game []string
	for range 100 {
		game = append(game, move(t, other).Action)
	}
	if slices.Equal(game, games[0]) {
		t.Error("another seed gives the same actions")
	}
}

func TestRandomWithoutActions(t *testing.T) {
	a := sharedtest.Must(NewRandom(&board{}, rand.New(rand.NewPCG(1, 2))))(t)
	if got := move(t, a); !got.GiveUp {
		t.Errorf("move %+v", got)
	}
}

func TestExpert(t *testing.T) {
	w := &board{expert: "a"}
	a := sharedtest.Must(NewExpert(w))(t)
	if got := move(t, a); got.Action != "a" || got.GiveUp {
		t.Errorf("move %+v", got)
	}
	a.Observe("It goes on.")
	w.expert = ""
	if got := move(t, a); !got.GiveUp {
		t.Errorf("move %+v", got)
	}
}

func TestBrokenWorld(t *testing.T) {
	w := &board{err: errors.New("broken")}
	e, _ := NewExpert(w)
	r, _ := NewRandom(w, rand.New(rand.NewPCG(1, 2)))
	for _, a := range []Agent{e, r} {
		if _, err := a.Act(context.Background()); !errors.Is(err, w.err) {
			t.Errorf("error %v", err)
		}
	}
}

// TestUnableWorld: a world may have neither expert nor list of actions.
func TestUnableWorld(t *testing.T) {
	var w struct{ envs.World }
	if _, err := NewExpert(w); err == nil {
		t.Error("there is an expert")
	}
	if _, err := NewRandom(w, nil); err == nil {
		t.Error("there is a list of actions")
	}
}

// fakeModel is a server that keeps what it was asked. Its tokens are bytes, and four more a message.
type fakeModel struct {
	answer   func(call int, req model.Request) (model.Reply, error) // call counts from 0
	requests []model.Request
}

func (f *fakeModel) Chat(_ context.Context, req model.Request) (model.Reply, error) {
	f.requests = append(f.requests, req)
	return f.answer(len(f.requests)-1, req)
}

// fakeTokens counts a prompt as the fake model does.
func fakeTokens(messages []model.Message) int {
	n := 0
	for _, m := range messages {
		n += 4 + len(m.Content)
	}
	return n
}

// says answers with these texts, one after the other.
func says(texts ...string) *fakeModel {
	return &fakeModel{answer: func(call int, req model.Request) (model.Reply, error) {
		return model.Reply{
			Text: texts[call%len(texts)], PromptTokens: fakeTokens(req.Messages),
			CompletionTokens: len(texts[call%len(texts)]), Attempts: 1,
		}, nil
	}}
}

func chat(m model.Model) Chat {
	return Chat{Model: m, Request: model.Request{Decoding: record.Decoding{TopP: 1, MaxTokens: 100}},
		StepSeed: func(step int) int64 { return int64(1000 + step) }}
}

var instructions = configs.Instructions{
	System:      "You are careful.",
	Instruction: "Open the box.\nBe quick.\n",
	Examples: []configs.Example{
		{
			Goal: "Open the bag.", Observation: "You see a bag.",
			Steps: []configs.ExampleStep{
				{Thought: "It is shut.", Action: "open bag", Observation: "It is locked."},
				{Action: "unlock bag", Observation: "It is open."},
			},
		},
		{Text: "Observation: You see a jar.\nAction: open jar"},
	},
}

var start = envs.Start{Goal: "The box is open.", Observation: "You see a box."}

// move makes a move and fails the test on an error.
func move(t *testing.T, a Agent) Move {
	t.Helper()
	return sharedtest.Must(a.Act(context.Background()))(t)
}

// continues reports whether messages begin with all of earlier.
func continues(earlier, messages []model.Message) bool {
	return len(earlier) <= len(messages) && slices.Equal(earlier, messages[:len(earlier)])
}

// contents joins what messages say.
func contents(messages []model.Message) string {
	var out []string
	for _, m := range messages {
		out = append(out, string(m.Role)+": "+m.Content)
	}
	return strings.Join(out, "\n---\n")
}
