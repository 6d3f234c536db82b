// Package agentboard reads the common format of AgentBoard's label files: JSON
// Lines with one task per line.
package agentboard

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"heldout/envs/datafile"
)

// Read reads a label file, whose environment errors name. raw is its text.
func Read[L any](file, env string, parse func(line []byte, task int) (L, error)) (labels []L, raw string, err error) {
	b, err := datafile.Read(file, datafile.MaxLabels)
	if err != nil {
		return nil, "", fmt.Errorf("the labels of the official %s tasks are missing: %w", env, err)
	}
	if labels, err = Labels(b, parse); err != nil {
		return nil, "", fmt.Errorf("%s:%w", file, err)
	}
	return labels, string(b), nil
}

// longestLine exceeds the length of every line in the benchmark, in bytes.
const longestLine = 1 << 20

// Labels reads a label file line by line; tasks are numbered from 0. Errors
// start with the line number, counted from 1.
func Labels[L any](b []byte, parse func(line []byte, task int) (L, error)) ([]L, error) {
	var labels []L
	lines := bufio.NewScanner(bytes.NewReader(b))
	lines.Buffer(nil, longestLine)
	for lines.Scan() {
		l, err := parse(lines.Bytes(), len(labels))
		if err != nil {
			return nil, fmt.Errorf("%d: %w", len(labels)+1, err)
		}
		labels = append(labels, l)
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil, fmt.Errorf("%d: the line has more than %d bytes", len(labels)+1, longestLine)
	} else if err != nil {
		return nil, fmt.Errorf("%d: %w", len(labels)+1, err)
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

// Members lists an object in the order of its text, which decides in the reference.
func Members(object []byte) (out []Member, err error) {
	d := json.NewDecoder(bytes.NewReader(object))
	if _, err := d.Token(); err != nil { // the opening brace
		return nil, err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		var m Member
		m.Name, _ = name.(string)
		if err := d.Decode(&m.Value); err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}
