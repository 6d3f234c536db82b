package serve

import (
	"encoding/json"
	"errors"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"heldout/scoring/table"
)

// pipeEntry is a step or a reset: [SESSION, ACTION] or [SESSION, {…}].
type pipeEntry struct {
	session int
	action  ClientAction
	reset   json.RawMessage // nil for a step
	bad     error           // what is wrong with how the action was sampled
}

var errEntry = errors.New("want [SESSION, ACTION] or [SESSION, {…}]")

// UnmarshalJSONFrom implements jsonv2.UnmarshalerFrom.
func (e *pipeEntry) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	var parts []json.RawMessage
	if err := jsonv2.UnmarshalDecode(d, &parts); err != nil {
		return err
	}
	switch kinds := table.Each(parts, kind); string(kinds) {
	case `0{`:
		e.reset = parts[1]
	case `0"`, `0"{`:
		if err := jsonv2.Unmarshal(parts[1], &e.action.Text, asPython); err != nil {
			return err
		}
		if len(parts) == 3 {
			e.action.Sampled, e.bad = readSampled(parts[2])
		}
	default:
		return errEntry
	}
	return jsonv2.Unmarshal(parts[0], &e.session)
}

// step carries out steps and resets.
func (p *pipe) step(entries []pipeEntry) resultList {
	numbers := make([]int, len(entries))
	for i := range entries {
		numbers[i] = entries[i].session
	}
	return resultList{p.fanOut(numbers, func(session *Session, i int) (any, error) {
		return entries[i].carryOut(session)
	})}
}

// each asks the sessions with these numbers, side by side, and returns their answers.
func (p *pipe) fanOut(numbers []int, ask func(session *Session, place int) (any, error)) []any {
	sessions, answers := make([]*Session, len(numbers)), make([]any, len(numbers))
	for i, number := range numbers {
		if sessions[i] = p.session(number); sessions[i] == nil {
			answers[i] = pipeError(errClosed)
		}
	}
	sideBySide(sessions, answers, func(i int, _ bool) (any, error) { return ask(sessions[i], i) }, pipeError)
	return answers
}

func (e *pipeEntry) carryOut(session *Session) (any, error) {
	if ended := session.endErr.Load(); ended != nil { // perhaps with a step that still holds it
		return nil, ended
	}
	switch {
	case e.bad != nil:
		return nil, e.bad
	case e.reset != nil:
		r, err := session.resetBy(e.reset)
		return pipeAnswer(&r, true), err
	}
	r, err := session.Take(e.action)
	return pipeAnswer(&r, false), err
}

// pipeAnswer is [TEXT, REWARD, DONE, PROGRESS, SUCCESS, VALID, TRUNCATED]. A reset has an object with the task and
// its goal besides; it also lists actions, if they were asked for.
func pipeAnswer(r *Reply, reset bool) []any {
	answer := []any{r.Observation, pythonFloat(r.Reward), r.Done, pythonFloat(r.Progress), r.Success, r.Valid,
		r.Truncated}
	if !reset && r.Actions == nil && r.Keys == nil {
		return answer
	}
	details := pipeDetails{Actions: r.Actions, Keys: r.Keys}
	if reset {
		details.TaskID, details.Goal = r.TaskID, &r.Goal
	}
	return append(answer, details)
}

// pipeDetails is what not every answer has.
type pipeDetails struct {
	TaskID  string   `json:"task_id,omitzero"`
	Goal    *string  `json:"goal,omitzero"`
	Actions []string `json:"actions,omitzero"`
	*Keys
}

func pipeError(err error) any { return refusal{err.Error()} }
