package agent

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"heldout/envs"
	"heldout/eval/model"
	"heldout/scoring/record"
)

// modelSearch plays a search with a model to its end.
func modelSearch(t *testing.T, m model.Model, w envs.World, p Proposing) (moves []Move, err error) {
	t.Helper()
	a, err := NewModelSearch(chat(m), instructions, w, envs.Start{Goal: "Reach the top.", Observation: "A stair."}, p)
	if err != nil {
		t.Fatal(err)
	}
	for {
		m, err := a.Act(t.Context())
		if err != nil {
			return append(moves, m), err
		}
		if m.GiveUp {
			return moves, nil
		}
		moves = append(moves, m)
	}
}

func actionsOf(moves []Move) string {
	var all []string
	for _, m := range moves {
		all = append(all, m.Action)
	}
	return strings.Join(all, " ")
}

func TestModelSearch(t *testing.T) {
	for _, way := range ModelSearchWays() {
		w := newSteps(4)
		m := says("1. down | 20\n2. **up** | 90 %\nup | 10\nleap | 80")
		moves, err := modelSearch(t, m, w, Proposing{Searching{Way: way, Budget: 50, Limit: 10}, 3})
		if err != nil || actionsOf(moves) != "up up up up" {
			t.Fatalf("%s plays %q, %v", way, actionsOf(moves), err)
		}
		u := moves[0].Usage
		if u.Calls != len(m.requests) || u.WorldSteps < 4 || u.SearchEnd != record.SearchSolved || u.Unread != 0 ||
			u.PromptTokens == 0 || *w.open != 0 || w.floor != 0 {
			t.Errorf("%s: %+v, %d worlds are open", way, u, *w.open)
		}
		last := m.requests[len(m.requests)-1].Messages
		if text := last[len(last)-1].Content; !strings.Contains(text, "up to 3 different actions") ||
			!strings.HasSuffix(text, "Goal: Reach the top.\nObservation: A stair.\nAction: up\nObservation: \n"+
				"Action: up\nObservation: \nAction: up\nObservation: ") {
			t.Errorf("%s asks %s", way, text)
		}
	}
}

// The budget bounds the calls, and what was proposed by then is still tried.
func TestModelSearchBudget(t *testing.T) {
	for _, way := range ModelSearchWays() {
		m := says("up | 50\nstay | 5")
		moves, err := modelSearch(t, m, newSteps(9), Proposing{Searching{Way: way, Budget: 3, Limit: 30}, 2})
		if err != nil || actionsOf(moves) != "up up up" || len(m.requests) != 3 ||
			moves[0].Usage.SearchEnd != record.SearchBudget {
			t.Errorf("%s plays %q after %d calls, %v", way, actionsOf(moves), len(m.requests), err)
		}
		moves, err = modelSearch(t, m, newSteps(9), Proposing{Searching{Way: way, Budget: 30, Limit: 2}, 2})
		if err != nil || actionsOf(moves) != "up up" || moves[0].Usage.SearchEnd != record.SearchExhausted {
			t.Errorf("%s plays %q, %v", way, actionsOf(moves), err)
		}
	}
}

// Replies that cannot be read are counted. If there are no others, the episode shows it.
func TestModelSearchUnread(t *testing.T) {
	for _, way := range ModelSearchWays() {
		p := Proposing{Searching{Way: way, Budget: 20, Limit: 10}, 2}
		moves, err := modelSearch(t, says("up | 101\n| 5\nI would go up."), newSteps(1), p)
		if err != nil || len(moves) != 1 || !moves[0].FormatError || moves[0].Fault != record.NoAction ||
			moves[0].Usage.Unread != 3 {
			t.Errorf("%s: %+v, %v", way, moves, err)
		}
		moves, err = modelSearch(t, says("up | 50\ndown | 40\n", "?", "", "?"), newSteps(2), p)
		if err != nil || actionsOf(moves) != "up" || moves[0].Usage.Unread != 3 || moves[0].Usage.Calls != 4 {
			t.Errorf("%s: %+v, %v", way, moves, err)
		}
		moves, err = modelSearch(t, says("?", "up | 50"), newSteps(2), p)
		if err != nil || actionsOf(moves) != "up up" || moves[0].Usage.Unread != 2 || moves[0].Usage.Calls != 4 {
			t.Errorf("%s: %+v, %v", way, moves, err)
		}
	}
}

// A server that is gone is an error of the model, a broken world one of the environment.
func TestModelSearchErrors(t *testing.T) {
	gone := &model.UnavailableError{}
	for _, way := range ModelSearchWays() {
		p := Proposing{Searching{Way: way, Budget: 20, Limit: 10}, 2}
		m := &fakeModel{answer: func(call int, _ model.Request) (model.Reply, error) {
			if call > 0 {
				return model.Reply{}, gone
			}
			return model.Reply{Text: "up | 50"}, nil
		}}
		w := newSteps(9)
		moves, err := modelSearch(t, m, w, p)
		var world *WorldError
		if !errors.Is(err, gone) || errors.As(err, &world) || moves[0].Usage.Calls != 2 || *w.open != 0 {
			t.Errorf("%s: %+v, %v", way, moves, err)
		}
		if _, err := modelSearch(t, says("break | 3"), newSteps(9), p); !errors.As(err, &world) {
			t.Errorf("%s: %v", way, err)
		}
	}
	for way, w := range map[string]envs.World{MCTS: newSteps(1), Beam: struct{ envs.World }{newSteps(1)}} {
		p := Proposing{Searching{Way: way}, 1}
		if _, err := NewModelSearch(chat(says()), instructions, w, envs.Start{}, p); err == nil {
			t.Errorf("%s is accepted", way)
		}
	}
}

// A history that does not fit is shortened: the oldest part first, examples at last.
func TestModelSearchTrims(t *testing.T) {
	m := &fakeModel{answer: func(_ int, req model.Request) (model.Reply, error) {
		if n := fakeTokens(req.Messages); n > 1400 {
			return model.Reply{}, &model.ContextError{Limit: 1400, Asked: n, Attempts: 1}
		}
		return model.Reply{Text: "up | 50", PromptTokens: fakeTokens(req.Messages), Attempts: 1}, nil
	}}
	moves, err := modelSearch(t, m, newSteps(40), Proposing{Searching{Way: Beam, Budget: 60, Limit: 60}, 1})
	if err != nil || len(moves) != 40 || moves[0].Usage.Trimmed == 0 {
		t.Errorf("%d moves, %v", len(moves), err)
	}
}

func TestReadProposal(t *testing.T) {
	for line, want := range map[string]option{
		"go to desk 1 | 75":           {"go to desk 1", 0.75},
		"- Action: open box | 5%\r\n": {"open box", 0.05},
		"3) `take a|b` | 100":         {"take a|b", 1},
		"| 5":                         {}, "go | many": {}, "go | NaN": {}, "go | -1": {}, "go": {}, "": {}, " | ": {},
	} {
		got, ok := readProposal(line)
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(option{})); ok != (want != option{}) || ok && diff != "" {
			t.Errorf("%q: %v, %v", line, got, ok)
		}
	}
}

func FuzzReadProposal(f *testing.F) {
	f.Add("1. **Action:** go | 7%")
	f.Fuzz(func(t *testing.T, line string) {
		if o, ok := readProposal(line); ok && (o.action == "" || !(o.value >= 0 && o.value <= 1)) {
			t.Errorf("%q gives %+v", line, o)
		}
	})
}
