package agent

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/eval/model"
)

// limited is a server with a context that refuses what does not fit.
func limited(limit int, namesLimit bool) *fakeModel {
	return &fakeModel{answer: func(_ int, req model.Request) (model.Reply, error) {
		tokens := fakeTokens(req.Messages)
		if tokens+req.Decoding.MaxTokens > limit {
			err := &model.ContextError{Status: 400, Message: "too long", Attempts: 1}
			if namesLimit {
				err.Limit = limit
			}
			return model.Reply{}, err
		}
		return model.Reply{Text: "Thought: on\nAction: go", PromptTokens: tokens, CompletionTokens: 5, Attempts: 1}, nil
	}}
}

// agents are both agents of a served model.
var agents = map[string]func(Chat, envs.Start) Agent{
	"react": func(c Chat, s envs.Start) Agent { return NewReact(c, instructions, "Think.", s) },
	"act":   func(c Chat, s envs.Start) Agent { return NewAct(c, configs.Prompt{Help: "help"}, instructions, s) },
}

// observations are as long as in a game, and no two alike.
func observation(turn int) string {
	return strings.Repeat("You see a room. ", 5) + strings.Repeat("!", turn)
}

// play makes moves and returns what they cost together.
func play(t *testing.T, a Agent, moves int) (all Usage) {
	t.Helper()
	for turn := range moves {
		u := move(t, a).Usage
		all.Calls += u.Calls
		all.Requests += u.Requests
		all.Trimmed += u.Trimmed
		a.Observe(observation(turn))
	}
	return all
}

// TestTrimmed plays 30 turns in a context with room for a few: the head and the
// last observation are always there, the oldest go first.
func TestTrimmed(t *testing.T) {
	const limit, moves = 1700, 30
	for name, newAgent := range agents {
		for _, c := range []struct {
			name                       string
			told, namesLimit           bool
			fewestRefused, mostRefused int // over all moves; an estimate may be a token off
		}{
			{"limit known", true, false, 0, 2},
			{"limit unknown", false, false, 10, 4 * moves},
			{"limit in the refusal", false, true, 1, 3},
		} {
			t.Run(name+", "+c.name, func(t *testing.T) {
				m := limited(limit, c.namesLimit)
				ch := chat(m)
				if c.told {
					ch.ContextLimit = limit
				}
				used := play(t, newAgent(ch, start), moves)
				if used.Trimmed == 0 {
					t.Fatal("nothing was trimmed")
				}
				if refused := len(m.requests) - moves; refused < c.fewestRefused || refused > c.mostRefused {
					t.Errorf("%d requests were refused, want %d to %d", refused, c.fewestRefused, c.mostRefused)
				}
				if used.Calls != len(m.requests) || used.Requests != len(m.requests) {
					t.Errorf("%d calls and %d requests are counted of %d", used.Calls, used.Requests, len(m.requests))
				}
				for i, req := range m.requests {
					checkTrimmed(t, m.requests[0].Messages, req.Messages)
					if i > 0 && req.Seed < m.requests[i-1].Seed {
						t.Errorf("request %d goes back to seed %d", i, req.Seed)
					}
				}
				last := contents(m.requests[len(m.requests)-1].Messages)
				if n := strings.Count(last, "Observation: You see a room."); n < 2 {
					t.Errorf("%d observations are left where more would fit:\n%s", n, last)
				}
				if !strings.Contains(last, observation(moves-2)) || strings.Contains(last, observation(0)+"\n") {
					t.Errorf("the oldest did not go first:\n%s", last)
				}
			})
		}
	}
}

// checkTrimmed checks that a shortened prompt still has what the first one had, and that its roles take turns.
func checkTrimmed(t *testing.T, first, messages []model.Message) {
	t.Helper()
	if len(first) != 2 || len(messages)%2 != 0 {
		t.Fatalf("%d messages after %d", len(messages), len(first))
	}
	head, _, _ := strings.Cut(first[1].Content, "Observation: You see a box.\nAction: ") // act's; react's is all head
	if messages[0] != first[0] || !strings.HasPrefix(messages[1].Content, head) {
		t.Errorf("instruction or task are gone:\n%s", contents(messages))
	}
	for i, m := range messages[1:] {
		sharedtest.Equal(t, m.Role, []model.Role{model.User, model.Assistant}[i%2], "the role of message", i+1)
	}
}

// TestTrimmedAsLittleAsNeeded: with the limit known, a prompt is shortened only
// when it would not fit, and by no more than it must.
func TestTrimmedAsLittleAsNeeded(t *testing.T) {
	const limit = 1700
	m := limited(limit, false)
	ch := chat(m)
	ch.ContextLimit = limit
	a := NewReact(ch, instructions, "Think.", start)
	previous := 0
	for turn := range 30 {
		trimmed := move(t, a).Usage.Trimmed
		a.Observe(observation(turn))
		messages := m.requests[turn].Messages
		left := fakeTokens(messages)
		if trimmed > 0 && left+200+100 < limit { // an exchange is less than 200, a reply 100
			t.Errorf("turn %d: %d exchanges were left out for a prompt of %d", turn+1, trimmed, left)
		}
		if trimmed == 0 && turn > 0 && len(messages) != previous+2 {
			t.Errorf("turn %d has %d messages after %d", turn+1, len(messages), previous)
		}
		previous = len(messages)
	}
}

// TestTrimmingEnds: when only instruction, task and the last exchange are left,
// examples gone too, the refusal is the answer.
func TestTrimmingEnds(t *testing.T) {
	for name, newAgent := range agents {
		t.Run(name, func(t *testing.T) {
			m := limited(1<<20, false)
			a := newAgent(chat(m), start)
			play(t, a, 3)
			m.answer = limited(10, true).answer
			m.requests = nil
			got, err := a.Act(context.Background())
			var tooLong *model.ContextError
			if !errors.As(err, &tooLong) {
				t.Fatalf("error %v", err)
			}
			left := contents(m.requests[len(m.requests)-1].Messages)
			if !strings.Contains(left, observation(2)) || strings.Contains(left, observation(1)+"\n") {
				t.Errorf("the last prompt is\n%s", left)
			}
			want := map[string]int{"react": 2, "act": 6}[name] + len(instructions.Examples)
			if got.Usage.Trimmed != want || got.Usage.Calls != len(m.requests) ||
				got.Usage.Requests != len(m.requests) {
				t.Errorf("usage %+v of %d requests, want %d trimmed", got.Usage, len(m.requests), want)
			}
		})
	}
}

// TestFirstPromptTooLong: examples give way to the task, the last first; the rest stays, and the server decides.
func TestFirstPromptTooLong(t *testing.T) {
	examples := []string{"Open the bag.", "You see a jar."}
	for name, newAgent := range agents {
		m := limited(1<<20, false)
		move(t, newAgent(chat(m), start))
		whole := fakeTokens(m.requests[0].Messages) + 100 // with the reply
		for _, c := range []struct {
			name  string
			limit int
			left  int // examples
			fits  bool
		}{
			{"all", whole, 2, true},
			{"one example", whole - 1, 1, true},
			{"no example", whole - 80, 0, true},
			{"nothing", 20, 0, false},
		} {
			t.Run(name+", "+c.name, func(t *testing.T) {
				m := limited(c.limit, false)
				got, err := newAgent(chat(m), start).Act(context.Background())
				var tooLong *model.ContextError
				if (err == nil) != c.fits || !c.fits && !errors.As(err, &tooLong) {
					t.Fatalf("error %v", err)
				}
				last := contents(m.requests[len(m.requests)-1].Messages)
				for i, example := range examples {
					sharedtest.Equal(t, strings.Contains(last, example), i < c.left, "examples in", c.left, last)
				}
				for _, stays := range []string{"Open the box.\nBe quick.", "The box is open.", "You see a box.",
					"You are careful."} {
					if !strings.Contains(last, stays) {
						t.Errorf("%q is gone from\n%s", stays, last)
					}
				}
				if want := len(examples) - c.left; got.Usage.Trimmed != want || got.Usage.Calls != want+1 {
					t.Errorf("usage %+v, want %d trimmed", got.Usage, want)
				}
			})
		}
	}
}

// counting is a server that says how many tokens a prompt has, and of these are cached. The tokens of a prompt
// are a quarter of its bytes and three a message.
type counting struct {
	last []model.Message
	say  func(tokens, known int) (prompt, cached int)
	// drops: a prompt that is cut lacks its first message but for the system's.
	drops bool
	cut   func(tokens int) bool
	// true if the prompt was cut, for each call
	cuts []bool
}

func tokensOf(messages []model.Message) int {
	n := 0
	for _, m := range messages {
		n += 3 + (len(m.Content)+3)/4
	}
	return n
}

func (c *counting) Chat(_ context.Context, req model.Request) (model.Reply, error) {
	tokens, known := tokensOf(req.Messages), 0
	if len(c.last) > 0 { // all of the last prompt but a little is in the cache
		known = min(tokensOf(c.last), tokens) - 4
	}
	c.last = req.Messages
	c.cuts = append(c.cuts, c.cut != nil && c.cut(tokens))
	reply := model.Reply{Text: "Thought: on\nAction: go", CompletionTokens: 5, Attempts: 1}
	if c.drops && c.cuts[len(c.cuts)-1] {
		for tokens > 1024 {
			tokens -= 900 // the instruction, which is nearly all
		}
	}
	reply.PromptTokens, reply.CachedTokens = c.say(tokens, known)
	reply.CachedTokens = min(reply.CachedTokens, reply.PromptTokens) // as the client has it
	return reply, nil
}

// servers are ways to count, with the context in tokens of those that cut.
func countingServers(limit int) map[string]*counting {
	whole := func(tokens, _ int) (int, int) { return tokens, 0 }
	blocks := func(known, size int) int { return known / size * size }
	s := map[string]*counting{
		"whole":                 {say: whole},
		"whole, cached told":    {say: func(tokens, known int) (int, int) { return tokens, blocks(known, 16) }},
		"uncounted":             {say: func(int, int) (int, int) { return 0, 0 }},
		"a constant":            {say: func(int, int) (int, int) { return 100, 0 }},
		"new tokens":            {say: func(tokens, known int) (int, int) { return tokens - known, 0 }},
		"new tokens, in blocks": {say: func(tokens, known int) (int, int) { return tokens - blocks(known, 128), 0 }},
		"new tokens, cached told": {say: func(tokens, known int) (int, int) {
			return tokens - blocks(known, 1024), blocks(known, 1024)
		}},
	}
	s["cuts to little"] = &counting{cut: func(tokens int) bool { return tokens > limit }, say: whole, drops: true}
	for name, left := range map[string]int{"all": limit, "nearly all": limit - 50, "half": limit / 2} {
		s["cuts to "+name] = &counting{cut: func(tokens int) bool { return tokens > limit },
			say: func(tokens, _ int) (int, int) {
				if tokens > limit {
					tokens = left
				}
				return tokens, min(tokens, 100)
			}}
	}
	return s
}

// TestCutPrompts: a server that leaves out part of a prompt is found out by its own count, which stands still or
// falls, and no other server is suspected, whatever it counts.
func TestCutPrompts(t *testing.T) {
	const limit, turns = 1024, 40
	for agent, newAgent := range agents {
		for name, server := range countingServers(limit) {
			t.Run(agent+", "+name, func(t *testing.T) {
				a := newAgent(chat(server), start)
				first, counted := -1, 0
				for turn := range turns {
					got := move(t, a)
					a.Observe(strings.Repeat("You see a room. ", 1+turn%9) + strings.Repeat("!", turn))
					for _, answer := range got.Usage.Answers {
						if answer.Cut > 0 && !server.cuts[turn] {
							t.Fatalf("turn %d: %d prompts count as cut", turn+1, answer.Cut)
						}
						if counted += answer.Cut; answer.Cut > 0 && first < 0 {
							first = turn
						}
					}
				}
				cut := slices.Index(server.cuts, true)
				late := 1 // the first may have more tokens than the one before
				if server.drops {
					late = 6
				}
				if cut < 0 && strings.HasPrefix(name, "cuts") || (first >= 0) != (cut >= 0) || first > cut+late {
					t.Errorf("the first prompt is cut in turn %d, and noticed in turn %d", cut+1, first+1)
				}
				if cut >= 0 && counted < turns-cut-1 {
					t.Errorf("%d prompts of %d count as cut", counted, turns-cut)
				}
			})
		}
	}
}

// What Ollama 0.17.4 counted on its endpoint for OpenAI's clients with a context of 4096: at first it drops a turn, or
// the instruction, which is nearly all, and at last counts stand still.
func TestCountsOfOllama(t *testing.T) {
	for name, c := range map[string]struct {
		first, turn, answer int // bytes
		counts              []int
		noticed             int // in which turn
	}{
		"turns": {340, 220, 316, []int{3571, 3787, 4003, 3999, 3999, 3999}, 4},
		"the instruction": {12000, 220, 155, []int{4009, 149, 291, 435, 576, 717, 858, 999, 1139, 1280, 1422, 1566,
			1706, 1847, 1990, 2130, 2271, 2411,
			2553, 2694, 2835, 2977, 3118, 3259, 3400, 3541, 3682, 3823, 3964, 4034, 4037, 4033, 4033, 4037, 4037, 4037,
			4038, 4038, 4037, 4034}, 5},
	} {
		caller := newCaller(chat(nil))
		messages := []model.Message{{Role: model.User, Content: strings.Repeat("a", c.first)}}
		var last []model.Message
		noticed, cut := 0, 0
		for turn, count := range c.counts {
			n := caller.learn(last, messages, &model.Reply{PromptTokens: count})
			if cut += n; n > 0 && noticed == 0 {
				noticed = turn + 1
			}
			last = messages
			messages = append(messages[:len(messages):len(messages)], model.Message{Role: model.Assistant,
				Content: strings.Repeat("b", c.turn)},
				model.Message{Role: model.User, Content: strings.Repeat("c", c.answer)})
		}
		whole := slices.IndexFunc(c.counts, func(n int) bool { return n == slices.Max(c.counts[:3]) }) + 1
		if noticed != c.noticed || cut < len(c.counts)-whole-3 {
			t.Errorf("%s: noticed in turn %d; %d prompts of %d count as cut", name, noticed, cut, len(c.counts)-whole)
		}
	}
}

// Trimming the history, or reasoning that the template leaves out of it, is not the server's doing.
func TestPromptsThatAreNotCut(t *testing.T) {
	m := limited(1700, false)
	ch := chat(m)
	ch.ContextLimit = 1700
	for name, newAgent := range agents {
		a := newAgent(ch, start)
		for turn := range 60 {
			for _, answer := range move(t, a).Usage.Answers {
				if answer.Cut > 0 {
					t.Errorf("%s, turn %d: %+v", name, turn+1, answer)
				}
			}
			a.Observe(observation(turn))
		}
	}
	c := newCaller(chat(nil))
	history := []model.Message{{Role: model.User, Content: strings.Repeat("a", 4000)}}
	longer := append(slices.Clone(history), model.Message{Role: model.Assistant, Content: "<think>" +
		strings.Repeat("b", 2000) + "</think>c"})
	longest := append(slices.Clone(longer), model.Message{Role: model.User, Content: strings.Repeat("d", 40)})
	c.learn(nil, longer, &model.Reply{PromptTokens: 1500})
	if cut := c.learn(longer, longest, &model.Reply{PromptTokens: 1010}); cut != 0 {
		t.Errorf("reasoning that is left out: %d prompts count as cut", cut)
	}
}

// Prompts that a server is asked to cut are sent whole.
func TestPromptsToBeCut(t *testing.T) {
	const most = 300
	m := &fakeModel{answer: func(_ int, req model.Request) (model.Reply, error) {
		return model.Reply{Text: "Thought: on\nAction: go", PromptTokens: min(most, fakeTokens(req.Messages))}, nil
	}}
	ch := chat(m)
	ch.ContextLimit, ch.Decoding.Extra = most+ch.Decoding.MaxTokens, map[string]any{"truncate_prompt_tokens": most}
	for name, newAgent := range agents {
		a := newAgent(ch, start)
		for turn := range 60 {
			used := move(t, a).Usage
			if used.Trimmed > 0 || slices.ContainsFunc(used.Answers, func(x Answer) bool { return x.Cut > 0 }) {
				t.Errorf("%s, turn %d: %+v", name, turn+1, used)
			}
			a.Observe(observation(turn))
		}
	}
}

// TestServerThatCountsAnything: the same count for every prompt is no sign of truncation.
func TestServerThatCountsAnything(t *testing.T) {
	m := &fakeModel{answer: func(int, model.Request) (model.Reply, error) {
		return model.Reply{Text: "Action: go", PromptTokens: 10, Attempts: 1}, nil
	}}
	if used := play(t, NewReact(chat(m), instructions, "Think.", start), 10); used.Trimmed != 0 {
		t.Errorf("usage %+v", used)
	}
}

// TestUnusedReplies: replies that were asked for again cost tokens, and say nothing
// about the length of the history.
func TestUnusedReplies(t *testing.T) {
	m := &fakeModel{answer: func(int, model.Request) (model.Reply, error) {
		return model.Reply{Text: "Action: go", PromptTokens: 10, CompletionTokens: 2, UnusedPromptTokens: 9,
			UnusedCompletionTokens: 100, Attempts: 2}, nil
	}}
	used := move(t, NewReact(chat(m), instructions, "Think.", start)).Usage
	if used.PromptTokens != 19 || used.CompletionTokens != 102 || used.Trimmed != 0 || used.Calls != 1 ||
		used.Requests != 2 {
		t.Errorf("usage %+v", used)
	}
}

// TestServerThatDoesNotCount: without counts nothing can be said of truncation,
// and lengths are guessed on the safe side.
func TestServerThatDoesNotCount(t *testing.T) {
	m := &fakeModel{answer: func(int, model.Request) (model.Reply, error) {
		return model.Reply{Text: "Action: go", Attempts: 1}, nil
	}}
	ch := chat(m)
	ch.ContextLimit = 1000
	a := NewReact(ch, instructions, "Think.", start)
	if used := play(t, a, 30); used.Trimmed == 0 {
		t.Error("nothing was trimmed")
	}
	for i, req := range m.requests {
		if n := fakeTokens(req.Messages); n/3+100 > 1000 {
			t.Errorf("request %d has %d bytes", i, n)
		}
	}
}
