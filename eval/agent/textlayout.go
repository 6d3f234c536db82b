package agent

import (
	"strings"

	"heldout/envs"
	"heldout/eval/model"
	"heldout/scoring/table"
)

// numberedParser reads thoughts and actions with the number of their turn.
const numberedParser = "thought-action-i"

// textLayout is one text: instruction, examples, task, then a cue, a reply and an
// observation by turns. It ends with the cue.
type textLayout struct {
	intro    string
	examples []string
	task     string
	cue      string
}

func newTextLayout(p Protocol, start envs.Start) (*textLayout, error) {
	shots, err := chosenShots(p)
	if err != nil {
		return nil, err
	}
	l := &textLayout{
		intro: ownLine(p.Instructions.System) + ownLine(p.Instructions.Instruction),
		task:  ownLine(p.Handover) + task(p.Observation, start), cue: p.Agent.Cue,
		examples: table.Each(shots, shotText),
	}
	return l, nil
}

func (l *textLayout) messages(f *formed) []model.Message {
	var text strings.Builder
	text.WriteString(l.intro + strings.Join(l.examples, "") + f.plans() + l.task + f.actionsOf(0))
	for i := f.dropped; i < len(f.turns); i++ {
		if i == 0 || i+1 < len(f.turns) || !f.play.Agent.CueFollows {
			text.WriteString("\n")
		}
		text.WriteString(numbered(l.cue, i+1))
		if i+1 < len(f.turns) {
			text.WriteString(" " + f.textEntry(i) + "\n" + f.observed(i+1))
		} else if f.asks == forRest {
			text.WriteString(" " + f.turns[i].reply)
		}
	}
	return []model.Message{{Role: model.User, Content: text.String()}}
}

// textEntry is what a text holds of a reply: the reply itself for numbered thoughts and
// actions, otherwise the action.
func (f *formed) textEntry(i int) string {
	if f.play.Reply.Parser == numberedParser {
		return f.turns[i].reply
	}
	return f.turns[i].action
}

func (l *textLayout) dropOldest(f *formed) bool { return dropOldest(f, &l.examples) }

// dropOldest removes the oldest turn, then the last example, which helps least.
func dropOldest[Example any](f *formed, examples *[]Example) bool {
	if f.dropTurn() {
		return true
	}
	n := len(*examples)
	*examples = (*examples)[:max(0, n-1)]
	return n > 0
}
