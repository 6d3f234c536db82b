package agent

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unique"

	"heldout/configs"
	"heldout/envs"
	"heldout/eval/model"
	"heldout/scoring/record"
)

// react is a chat: the first user message holds instruction and task, every assistant turn a thought and an action,
// every user turn an observation. The history only grows, so that a server can reuse its prefix cache.
type react struct {
	*caller
	system  string
	opening opening
	// chat is the whole chat. The first head messages stand before the history, in
	// which assistant and user take turns.
	chat []model.Message
	head int
	// first is the text before the first turn. It is long, and the same for all
	// episodes of a task, which then have it in memory once.
	first unique.Handle[string]
	// reminder are the corrections since the last reply with an action; corrects says that the
	// next observation is one.
	reminder string
	corrects bool
}

// opening is what the model receives before the first turn.
type opening struct {
	// examples counts those that are left, the first ones.
	examples int
	write    func(examples int, memory string) string
}

func (o *opening) text(m *Memory) string { return o.write(o.examples, m.text()) }

// dropExample removes the last example, which helps least if only instruction and task fit.
func (o *opening) dropExample() bool {
	if o.examples == 0 {
		return false
	}
	o.examples--
	return true
}

// NewReact returns an agent that thinks before it acts (ReAct, Yao et al. 2023) in the multi-turn form that
// AgentRefine evaluates. The format tells how a reply must look.
func NewReact(c Chat, in configs.Instructions, format string, start envs.Start) Agent {
	o := opening{examples: len(in.Examples), write: func(examples int, memory string) string {
		var b strings.Builder
		b.WriteString(strings.TrimSpace(in.Instruction) + "\n\n" + strings.TrimSpace(format) + "\n")
		for _, ex := range in.Examples[:examples] {
			b.WriteString("\nHere is an example:\n" + renderExample(ex, true) + "\n")
		}
		b.WriteString(memory + "\nNow this is your task.\nGoal: " + start.Goal + "\nObservation: " + start.Observation)
		return b.String()
	}}
	c.Reads = func(text string) bool { _, ok := parseReact(text); return ok }
	r := &react{caller: newCaller(c), system: in.System, opening: o}
	r.open(nil)
	return r
}

// open writes what stands before that history.
func (r *react) open(history []model.Message) {
	r.first = unique.Make(r.opening.text(&r.Memory))
	head := r.withSystem(r.system, r.first.Value())
	r.chat, r.head = append(head, history...), len(head)
}

// withSystem returns the messages before the first turn. A system message is
// sent only if the prompt has one: some chat templates refuse it.
func (c *Chat) withSystem(system, user string) []model.Message {
	var out []model.Message
	if c.FoldSystem && system != "" {
		system, user = "", strings.TrimSpace(system)+"\n\n"+user
	}
	if system != "" {
		out = append(out, model.Message{Role: model.System, Content: system})
	}
	return append(out, model.Message{Role: model.User, Content: user})
}

// renderExample writes an example as lines, with or without its thoughts. An
// example that is given as text stays unchanged.
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
	if r.Completion {
		return r.script()
	}
	if r.reminder == "" {
		return r.chat
	}
	out := slices.Clone(r.chat)
	out[len(out)-1].Content += r.reminder
	return out
}

// script is the history as one text in the form of the examples. It ends where the next thought must follow.
func (r *react) script() []model.Message {
	var text strings.Builder
	if r.system != "" {
		text.WriteString(strings.TrimSpace(r.system) + "\n\n")
	}
	text.WriteString(r.opening.text(&r.Memory))
	for _, m := range r.chat[r.head:] {
		text.WriteString("\n" + m.Content)
	}
	text.WriteString(r.reminder + "\nThought:")
	return []model.Message{{Role: model.User, Content: text.String()}}
}

// dropOldest removes the oldest turn of the model and the answer to it. The last turn and its answer stay; if
// nothing else is left, dropOldest removes an example, and finally the oldest plan.
func (r *react) dropOldest() bool {
	if history := r.chat[r.head:]; len(history) > 2 {
		r.chat = slices.Concat(r.chat[:r.head], history[2:])
		return true
	}
	if !r.opening.dropExample() && !r.forget() {
		return false
	}
	r.open(r.chat[r.head:])
	return true
}

func (r *react) spare() int { return max(0, len(r.chat[r.head:])/2-1) }

// emptyReply stands in the history for a reply without text: some servers refuse
// an empty message, and some templates misread it.
const emptyReply = "(no reply)"

func (r *react) Act(ctx context.Context) (move Move, err error) {
	var reply model.Reply
	if reply, move.Usage, err = r.ask(ctx, r); err == nil {
		r.read(&reply, &move)
	}
	return move, err
}

// read adds a reply to the history and takes the move from it.
func (r *react) read(reply *model.Reply, move *Move) {
	if r.Completion && reply.Text != "" {
		reply.Text = "Thought:" + reply.Text // as the prompt had it
	}
	p, ok := parseReact(reply.Text)
	*move = newMove(*reply, move.Usage)
	move.Thought, move.Action = p.thought, p.action
	entry := p.entry(ok, reply.Text)
	if invents(reply.Text) {
		move.Usage.Leftovers = append(move.Usage.Leftovers, record.InventedObservation)
	}
	if !ok {
		move.unread(cmp.Or(r.Correction, FormatHelp))
	}
	if trimmed := strings.TrimSpace(reply.Text); !ok || entry != trimmed {
		move.Reply = cmp.Or(reply.Text, reply.Substitute)
	} else {
		entry = trimmed // which is in memory once
	}
	if r.corrects = !ok && r.Correction != ""; r.corrects {
		return
	}
	r.reminder = ""
	r.chat = append(r.chat, model.Message{Role: model.Assistant, Content: entry})
}

// HistoryEntry is what the history of react holds of a reply.
func HistoryEntry(reply string) string {
	p, ok := parseReact(reply)
	return p.entry(ok, reply)
}

func (p parsed) entry(ok bool, reply string) string {
	if ok {
		return p.canonical()
	}
	return cmp.Or(plainLines(reply), emptyReply)
}

func (r *react) Observe(observation string) string {
	if r.corrects {
		r.reminder += "\n\n" + observation
		return observation
	}
	text := observationLabel + observation
	r.chat = append(r.chat, model.Message{Role: model.User, Content: text})
	return text[len(observationLabel):]
}

const observationLabel = "Observation: "

// newMove returns what is known about a move before the reply is parsed.
func newMove(reply model.Reply, used Usage) Move {
	return Move{Usage: used, Step: record.Step{Reasoning: reply.Reasoning, FinishReason: reply.FinishReason,
		Fault: reply.Fault}}
}

// unread notes that the reply holds no action.
func (m *Move) unread(correction string) {
	m.FormatError, m.Correction = true, correction
	m.Fault = cmp.Or(m.Fault, record.NoAction)
}
