package load

import "math/rand/v2"

// lane is one session: it plays one walk after the other.
type lane struct {
	random  *rand.Rand
	walks   [][]string
	kind    Kind
	actions []string // that the episode still plays
	playing bool
}

// next returns the next request. over says that the episode has ended.
func (l *lane) next(over bool) request {
	if l.playing && !over && len(l.actions) > 0 && l.kind == Steps {
		action := l.actions[0]
		l.actions = l.actions[1:]
		return request{action: action}
	}
	task := l.random.IntN(len(l.walks))
	l.actions, l.playing = l.walks[task], true
	return request{reset: true, task: task}
}

func (l *lane) restart() { l.actions, l.playing = nil, false }
