package agent

import (
	"errors"
	"strconv"
	"strings"

	"heldout/configs"
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
	return &textLayout{
		intro: ownLine(p.Instructions.System) + ownLine(p.Instructions.Instruction),
		task:  ownLine(p.Handover) + task(p.Observation, start), cue: p.Agent.Cue,
		examples: table.Each(shots, shotText),
	}, nil
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

// singleLayout is one message, written anew at every turn.
type singleLayout struct {
	configs.Template
	system string
	goal   string
	// pairs is the number of turns that the history holds.
	pairs int
	// forgotten counts the turns before the window that no longer fit.
	forgotten int
}

func newSingleLayout(p Protocol, start envs.Start) (*singleLayout, error) {
	if p.Template == nil {
		return nil, errors.New("the prompt has no template, which the form single needs")
	}
	l := &singleLayout{Template: *p.Template, system: p.Instructions.System, goal: start.Goal, pairs: p.Agent.Pairs}
	if l.First == "" {
		l.First = l.Next
	}
	return l, l.Check()
}

func (l *singleLayout) messages(f *formed) []model.Message {
	n, text := f.number(), l.Next
	if n == 1 {
		text = l.First
	}
	history, pairs := l.history(f)
	text = l.Message(text, map[string]string{
		"goal": l.goal, "observation": f.last().observation, "actions": f.last().actions, "possible": f.last().possible,
		"turn": strconv.Itoa(n), "steps": strconv.Itoa(n - 1), "pairs": strconv.Itoa(pairs), "history": history,
	})
	return f.withSystem(l.system, f.plans()+text)
}

// history writes the turns of the window, and those before it if the template has a form for them.
func (l *singleLayout) history(f *formed) (text string, pairs int) {
	start := max(f.dropped, l.window(f))
	var items []string
	for i, t := range f.turns[:len(f.turns)-1] {
		form := l.Pair
		if i < start {
			if form = l.Older; i < l.forgotten {
				form = ""
			}
		} else {
			pairs++
		}
		if form != "" {
			items = append(items, l.Past(form, map[string]string{
				"turn": strconv.Itoa(i + 1), "window-turn": strconv.Itoa(i + 1 + min(0, len(f.turns)-1-l.pairs)),
				"observation": t.observation, "action": t.action, "result": f.turns[i+1].observation,
			}))
		}
	}
	return strings.Join(items, l.Between), pairs
}

// window is the first turn that the history holds in full.
func (l *singleLayout) window(f *formed) int {
	if l.pairs == 0 {
		return 0
	}
	return max(0, len(f.turns)-1-l.pairs)
}

// dropOldest removes the oldest turn before the window, then the oldest in it: what is not shown
// in full is not worth a call.
func (l *singleLayout) dropOldest(f *formed) bool {
	if l.Older != "" && l.forgotten < max(f.dropped, l.window(f)) {
		l.forgotten++
		return true
	}
	f.dropped = max(f.dropped, l.window(f))
	return f.dropTurn()
}
