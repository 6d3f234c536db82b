package synth

import (
	"encoding/json"
	"fmt"
	"io"

	"heldout/envs/datafile"
	"heldout/scoring/record"
)

// mostLine is the largest line of a file of trajectories, in bytes.
const mostLine = 32 << 20

// Checked is a line of a file with its verdict.
type Checked struct {
	Line int `json:"line"`
	Verdict
	// Script is what is wrong with the script's own actions; it does not reject the trajectory.
	Script string `json:"script,omitempty"`
	// Mended: the line could be read only after code fences and trailing commas had been removed.
	Mended bool   `json:"mended,omitempty"`
	Masked []byte `json:"-"` // the line that ReadItems reads; nil if the trajectory is rejected
}

// VerifyLines verifies a file with one JSON object per line: its keys script and
// trajectory hold both as JSON, or as strings of JSON as a model wrote them. With
// lenient, code fences around such a string and trailing commas in it are removed.
func VerifyLines(name string, r io.Reader, o Options, lenient bool, visit func(Checked) error) error {
	_, err := EachLine(name, r, func(n int, line []byte) error {
		checked := verifyLine(line, o, lenient)
		checked.Line = n
		return visit(checked)
	})
	return err
}

// EachLine visits the lines of a file of trajectories that are not blank. A line with a checksum must have the
// right one. Bare counts the lines without one, such as other makers'. An error names the file and the line.
func EachLine(name string, r io.Reader, visit func(n int, line []byte) error) (bare int, err error) {
	err = datafile.EachLine(name, r, mostLine, func(n int, line []byte) error {
		covered, err := record.CheckLine(line)
		if covered && err != nil {
			return fmt.Errorf("%w; the command that wrote the file writes it again", err)
		}
		if !covered {
			bare++
		}
		return visit(n, line)
	})
	return bare, err
}

// EachLineOf is EachLine for the file with that name.
func EachLineOf(name string, visit func(n int, line []byte) error) (bare int, err error) {
	f, err := datafile.Open(name, datafile.Unlimited)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return EachLine(name, f, visit)
}

func verifyLine(line []byte, o Options, lenient bool) Checked {
	reject := func(format string, args ...any) Checked {
		return Checked{Verdict: Verdict{Reason: Format, Message: fmt.Sprintf(format, args...)}}
	}
	var item struct {
		ID         any             `json:"id"`
		Script     json.RawMessage `json:"script"`
		Trajectory json.RawMessage `json:"trajectory"`
	}
	if err := datafile.Unmarshal(line, &item, datafile.Lenient); err != nil {
		return reject("%v", err)
	}
	if item.Script == nil || item.Trajectory == nil {
		return reject(`the line needs the keys "script" and "trajectory"`)
	}
	text, mended1 := unquoted(item.Script, lenient, ReadObject)
	script, err := ParseScript(text)
	if err != nil {
		return reject("%v", err)
	}
	trajectory, mended2 := unquoted(item.Trajectory, lenient, readWhole)
	c := Checked{Verdict: Verify(script, trajectory, o), Mended: mended1 || mended2}
	if err := script.Check(); err != nil {
		c.Script = err.Error()
	}
	if c.Reason == "" {
		id, _ := item.ID.(string) // other makers number their items
		if c.Masked, err = masked(id, text, trajectory, o); err != nil {
			return reject("%v", err) // a verified trajectory can be written
		}
	}
	return c
}

// unquoted returns the JSON in a value that may be a string of JSON, and whether it
// had to be mended: with lenient, read as a reply of a model is.
func unquoted(value json.RawMessage, lenient bool, read func(string) ([]byte, bool, error)) (text []byte, mended bool) {
	var inside string
	if json.Unmarshal(value, &inside) != nil {
		return value, false
	}
	if !json.Valid([]byte(inside)) && lenient {
		if found, _, err := read(inside); err == nil {
			return found, true
		}
	}
	return []byte(inside), false
}

// readWhole reads a list that has no fault.
func readWhole(reply string) ([]byte, bool, error) {
	values, mended, err := ReadList(reply)
	if err != nil {
		return nil, false, err
	}
	list, err := datafile.Marshal(values)
	return list, mended, err
}
