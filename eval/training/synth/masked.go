package synth

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Item is a script with a verified trajectory, for training.
type Item struct {
	// Line is the number of its line. ID is the name that its maker gave it; it may be
	// empty.
	Line int
	ID   string
	// Script is the script, Raw its JSON without white space.
	Script *Script
	Raw    []byte
	Turns  []Turn
	// Train says for every turn if a model is trained on it: for those of the player
	// whose answer shows no error.
	Train []bool
}

// The turns of a file of items. Train is what the form has beside AgentRefine's own.
type playerTurn struct {
	Turn    json.RawMessage `json:"turn"`
	Role    string          `json:"role"`
	Thought string          `json:"Thought"`
	Action  string          `json:"Action"`
	Train   bool            `json:"train"`
}

type masterTurn struct {
	Turn        json.RawMessage `json:"turn"`
	Role        string          `json:"role"`
	Thought     string          `json:"Thought"`
	Observation string          `json:"Observation"`
	Parameter   bool            `json:"parameter_error"`
	Place       bool            `json:"place_error"`
	Logic       bool            `json:"logic_error"`
}

// Mask writes a trajectory in which every turn of the player says if a model is
// trained on it: "train" is false if the next turn of the master shows an error. Keys
// that the form does not have are left out.
func Mask(trajectory []byte, o Options) ([]byte, error) {
	var raw []json.RawMessage
	if err := json.Unmarshal(trajectory, &raw); err != nil {
		return nil, fmt.Errorf("the trajectory is no JSON list of turns: %w", err)
	}
	turns := make([]Turn, len(raw))
	out := make([]any, len(raw))
	for i := range raw {
		var err error
		if turns[i], err = readTurn(raw[i]); err != nil {
			return nil, fmt.Errorf("turn %d: %w", i+1, err)
		}
	}
	for i, t := range turns {
		var number struct {
			Turn json.RawMessage `json:"turn"`
		}
		if err := json.Unmarshal(raw[i], &number); err != nil {
			return nil, err
		}
		if t.Master {
			out[i] = masterTurn{number.Turn, "DM", t.Thought, t.Observation, t.Parameter, t.Place, t.Logic}
			continue
		}
		wrong := i+1 < len(turns) && turns[i+1].Error(o)
		out[i] = playerTurn{number.Turn, "Player", t.Thought, t.Action, !wrong}
	}
	return marshal(out)
}

// marshal writes JSON that leaves HTML as it is.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// masked is the line of a verified item.
func masked(id string, script, trajectory []byte, o Options) ([]byte, error) {
	turns, err := Mask(trajectory, o)
	if err != nil {
		return nil, err
	}
	return marshal(struct {
		ID         string          `json:"id,omitempty"`
		Script     json.RawMessage `json:"script"`
		Trajectory json.RawMessage `json:"trajectory"`
	}{id, script, turns})
}

// ReadItems reads what verify --masked writes: a line is a JSON object with the keys
// script and trajectory, and perhaps id. Every turn of the player has the key train. The
// error says which line is of another form, and stops the reading. Bare counts the lines
// without a checksum.
func ReadItems(r io.Reader, visit func(*Item) error) (bare int, err error) {
	return EachLine(r, func(n int, line []byte) error {
		item, err := readItem(line)
		if err != nil {
			return err
		}
		item.Line = n
		return visit(item)
	})
}

func readItem(line []byte) (*Item, error) {
	var keys struct {
		ID         string            `json:"id"`
		Script     json.RawMessage   `json:"script"`
		Trajectory []json.RawMessage `json:"trajectory"`
	}
	if err := json.Unmarshal(line, &keys); err != nil {
		return nil, fmt.Errorf("it is no verified trajectory: %w; heldout verify --masked writes such", err)
	}
	if keys.Script == nil || len(keys.Trajectory) == 0 {
		return nil, errors.New(`it needs the keys "script" and "trajectory"`)
	}
	if len(keys.Trajectory) > mostTurns {
		return nil, fmt.Errorf("the trajectory has %d turns, the limit is %d", len(keys.Trajectory), mostTurns)
	}
	script, err := ParseScript(keys.Script)
	if err != nil {
		return nil, err
	}
	item := &Item{ID: keys.ID, Script: script}
	var compact bytes.Buffer
	if err := json.Compact(&compact, keys.Script); err != nil {
		return nil, err
	}
	item.Raw = compact.Bytes()
	for i, raw := range keys.Trajectory {
		t, err := readTurn(raw)
		var flag struct {
			Train *bool `json:"train"`
		}
		if err == nil {
			err = json.Unmarshal(raw, &flag)
		}
		if err == nil && !t.Master && flag.Train == nil {
			err = errors.New(`the key "train" is missing: the file is not verified; heldout verify --masked does that`)
		}
		if err != nil {
			return nil, fmt.Errorf("turn %d: %w", i+1, err)
		}
		item.Turns = append(item.Turns, t)
		item.Train = append(item.Train, flag.Train != nil && *flag.Train && !t.Master)
	}
	return item, nil
}
