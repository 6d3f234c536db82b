package synth

import (
	"encoding/json"
	"errors"
	"fmt"

	"heldout/envs/datafile"
)

// Turn is a turn of a trajectory: of the player, or of the game master (DM).
type Turn struct {
	Number                  int // the turn's number; the first one is 0 or 1
	Master                  bool
	Thought                 string
	Action, Observation     string
	Parameter, Place, Logic bool
}

// Error reports whether the master reports an error.
func (t *Turn) Error(o Options) bool {
	return t.Master && (t.Parameter || !o.ParameterOnly && (t.Place || t.Logic))
}

// mostNumber bounds the number of a turn.
const mostNumber = 1 << 30

// ReadTurn reads a turn and checks its keys.
func ReadTurn(raw json.RawMessage) (Turn, error) {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(raw, &keys); err != nil || keys == nil {
		return Turn{}, errors.New("the turn is not a JSON object")
	}
	var t Turn
	var role string
	var number float64
	fields := []field{{"role", &role, "a string"}, {"turn", &number, "a number"}, {"Thought", &t.Thought, "a string"}}
	if err := read(keys, fields); err != nil {
		return t, err
	}
	if !(number >= 0 && number < mostNumber) || number != float64(int(number)) {
		return t, fmt.Errorf(`"turn" is %s, want a whole number from 0`, keys["turn"])
	}
	t.Number = int(number)
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

// fault is what is wrong with a turn as such.
type fault struct {
	reason Reason
	error
}

// readTurns reads turns and says what is wrong with each, as far as that follows from the
// turns alone: its keys, its number, and that player and master alternate.
func readTurns(raw []json.RawMessage) ([]Turn, []*fault) {
	turns, faults := make([]Turn, len(raw)), make([]*fault, len(raw))
	for i := range raw {
		t, err := ReadTurn(raw[i])
		turns[i] = t
		switch {
		case err != nil:
			faults[i] = &fault{Keys, err}
		case i == 0 && t.Number > 1:
			faults[i] = &fault{Order, fmt.Errorf("the first turn has the number %d, want 1", t.Number)}
		case i > 0 && t.Number != turns[0].Number+i:
			faults[i] = &fault{Order, fmt.Errorf("the turn has the number %d, want %d", t.Number, turns[0].Number+i)}
		case i > 0 && t.Master == turns[i-1].Master:
			role := "player"
			if t.Master {
				role = "DM"
			}
			faults[i] = &fault{Order, fmt.Errorf("two turns of the %s follow each other", role)}
		}
	}
	return turns, faults
}

// ParseTurns reads the turns of a trajectory, a JSON list. It checks keys, numbers and
// roles as Verify does, and nothing else.
func ParseTurns(trajectory []byte) ([]Turn, error) {
	var raw []json.RawMessage
	if err := datafile.Unmarshal(trajectory, &raw, datafile.Lenient); err != nil {
		return nil, fmt.Errorf("the trajectory is not a JSON list of turns: %w", err)
	}
	if len(raw) > mostTurns {
		return nil, fmt.Errorf("the trajectory has %d turns, the limit is %d", len(raw), mostTurns)
	}
	turns, faults := readTurns(raw)
	for i, f := range faults {
		if f != nil {
			return nil, fmt.Errorf("turn %d: %w", i+1, f.error)
		}
	}
	return turns, nil
}

// Renumber adds to the number of a turn, and leaves out keys that the form does not have.
// A turn that cannot be read stays as it is.
func Renumber(raw json.RawMessage, shift int) json.RawMessage {
	t, err := ReadTurn(raw)
	if err != nil {
		return raw
	}
	t.Number += shift
	out, err := datafile.Marshal(t.form(nil))
	if err != nil {
		return raw // what was read can be written
	}
	return out
}

// The turns of a file of items. Train is what the form has beside AgentRefine's own.
type playerTurn struct {
	Turn    int    `json:"turn"`
	Role    string `json:"role"`
	Thought string `json:"Thought"`
	Action  string `json:"Action"`
	Train   *bool  `json:"train,omitempty"`
}

type masterTurn struct {
	Turn        int    `json:"turn"`
	Role        string `json:"role"`
	Thought     string `json:"Thought"`
	Observation string `json:"Observation"`
	Parameter   bool   `json:"parameter_error"`
	Place       bool   `json:"place_error"`
	Logic       bool   `json:"logic_error"`
}

// form is the form of a turn; train says if a model is trained on it, and is left out
// if it is nil or the turn is the master's.
func (t *Turn) form(train *bool) any {
	if t.Master {
		return masterTurn{t.Number, "DM", t.Thought, t.Observation, t.Parameter, t.Place, t.Logic}
	}
	return playerTurn{t.Number, "Player", t.Thought, t.Action, train}
}
