package agent

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/pytext"
	"heldout/eval/model"
)

// chatLayout is a chat: instruction, examples and task, then replies and observations by turns.
type chatLayout struct {
	system      string
	instruction string
	acknowledge string
	shots       [][]model.Message
	task        string
}

func newChatLayout(p Protocol, start envs.Start) (*chatLayout, error) {
	shots, err := chosenShots(p)
	if err != nil {
		return nil, err
	}
	l := &chatLayout{
		system: p.Instructions.System, instruction: p.Instructions.Instruction,
		acknowledge: p.Agent.Acknowledge, task: p.Handover + task(p.Observation, start),
	}
	if l.acknowledge == "" { // an empty line follows it
		l.instruction = strings.TrimSpace(l.instruction)
	}
	for _, ex := range shots {
		if p.Agent.Shots.Format == "text" {
			l.instruction += "\n\n" + strings.TrimSuffix(shotText(ex), "\n")
			continue
		}
		turns, err := shotTurns(p.Observation, ex)
		if err != nil {
			return nil, err
		}
		if len(l.shots) == 0 && len(turns) > 0 {
			turns[0].Content = p.Agent.Shots.Intro + turns[0].Content
		}
		l.shots = append(l.shots, turns)
	}
	return l, nil
}

func (l *chatLayout) messages(f *formed) []model.Message {
	if pairs := f.play.Agent.Pairs; pairs > 0 && len(f.turns) > pairs {
		return l.ask(f, l.latest(f, max(f.dropped, len(f.turns)-1-pairs)))
	}
	var out []model.Message
	for _, shot := range l.shots {
		out = append(out, shot...)
	}
	out = append(out, model.Message{Role: model.User, Content: f.plans() + l.task + f.actionsOf(0)})
	if l.acknowledge != "" {
		out = append(append(f.withSystem(l.system, l.instruction),
			model.Message{Role: model.Assistant, Content: l.acknowledge}), out...)
	} else {
		out[0].Content = strings.TrimPrefix(l.instruction+"\n\n"+out[0].Content, "\n\n")
		out = append(f.withSystem(l.system, out[0].Content), out[1:]...)
	}
	out = append(out, l.history(f, f.dropped)...)
	return filtered(f.play.Agent.Filter, l.ask(f, out))
}

// history are the replies and observations after the task or, if earlier turns were dropped, the later ones.
func (l *chatLayout) history(f *formed, start int) (out []model.Message) {
	for i := start; i+1 < len(f.turns); i++ {
		reply, answer := model.Message{Role: model.Assistant, Content: f.entry(i)},
			model.Message{Role: model.User, Content: f.observed(i + 1)}
		if f.play.Agent.Form == configs.ToolCall {
			reply, answer = callMessages(f.turns[i].reply, i+1, answer, f.turns[i].unanswered)
		}
		out = append(out, reply, answer)
	}
	return out
}

// latest are the messages of a chat that repeats only the turns from one on.
func (l *chatLayout) latest(f *formed, start int) (out []model.Message) {
	first := model.Message{Role: model.User, Content: l.task + f.actionsOf(0)}
	if start > 0 {
		first.Content = f.observed(start)
	}
	if notice := f.play.Agent.Notice; notice != "" {
		first.Content = strings.ReplaceAll(notice, "{pairs}", strconv.Itoa(f.play.Agent.Pairs))
	} else if start > 0 {
		return append([]model.Message{first}, l.history(f, start)...)
	}
	return append(f.withSystem(l.system, first.Content), l.history(f, start)...)
}

// ask ends messages with what the call is for, and joins them if the preset says so.
func (l *chatLayout) ask(f *formed, out []model.Message) []model.Message {
	last := &out[len(out)-1]
	rule, suffix := f.play.Agent.Think, f.play.Observation.Suffix
	switch f.asks {
	case forThought:
		last.Content = strings.TrimSuffix(last.Content, suffix) + "\n\n" + rule.Ask
	case forAction:
		last.Content = strings.TrimSuffix(last.Content, suffix) + "\n\n" + rule.Ask
		out = append(out, model.Message{Role: model.Assistant, Content: f.thought + "\n"},
			model.Message{Role: model.User, Content: rule.Action})
	case onceMore:
		for range f.repeats {
			out = append(out, *last)
		}
	}
	if !f.play.Agent.Joined {
		return out
	}
	var system, text string
	for _, m := range out {
		if m.Role == model.System {
			system = m.Content
		} else {
			text += m.Content
		}
	}
	return f.withSystem(system, text)
}

// entry is what the history holds of a reply.
func (f *formed) entry(i int) string {
	if form := f.play.Agent.History; form != "" {
		return strings.ReplaceAll(form, "{reply}", pytext.Strip(f.turns[i].reply))
	}
	return f.turns[i].reply
}

func (l *chatLayout) dropOldest(f *formed) bool { return dropOldest(f, &l.shots) }

// filtered leaves out messages as a preset's filter says.
func filtered(rule configs.Filter, messages []model.Message) []model.Message {
	if rule.Segments == 0 {
		return messages
	}
	start, sum := len(messages), segments(messages[0].Content)
	for start > 1 {
		if sum += segments(messages[start-1].Content); sum >= rule.Segments {
			break
		}
		start--
	}
	if start < len(messages) && messages[start].Role == model.User {
		start++
	}
	if start <= 1 {
		return messages
	}
	first := messages[0]
	first.Content += strings.ReplaceAll(rule.Notice, "{omitted}", strconv.Itoa(start-1))
	return slices.Concat([]model.Message{first}, messages[start:])
}

// longestSegment is the largest number of letters in a segment.
const longestSegment = 7

func segments(text string) (n int) {
	letters := 0
	for _, r := range text {
		if unicode.IsLetter(r) {
			if letters%longestSegment == 0 {
				n++
			}
			letters++
			continue
		}
		letters = 0
		if r != ' ' && r != '\n' {
			n++
		}
	}
	return n
}
