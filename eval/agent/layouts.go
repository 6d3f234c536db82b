package agent

import (
	"errors"
	"strconv"
	"strings"

	"heldout/configs"
	"heldout/envs"
	"heldout/eval/model"
)

// chatLayout is a chat: instruction, examples and task, then replies and
// observations by turns.
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
		system: p.Instructions.System, instruction: strings.TrimSpace(p.Instructions.Instruction),
		acknowledge: p.Agent.Acknowledge, task: p.Handover + task(p.Observation, start),
	}
	for _, ex := range shots {
		if p.Agent.Shots.As == "text" {
			l.instruction += "\n\n" + strings.TrimSuffix(shotText(ex), "\n")
			continue
		}
		turns, err := shotTurns(p.Observation, ex)
		if err != nil {
			return nil, err
		}
		l.shots = append(l.shots, turns)
	}
	return l, nil
}

func (l *chatLayout) messages(f *formed) []model.Message {
	var out []model.Message
	for _, shot := range l.shots {
		out = append(out, shot...)
	}
	out = append(out, model.Message{Role: model.User, Content: f.plans() + l.task + f.actionsOf(0)})
	if l.acknowledge != "" {
		out = append(append(f.withSystem(l.system, l.instruction), model.Message{Role: model.Assistant, Content: l.acknowledge}), out...)
	} else {
		out[0].Content = strings.TrimPrefix(l.instruction+"\n\n"+out[0].Content, "\n\n")
		out = append(f.withSystem(l.system, out[0].Content), out[1:]...)
	}
	for i := f.dropped; i+1 < len(f.turns); i++ {
		out = append(out,
			model.Message{Role: model.Assistant, Content: f.turns[i].reply},
			model.Message{Role: model.User, Content: f.later(i + 1)})
	}
	return out
}

// dropOldest removes the last example, which helps least.
func (l *chatLayout) dropOldest(*formed) bool {
	if len(l.shots) == 0 {
		return false
	}
	l.shots = l.shots[:len(l.shots)-1]
	return true
}

// singleLayout is one message, written anew at every turn.
type singleLayout struct {
	configs.Template
	system string
	goal   string
	// pairs is the number of turns that the history holds, less after trimming.
	pairs int
}

func newSingleLayout(p Protocol, start envs.Start) (*singleLayout, error) {
	if p.Template == nil {
		return nil, errors.New("the prompt has no template, which the form single needs")
	}
	l := &singleLayout{Template: *p.Template, system: p.Instructions.System, goal: start.Goal, pairs: p.Agent.Pairs}
	if l.First == "" {
		l.First = l.Next
	}
	return l, nil
}

func (l *singleLayout) messages(f *formed) []model.Message {
	// The next prompt does not continue this one, so it may have fewer tokens.
	f.shortened()
	n, text := f.number(), l.Next
	if n == 1 {
		text = l.First
	}
	history, pairs := l.history(f)
	text = strings.NewReplacer(
		"{goal}", l.goal, "{observation}", f.last().observation, "{actions}", f.last().actions,
		"{turn}", strconv.Itoa(n), "{steps}", strconv.Itoa(n-1), "{pairs}", strconv.Itoa(pairs), "{history}", history,
	).Replace(text)
	return f.withSystem(l.system, f.plans()+text)
}

// history writes the turns of the window, and those before it if the template has
// a form for them.
func (l *singleLayout) history(f *formed) (text string, pairs int) {
	from := f.dropped
	if l.pairs > 0 {
		from = max(from, len(f.turns)-1-l.pairs)
	}
	var items []string
	for i, t := range f.turns[:len(f.turns)-1] {
		form := l.Pair
		if i < from {
			form = l.Older
		} else {
			pairs++
		}
		if form != "" {
			items = append(items, strings.NewReplacer("{turn}", strconv.Itoa(i+1), "{observation}", t.observation, "{action}", t.action).Replace(form))
		}
	}
	return strings.Join(items, l.Between), pairs
}

func (l *singleLayout) dropOldest(*formed) bool { return false }

// numberedParser reads thoughts and actions with the number of their turn.
const numberedParser = "thought-action-i"

// textLayout is one text: instruction, examples, task, then a cue, a reply and an
// observation by turns. It ends with the cue.
type textLayout struct {
	before   string
	examples []string
	after    string
	cue      string
	// again: the text ends with what there is of the current reply.
	again bool
}

func newTextLayout(p Protocol, start envs.Start) (*textLayout, error) {
	shots, err := chosenShots(p)
	if err != nil {
		return nil, err
	}
	l := &textLayout{
		before: ownLine(p.Instructions.System) + ownLine(p.Instructions.Instruction),
		after:  ownLine(p.Handover) + task(p.Observation, start), cue: p.Agent.Cue,
	}
	for _, ex := range shots {
		l.examples = append(l.examples, shotText(ex))
	}
	return l, nil
}

func (l *textLayout) messages(f *formed) []model.Message {
	var text strings.Builder
	text.WriteString(l.before + strings.Join(l.examples, "") + f.plans() + l.after + f.actionsOf(0))
	for i := f.dropped; i < len(f.turns); i++ {
		text.WriteString("\n" + numbered(l.cue, i+1))
		if i+1 < len(f.turns) {
			text.WriteString(" " + f.said(i) + "\n" + f.later(i+1))
		} else if l.again {
			text.WriteString(" " + f.turns[i].reply)
		}
	}
	return []model.Message{{Role: model.User, Content: text.String()}}
}

// said is what a text holds of a reply: the reply itself for numbered thoughts and
// actions, otherwise the action.
func (f *formed) said(i int) string {
	if f.play.Reply.Parser == numberedParser {
		return strings.TrimSpace(f.turns[i].reply)
	}
	return f.turns[i].action
}

// dropOldest removes the last example, which helps least.
func (l *textLayout) dropOldest(*formed) bool {
	if len(l.examples) == 0 {
		return false
	}
	l.examples = l.examples[:len(l.examples)-1]
	return true
}
