package synth

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"heldout/envs/datafile"
)

// Item is a script with a verified trajectory, for training.
type Item struct {
	// Line is the number of its line. ID is the name that its maker gave it; it may be empty.
	Line int
	ID   string
	// Script is the script, Raw its JSON without white space.
	Script *Script
	Raw    []byte
	Turns  []Turn
	// Train says for every turn if a model is trained on it: true for a turn of the
	// player whose answer shows no error.
	Train []bool
}

// Mask writes a trajectory in which every turn of the player says if a model is trained on it: "train" is false if
// the next turn of the master shows an error. Keys that the form does not have are left out.
func Mask(trajectory []byte, o Options) ([]byte, error) {
	turns, err := ParseTurns(trajectory)
	if err != nil {
		return nil, err
	}
	out := make([]any, len(turns))
	for i := range turns {
		train := i+1 >= len(turns) || !turns[i+1].Error(o)
		out[i] = turns[i].form(&train)
	}
	return datafile.Marshal(out)
}

func masked(id string, script, trajectory []byte, o Options) ([]byte, error) {
	turns, err := Mask(trajectory, o)
	if err != nil {
		return nil, err
	}
	return datafile.Marshal(struct {
		ID         string          `json:"id,omitempty"`
		Script     json.RawMessage `json:"script"`
		Trajectory json.RawMessage `json:"trajectory"`
	}{id, script, turns})
}

// ReadItems reads what verify --masked writes: a line is a JSON object with the keys script and trajectory, and
// perhaps id. Every turn of the player has the key train. The error says which line has another form, and stops the
// reading. Bare counts the lines without a checksum.
func ReadItems(name string, r io.Reader, visit func(*Item) error) (bare int, err error) {
	return EachLine(name, r, func(n int, line []byte) error {
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
	if err := datafile.Unmarshal(line, &keys, datafile.Lenient); err != nil {
		return nil, fmt.Errorf("it is not a verified trajectory, as heldout verify --masked writes them: %w", err)
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
	turns, faults := readTurns(keys.Trajectory)
	for i, raw := range keys.Trajectory {
		var flag struct {
			Train *bool `json:"train"`
		}
		var err error
		switch {
		case faults[i] != nil:
			err = faults[i].error
		case json.Unmarshal(raw, &flag) != nil:
			err = errors.New(`"train" is not true or false`)
		case !turns[i].Master && flag.Train == nil:
			err = errors.New(`the key "train" is missing: the file is not verified; heldout verify --masked does that`)
		}
		if err != nil {
			return nil, fmt.Errorf("turn %d: %w", i+1, err)
		}
		item.Train = append(item.Train, flag.Train != nil && *flag.Train && !turns[i].Master)
	}
	item.Turns = turns
	return item, nil
}
