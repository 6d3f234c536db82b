package serve

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"sync/atomic"

	"github.com/go-json-experiment/json/jsontext"
)

// pipeEntry is a step or a reset: [SESSION, ACTION] or [SESSION, {…}].
type pipeEntry struct {
	session int
	action  ClientAction
	reset   json.RawMessage // nil for a step
	bad     error           // what is wrong with how the action was sampled
	next    int             // the next entry of the session, if it is not the last one
	answer  []byte
}

var errEntry = errors.New("want [SESSION, ACTION] or [SESSION, {…}]")

// UnmarshalJSONFrom implements jsonv2.UnmarshalerFrom.
func (e *pipeEntry) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	if t, err := d.ReadToken(); err != nil || t.Kind() != '[' || d.PeekKind() != '0' {
		return errors.Join(errEntry, err)
	}
	number, err := d.ReadValue()
	if err != nil {
		return err
	}
	if e.session, err = strconv.Atoi(string(number)); err != nil {
		return err
	}
	switch d.PeekKind() {
	case '"':
		action, err := d.ReadToken()
		if err != nil {
			return err
		}
		e.action.Text = action.String()
		if d.PeekKind() == '{' {
			sampled, err := d.ReadValue()
			if err != nil {
				return err
			}
			e.action.Sampled, e.bad = readSampled(json.RawMessage(sampled))
		}
	case '{':
		arguments, err := d.ReadValue()
		if err != nil {
			return err
		}
		e.reset = json.RawMessage(arguments.Clone())
	default:
		return errEntry
	}
	if t, err := d.ReadToken(); err != nil || t.Kind() != ']' {
		return errors.Join(errEntry, err)
	}
	return nil
}

// stepLine is a line of steps. Entries of one session run in order, sessions in parallel.
type stepLine struct {
	entries []pipeEntry
	groups  []pipeGroup
	next    atomic.Int64 // the group that is played next
	pending atomic.Int64 // groups without answers
}

type pipeGroup struct {
	session     *Session // nil if there is none
	first, last int
	answered    atomic.Bool
}

// step carries out steps and resets. It reports whether the caller answers the next
// line; otherwise somebody else does.
func (p *pipe) step(entries []pipeEntry) (goesOn bool) {
	t := &stepLine{entries: entries, groups: make([]pipeGroup, 0, len(entries))}
	p.divide(t)
	t.pending.Store(int64(len(t.groups)))
	p.turn.Store(t)
	for range min(len(t.groups), batchWorkers) - 1 {
		p.crew.start(func() {
			if p.play(t) {
				p.answerLines()
			}
		})
	}
	return p.play(t)
}

// divide sorts the entries of a line by session.
func (p *pipe) divide(t *stepLine) {
	for i := range t.entries {
		var session *pipeSession
		if number := t.entries[i].session; number >= 0 && number < len(p.sessions) {
			session = &p.sessions[number]
		}
		if session != nil && session.turn == t {
			g := &t.groups[session.group]
			t.entries[g.last].next, g.last = i, i
			continue
		}
		t.groups = t.groups[:len(t.groups)+1]
		g := &t.groups[len(t.groups)-1]
		g.first, g.last = i, i
		if session != nil {
			g.session, session.turn, session.group = session.Session, t, len(t.groups)-1
		}
	}
}

// play carries out the entries of sessions until all are taken. Who has played the
// last one writes the answer to the line, and goes on with the next one.
func (p *pipe) play(t *stepLine) (goesOn bool) {
	for {
		i := int(t.next.Add(1)) - 1
		if i >= len(t.groups) {
			return false
		}
		g := &t.groups[i]
		answers := make([][]byte, 0, 1)
		for j := g.first; ; j = t.entries[j].next {
			answers = append(answers, g.carryOut(&t.entries[j]))
			if j == g.last {
				break
			}
		}
		if t.settle(g, answers) {
			return p.finish(t)
		}
	}
}

func (g *pipeGroup) carryOut(e *pipeEntry) []byte {
	if g.session == nil {
		return pipeError(errClosed)
	}
	if ended := g.session.endErr.Load(); ended != nil { // perhaps with a step that still holds it
		return pipeError(ended)
	}
	if e.bad != nil {
		return pipeError(e.bad)
	}
	var r Reply
	var err error
	if e.reset != nil {
		r, err = g.session.resetBy(e.reset)
	} else {
		r, err = g.session.Take(e.action)
	}
	if err != nil {
		return pipeError(err)
	}
	return pipeAnswer(&r, e.reset != nil)
}

// giveUp answers for a session whose step goes on and on, and does the work of the
// goroutine that is lost with it.
func (p *pipe) giveUp(session *Session) {
	t := p.turn.Load()
	for i := range t.groups {
		g := &t.groups[i]
		if g.session != session || g.answered.Load() {
			continue
		}
		answer := pipeError(session.endErr.Load())
		answers := [][]byte{answer}
		for j := g.first; j != g.last; j = t.entries[j].next {
			answers = append(answers, answer)
		}
		goesOn := false
		if t.settle(g, answers) {
			goesOn = p.finish(t)
		} else {
			goesOn = p.play(t)
		}
		if goesOn {
			p.answerLines()
		}
		return
	}
}

// settle notes the answers of a group, unless it has some. It reports whether all
// groups have theirs now.
func (t *stepLine) settle(g *pipeGroup, answers [][]byte) bool {
	if !g.answered.CompareAndSwap(false, true) {
		return false
	}
	i := g.first
	for _, answer := range answers {
		t.entries[i].answer = answer
		i = t.entries[i].next
	}
	return t.pending.Add(-1) == 0
}

func (p *pipe) finish(t *stepLine) bool {
	size := 16
	for i := range t.entries {
		size += len(t.entries[i].answer) + 1
	}
	b := append(make([]byte, 0, size), `{"results":[`...)
	for i := range t.entries {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, t.entries[i].answer...)
	}
	return p.write(append(b, "]}"...))
}

// pipeAnswer is [TEXT, REWARD, DONE, PROGRESS, SUCCESS, VALID, TRUNCATED]. A reset
// has an object with the task and its goal besides; it also lists actions, if they
// were asked for.
func pipeAnswer(r *Reply, reset bool) []byte {
	b := make([]byte, 0, len(r.Observation)+64)
	b, _ = jsontext.AppendQuote(append(b, '['), r.Observation) // bytes that are not UTF-8 become U+FFFD
	b = pythonFloat(r.Reward).append(append(b, ','))
	b = strconv.AppendBool(append(b, ','), r.Done)
	b = pythonFloat(r.Progress).append(append(b, ','))
	for _, is := range [...]bool{r.Success, r.Valid, r.Truncated} {
		b = strconv.AppendBool(append(b, ','), is)
	}
	if reset || r.Actions != nil || r.Keys != nil {
		details := struct {
			TaskID  string   `json:"task_id,omitzero"`
			Goal    *string  `json:"goal,omitzero"`
			Actions []string `json:"actions,omitzero"`
			*Keys
		}{Actions: r.Actions, Keys: r.Keys}
		if reset {
			details.TaskID, details.Goal = r.TaskID, &r.Goal
		}
		rest, err := marshal(details)
		if err != nil {
			return pipeError(err)
		}
		b = append(append(b, ','), rest...)
	}
	return append(b, ']')
}

func pipeError(err error) []byte {
	return slices.Concat([]byte(`{"error":`), quoted(err.Error()), []byte("}"))
}
