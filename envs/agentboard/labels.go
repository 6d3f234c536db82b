// Package agentboard reads the common format of AgentBoard's label files, JSON
// Lines with one task per line, and takes actions as its drivers do.
package agentboard

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"heldout/envs/datafile"
)

// Read reads a label file, whose environment errors name. raw is its text.
func Read[L any](file, env string, parse func(line []byte, task int) (L, error)) (labels []L, raw string, err error) {
	b, err := datafile.ReadText(file, datafile.MaxLabels)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("the labels of the official %s tasks are missing: %w", env, err)
	}
	if err == nil {
		labels, err = Labels(file, b, parse)
	}
	return labels, string(b), err
}

// longestLine exceeds the length of every line in the benchmark, in bytes.
const longestLine = 1 << 20

// Labels reads a label file line by line; tasks are numbered from 0. Errors begin with the file
// and the line number, counted from 1.
func Labels[L any](file string, b []byte, parse func(line []byte, task int) (L, error)) (labels []L, err error) {
	err = datafile.EachLine(file, bytes.NewReader(b), longestLine, func(_ int, line []byte) error {
		l, err := parse(line, len(labels))
		labels = append(labels, l)
		return err
	})
	if err != nil {
		return nil, err
	}
	return labels, nil
}

// CheckID refuses a line whose id differs from the number of its task.
func CheckID(id, task int) error {
	if id != task {
		return fmt.Errorf("want id %d, got %d", task, id)
	}
	return nil
}

// Member is a name and a value in a JSON object.
type Member struct {
	Name  string
	Value json.RawMessage
}

// Members lists an object that was read before in the order of its text, which decides in the reference.
func Members(object []byte) (out []Member) {
	d := json.NewDecoder(bytes.NewReader(object))
	_, _ = d.Token() // the opening brace
	for d.More() {
		name, err := d.Token()
		var m Member
		if m.Name, _ = name.(string); err != nil || d.Decode(&m.Value) != nil {
			break // which no valid object does
		}
		out = append(out, m)
	}
	return out
}
