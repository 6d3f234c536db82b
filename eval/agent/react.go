package agent

import (
	"cmp"
	"context"
	"strings"

	"heldout/configs"
	"heldout/envs"
	"heldout/eval/model"
)

// react is a chat: the first user message holds instruction and task, every
// assistant turn a thought and an action, every user turn an observation. The
// history only grows, so that a server can keep what it computed for it.
type react struct {
	*caller
	head    []model.Message
	history []model.Message // assistant and user by turns
}

// NewReact returns an agent that thinks before it acts (ReAct, Yao et al. 2023)
// in the multi-turn form that AgentRefine evaluates. The format tells how a
// reply must look.
func NewReact(c Chat, in configs.Instructions, format string, start envs.Start) Agent {
	var b strings.Builder
	b.WriteString(strings.TrimSpace(in.Instruction) + "\n\n" + strings.TrimSpace(format) + "\n")
	for _, ex := range in.Examples {
		b.WriteString("\nHere is an example:\n" + renderExample(ex, true) + "\n")
	}
	b.WriteString("\nNow this is your task.\nGoal: " + start.Goal + "\nObservation: " + start.Observation)
	return &react{caller: newCaller(c), head: withSystem(in.System, b.String())}
}

// withSystem returns the messages before the first turn. A system message is
// sent only if the prompt has one: some chat templates refuse it.
func withSystem(system, user string) []model.Message {
	var out []model.Message
	if system != "" {
		out = append(out, model.Message{Role: model.System, Content: system})
	}
	return append(out, model.Message{Role: model.User, Content: user})
}

// renderExample writes an example as lines, with or without its thoughts. One
// that is given as text is shown as it is.
func renderExample(ex configs.Example, thoughts bool) string {
	if ex.Text != "" {
		return ex.Text
	}
	lines := []string{"Goal: " + ex.Goal, "Observation: " + ex.Observation}
	for _, s := range ex.Steps {
		if thoughts && s.Thought != "" {
			lines = append(lines, "Thought: "+s.Thought)
		}
		lines = append(lines, "Action: "+s.Action, "Observation: "+s.Observation)
	}
	return strings.Join(lines, "\n")
}

func (r *react) messages() []model.Message {
	return append(r.head[:len(r.head):len(r.head)], r.history...)
}

// dropOldest leaves out the oldest turn of the model and the answer to it; the
// last ones stay.
func (r *react) dropOldest() bool {
	if len(r.history) <= 2 {
		return false
	}
	r.history = r.history[2:]
	return true
}

// emptyReply stands in the history for a reply without text: an empty message
// would be refused by some servers and misread by some templates.
const emptyReply = "(no reply)"

func (r *react) Act(ctx context.Context) (Move, error) {
	reply, used, err := r.ask(ctx, r)
	if err != nil {
		return Move{Usage: used}, err
	}
	p, ok := parseReact(reply.Text)
	move := Move{Thought: p.thought, Action: p.action, FormatError: !ok, Reasoning: reply.Reasoning, Usage: used}
	said := p.canonical()
	if !ok {
		said = cmp.Or(withoutReasoning(reply.Text), emptyReply)
	}
	if !ok || said != strings.TrimSpace(reply.Text) {
		move.Reply = reply.Text
	}
	r.history = append(r.history, model.Message{Role: model.Assistant, Content: said})
	return move, nil
}

func (r *react) Observe(observation string) {
	r.history = append(r.history, model.Message{Role: model.User, Content: "Observation: " + observation})
}
