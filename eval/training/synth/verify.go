package synth

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Options are the choices that the paper's Algorithm 1 leaves open.
type Options struct {
	// MinErrors is the least number of error turns: 2 in the paper's text, 1 in the
	// condition as printed.
	MinErrors int
	// ParameterOnly counts only parameter errors as errors; by default all three kinds
	// count.
	ParameterOnly bool
	// SuccessText must occur in the last observation.
	SuccessText string
}

// DefaultOptions are the choices of the paper's text.
func DefaultOptions() Options { return Options{MinErrors: 2, SuccessText: "Task Succeed"} }

// Reason is why a trajectory is rejected; "" if it is not.
type Reason string

// The reasons of Algorithm 1, and Unsupported: the action could not be checked.
const (
	Format       Reason = "format"
	Keys         Reason = "keys"
	BadAction    Reason = "action"
	LastWrong    Reason = "last turn wrong"
	Unfinished   Reason = "unfinished"
	TooFewErrors Reason = "too few errors"
	Unsupported  Reason = "unsupported pattern"
)

// Reasons lists all reasons.
func Reasons() []Reason {
	return []Reason{Format, Keys, BadAction, LastWrong, Unfinished, TooFewErrors, Unsupported}
}

// Restarts reports whether a rejected trajectory is made again from its start,
// rather than continued from the verified part.
func (r Reason) Restarts() bool { return r == TooFewErrors }

// Verdict is the result of a verification.
type Verdict struct {
	// Reason is "" if the trajectory passes. Message says what is wrong, for the next
	// call of the model; Turn is the turn where, counted from 1, 0 for none.
	Reason  Reason `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
	Turn    int    `json:"turn,omitempty"`
	// Verified is the number of turns before the one that fails, all if none does.
	Verified int `json:"verified"`
	Turns    int `json:"turns"`
	// Errors counts the error turns among the verified ones; Parameter, Place and
	// Logic those with that flag. Repaired counts the error turns whose next turn of
	// the master has no error.
	Errors    int `json:"errors"`
	Parameter int `json:"parameter_errors"`
	Place     int `json:"place_errors"`
	Logic     int `json:"logic_errors"`
	Repaired  int `json:"repaired"`
	// Unchecked counts actions whose parameters could not be checked, because the
	// pattern has fewer groups than the template slots.
	Unchecked int `json:"unchecked,omitempty"`
}

// Turn is a turn of a trajectory: of the player, or of the game master (DM).
type Turn struct {
	Master                  bool
	Thought                 string
	Action, Observation     string
	Parameter, Place, Logic bool
}

// Error reports whether the master reports an error.
func (t *Turn) Error(o Options) bool {
	return t.Master && (t.Parameter || !o.ParameterOnly && (t.Place || t.Logic))
}

// readTurn reads a turn and checks its keys.
func readTurn(raw json.RawMessage) (Turn, error) {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(raw, &keys); err != nil || keys == nil {
		return Turn{}, errors.New("the turn is no JSON object")
	}
	var t Turn
	var role string
	var number float64
	fields := []field{{"role", &role, "a string"}, {"turn", &number, "a number"}, {"Thought", &t.Thought, "a string"}}
	if err := read(keys, fields); err != nil {
		return t, err
	}
	switch role {
	case "Player":
		return t, read(keys, []field{{"Action", &t.Action, "a string"}})
	case "DM":
		t.Master = true
		return t, read(keys, []field{
			{"Observation", &t.Observation, "a string"},
			{"parameter_error", &t.Parameter, "true or false"}, {"place_error", &t.Place, "true or false"},
			{"logic_error", &t.Logic, "true or false"},
		})
	}
	return t, fmt.Errorf(`"role" is %q, want "Player" or "DM"`, role)
}

// field is a key that a turn must have, and where its value goes.
type field struct {
	key  string
	into any
	kind string
}

func read(keys map[string]json.RawMessage, fields []field) error {
	for _, f := range fields {
		value, ok := keys[f.key]
		if !ok {
			return fmt.Errorf("the key %q is missing", f.key)
		}
		if string(value) == "null" || json.Unmarshal(value, f.into) != nil {
			return fmt.Errorf("%q is not %s", f.key, f.kind)
		}
	}
	return nil
}

// Verify checks a trajectory against its script by AgentRefine's Algorithm 1.
func Verify(s *Script, trajectory []byte, o Options) Verdict {
	var raw []json.RawMessage
	if err := json.Unmarshal(trajectory, &raw); err != nil {
		return Verdict{Reason: Format, Message: "the trajectory is no JSON list of turns: " + err.Error()}
	}
	switch {
	case len(raw) == 0:
		return Verdict{Reason: Format, Message: "the trajectory has no turns"}
	case len(raw) > mostTurns:
		return Verdict{Reason: Format, Message: fmt.Sprintf("the trajectory has %d turns, the limit is %d", len(raw),
			mostTurns)}
	}
	v := Verdict{Turns: len(raw)}
	turns := make([]Turn, len(raw))
	broken := make([]error, len(raw))
	for i := range raw {
		turns[i], broken[i] = readTurn(raw[i])
	}
	for i := range turns {
		if reason, message := v.turn(s, turns, broken, i, o); reason != "" {
			v.Reason, v.Message, v.Turn = reason, message, i+1
			return v
		}
		v.Verified++
	}
	return v
}

// turn checks one turn, whose predecessors are verified.
func (v *Verdict) turn(s *Script, turns []Turn, broken []error, i int, o Options) (Reason, string) {
	t, last := &turns[i], i == len(turns)-1
	if broken[i] != nil {
		return Keys, broken[i].Error()
	}
	if t.Master {
		v.count(turns, broken, i, o)
		if last {
			return v.end(t, o)
		}
		return "", ""
	}
	switch {
	case last:
		return Keys, "the last turn is the player's: the DM has not answered"
	case broken[i+1] != nil:
		return "", "" // the next turn fails
	case !turns[i+1].Master:
		return Keys, "the DM has not answered: the next turn is the player's too"
	case turns[i+1].Error(o):
		return "", ""
	}
	ok, parameters, unsupported, why := s.Fits(t.Action)
	switch {
	case unsupported:
		return Unsupported, why
	case !ok:
		return BadAction, why + ", but the DM reports no error"
	case !parameters:
		v.Unchecked++
	}
	return "", ""
}

// count counts the errors of a turn of the master.
func (v *Verdict) count(turns []Turn, broken []error, i int, o Options) {
	t := &turns[i]
	if !t.Error(o) {
		return
	}
	v.Errors++
	for _, c := range []struct {
		flag bool
		n    *int
	}{{t.Parameter, &v.Parameter}, {t.Place, &v.Place}, {t.Logic, &v.Logic}} {
		if c.flag {
			*c.n++
		}
	}
	next := slices.IndexFunc(turns[i+1:], func(t Turn) bool { return t.Master })
	if next >= 0 && broken[i+1+next] == nil && !turns[i+1+next].Error(o) {
		v.Repaired++
	}
}

// end checks the last turn.
func (v *Verdict) end(t *Turn, o Options) (Reason, string) {
	switch {
	case t.Error(o):
		return LastWrong, "the last turn reports an error"
	case !strings.Contains(t.Observation, o.SuccessText):
		return Unfinished, fmt.Sprintf("the last observation does not contain %q", o.SuccessText)
	case v.Errors < o.MinErrors:
		return TooFewErrors, fmt.Sprintf("there are %d error turns, want at least %d", v.Errors, o.MinErrors)
	}
	return "", ""
}
