package agent

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"heldout/configs"
	"heldout/envs/sharedtest"
)

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
