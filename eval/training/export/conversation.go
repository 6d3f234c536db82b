package export

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/datafile"
	"heldout/eval/agent"
	"heldout/eval/episode"
	"heldout/eval/model"
	"heldout/eval/training/synth"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// Message is a message of a conversation.
type Message struct {
	Role    model.Role `json:"role"`
	Content string     `json:"content"`
	// Train: a model is trained on it. Only replies of the model are.
	Train bool `json:"train"`
}

// Conversation is what a model was sent and what it said: a whole episode, or one call
// of an episode whose calls do not continue each other.
type Conversation struct {
	Messages []Message
	Turn     int // the number of its first reply in the episode, from 1
}

// conversations writes the calls of an episode as conversations: as one if every call
// continues the one before it with the reply and an answer, otherwise as one for each
// call. A call whose reply is not trained on is then left out.
func conversations(calls []episode.Call, marks []Mark) []Conversation {
	if continues(calls) {
		return oneConversation(calls, marks)
	}
	var out []Conversation
	for _, c := range calls {
		if marks[c.Step] != "" || blank(c.Reply) {
			continue
		}
		out = append(out, Conversation{append(sent(c.Messages), Message{model.Assistant, c.Reply, true}), c.Step + 1})
	}
	return out
}

// continues reports whether each call has the messages of the one before it, the reply and an answer.
func continues(calls []episode.Call) bool {
	for i := 1; i < len(calls); i++ {
		prev, now := calls[i-1], calls[i].Messages
		n := len(prev.Messages)
		if len(now) != n+2 || now[n].Role != model.Assistant || now[n].Content != prev.Echo ||
			now[n+1].Role != model.User || !slices.Equal(now[:n], prev.Messages) {
			return false
		}
	}
	return true
}

// oneConversation is an episode as one conversation, which ends with the last reply that is
// trained on; none if no reply is.
func oneConversation(calls []episode.Call, marks []Mark) []Conversation {
	if len(calls) == 0 {
		return nil
	}
	last := calls[len(calls)-1]
	messages := append(sent(last.Messages), Message{Role: model.Assistant, Content: last.Echo})
	for _, c := range calls {
		if marks[c.Step] == "" && !blank(c.Reply) {
			messages[len(c.Messages)].Train = true
		}
	}
	return trained(messages)
}

// trained is a conversation up to the last message that a model is trained on; none without one.
func trained(messages []Message) []Conversation {
	for end := len(messages); end > 0; end-- {
		if messages[end-1].Train {
			return []Conversation{{messages[:end], 1}}
		}
	}
	return nil
}

// sent are messages that no model is trained on.
func sent(in []model.Message) []Message {
	return table.Each(in, func(m model.Message) Message { return Message{Role: m.Role, Content: m.Content} })
}

func (c Conversation) hasEmpty() bool {
	return slices.ContainsFunc(c.Messages, func(m Message) bool { return blank(m.Content) })
}

func blank(text string) bool { return strings.TrimSpace(text) == "" }

// forEach visits a prefix of the conversation for every message that is trained on: that
// message and all before it, none of which is trained on.
func (c Conversation) forEach(visit func(turn int, prefix []Message) error) error {
	replies := c.Turn - 1
	for i, m := range c.Messages {
		if !m.Train {
			continue
		}
		replies++
		if err := visit(replies, c.Messages[:i+1]); err != nil {
			return err
		}
	}
	return nil
}

// Mark says why a reply is not trained on; "" if it is.
type Mark string

// The marks, which are also the rules of a mask.
const (
	Unreadable Mark = "unreadable"  // no action could be read from the reply
	Invalid    Mark = "invalid"     // the environment did not understand or carry out the action
	NoProgress Mark = "no-progress" // the same action had the same answer before, with the same progress
	// Empty replies are never trained on.
	Empty Mark = "empty"
)

// Marks are the rules of a mask.
func Marks() []Mark { return []Mark{Unreadable, Invalid, NoProgress} }

// marks says for every step of a trajectory by which of the rules it is masked: the first that it meets.
func marks(steps []record.Step, rules []Mark) []Mark {
	type done struct {
		action, answer string
		progress       float64
	}
	repeated := map[done]bool{}
	out := make([]Mark, len(steps))
	for i, s := range steps {
		now := done{s.Action, s.Observation, s.Progress}
		meets := map[Mark]bool{
			Unreadable: s.FormatError,
			Invalid:    s.Erroneous() && !s.FormatError,
			NoProgress: repeated[now] && !s.FormatError,
		}
		for _, rule := range rules {
			if meets[rule] {
				out[i] = rule
				break
			}
		}
		repeated[now] = true
	}
	return out
}

// noChat says why the episodes of a condition are not conversations of texts; "" if they are.
func noChat(c *record.Condition) Reason {
	switch {
	case isExpert(c) && c.Preset == nil:
		return ""
	case c.Decoding == nil:
		return NoModel
	case c.Completions || c.Agent == configs.Completion:
		return Text
	case c.Agent == configs.ToolCall:
		return Called
	}
	return ""
}

// calls rebuilds the calls of an episode; nil if it is not as recorded.
func (x *exporter) calls(ctx context.Context, r *runSource, e *record.Episode, p planned) ([]episode.Call, error) {
	if isExpert(p.condition) {
		return x.expert(ctx, r, e, p)
	}
	b, err := x.prompts.Rebuilder(r.manifest, *p.condition)
	if err != nil {
		return nil, err
	}
	env, task, err := x.prompts.NeededEnv(b, *p.condition, *p.task)
	if err != nil {
		return nil, err
	}
	return x.rebuild(ctx, b, e, env, task)
}

// rebuild rebuilds the calls of an episode; nil if it is not as recorded, which the report then says.
func (x *exporter) rebuild(ctx context.Context, b *episode.Rebuilder, e *record.Episode, env envs.Env,
	t envs.Task) ([]episode.Call, error) {
	calls, err := b.Calls(ctx, e, env, t)
	switch {
	case err == nil && calls == nil:
		return []episode.Call{}, nil // an episode without steps
	case err != nil && ctx.Err() == nil:
		x.report.differs(e, err)
		return nil, nil
	}
	return calls, err
}

// Synthetic is the environment of trajectories that a model made.
const Synthetic = "synthetic"

// instruction begins the conversation of a trajectory. AgentRefine does not say what its own is.
const instruction = `You act in an environment that is described in text. In each turn, you are told
what you observe. Reply with a thought and one action, in exactly this form:
Thought: what you think
Action: the action`

// itemConversation writes a verified trajectory as a conversation: observations of the master are the user's
// messages, and a thought with an action is a reply in the form of ReAct. The master's thoughts and the description
// of the environment, which the player cannot see, are left out.
func itemConversation(i *synth.Item) []Conversation {
	var messages []Message
	user := introduction(i.Script)
	for k, t := range i.Turns {
		if t.Master {
			user = strings.TrimPrefix(user+"\n\nObservation: "+t.Observation, "\n\n")
			continue
		}
		messages = append(messages, Message{Role: model.User, Content: user},
			Message{model.Assistant, agent.Canonical(oneLine(t.Thought), oneLine(t.Action)), i.Train[k]})
		user = ""
	}
	return trained(messages)
}

// oneLine keeps a thought or an action from being read as several.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func introduction(s *synth.Script) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nYour goal: %s\n\nActions:", instruction, s.Goal)
	for _, a := range s.Actions {
		fmt.Fprintf(&b, "\n- %s", a.Template)
		for _, name := range a.Slots {
			if values := a.Values[name]; len(values) > 0 {
				fmt.Fprintf(&b, "\n  %s: %s", name, strings.Join(values, ", "))
			}
		}
	}
	return b.String()
}

// itemTask is the name of a trajectory's task: the hash of its script.
func itemTask(i *synth.Item) string { return "script/" + datafile.Hash(i.Raw)[:20] }
