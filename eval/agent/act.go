package agent

import (
	"cmp"
	"context"
	"strings"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/agentboard"
	"heldout/envs/pytext"
	"heldout/eval/model"
)

// act is AgentBoard's agent without thoughts: one user message holds instruction, examples, goal and the whole
// history, and ends where the next action has to follow.
type act struct {
	*caller
	system  string
	opening opening
	head    string // the text of opening
	// entry is what the history holds of an action.
	entry func(action string) string
	items []string // "Observation: …" and "Action: …"
}

// actMemory is the number of items of history that AgentBoard's agent keeps.
const actMemory = 100

// NewAct returns AgentBoard's act-only agent, for results that compare with its
// leaderboard. Every reply with text is an action. A reply without text is a format error,
// but as in AgentBoard the environment receives the empty action and answers it.
func NewAct(c Chat, p configs.Prompt, in configs.Instructions, start envs.Start) Agent {
	o := opening{examples: len(in.Examples), write: func(examples int, memory string) string {
		var b strings.Builder
		b.WriteString(in.Instruction)
		for i, ex := range in.Examples[:examples] {
			if i == 0 {
				b.WriteString("\nHere are examples:\n")
			}
			b.WriteString(renderExample(ex, false) + "\n")
		}
		b.WriteString(memory + "You should perform actions to accomplish the goal: " + start.Goal + "\n")
		for _, help := range []string{p.Help, p.MoreHelp} {
			if help != "" {
				b.WriteString("You should use the following commands for help when your action cannot be understood: " +
					help + "\n")
			}
		}
		return b.String()
	}}
	c.Reads = isLine // any text is an action, and reasoning has several lines
	a := &act{caller: newCaller(c), system: in.System, opening: o, entry: keeper(p.Kept),
		items: []string{observationLabel + start.Observation}}
	a.head = a.opening.text(&a.Memory)
	return a
}

// isLine reports whether a text is one line.
func isLine(text string) bool {
	text = pytext.Strip(text)
	return text != "" && !strings.ContainsAny(text, "\r\n")
}

// keeper is how a rule of configs.Prompt.Kept keeps actions.
func keeper(rule string) func(action string) string {
	name, put, _ := strings.Cut(rule, ":")
	switch name {
	case configs.KeptALFWorld:
		return func(action string) string { return agentboard.ALFWorldAction(action, cmp.Or(put, configs.KeptPut)) }
	case configs.KeptJericho:
		return agentboard.JerichoAction
	}
	return func(action string) string { return action }
}

func (a *act) messages() []model.Message {
	text := a.head + strings.Join(a.items, "\n") + "\nAction: "
	if a.Wrap.Text != "" {
		slots := strings.NewReplacer("{system_prompt}", a.system+a.Added, "{prompt}", text)
		text = pytext.Strip(slots.Replace(a.Wrap.Text))
		return []model.Message{{Role: model.User, Content: text}}
	}
	return a.withSystem(a.system, text)
}

// dropOldest removes the oldest item. The last observation stays; if no other
// item is left, dropOldest removes an example, and finally the oldest plan.
func (a *act) dropOldest() bool {
	if len(a.items) < 2 {
		dropped := a.opening.dropExample() || a.forget()
		a.head = a.opening.text(&a.Memory)
		return dropped
	}
	a.items = a.items[1:]
	return true
}

func (a *act) spare() int { return len(a.items) - 1 }

func (a *act) Act(ctx context.Context) (Move, error) {
	reply, used, err := a.ask(ctx, a)
	if err != nil {
		return a.failed(used, err, a.steps)
	}
	move := newMove(reply, used)
	text := reply.Text
	if a.Wrap.Unescape {
		text = strings.ReplaceAll(text, `\_`, "_")
	}
	p, ok := parseBoard(text, 0)
	if move.Action = p.action; !ok {
		move.unread("")
	}
	if move.Action != reply.Text || move.FormatError {
		move.Reply = cmp.Or(reply.Text, reply.Substitute)
	}
	a.remember("Action: " + a.entry(move.Action))
	return move, nil
}

func (a *act) Observe(observation string) string {
	text := observationLabel + observation
	a.remember(text)
	return text[len(observationLabel):]
}

func (a *act) remember(item string) {
	a.items = append(a.items, item)
	if len(a.items) > actMemory {
		a.items = a.items[len(a.items)-actMemory:]
	}
}
