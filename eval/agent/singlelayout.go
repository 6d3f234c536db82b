package agent

import (
	"errors"
	"strconv"
	"strings"

	"heldout/configs"
	"heldout/envs"
	"heldout/eval/model"
)

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
			items = append(items, l.Earlier(form, map[string]string{
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
