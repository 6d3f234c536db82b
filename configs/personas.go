package configs

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"heldout/envs/datafile"
)

// maxPersona is the longest line of a file of personas, in bytes; mostPersonas is
// the number of personas that are read.
const (
	maxPersona   = 16 << 10
	mostPersonas = 1_000_000
)

// LoadPersonas returns the embedded personas.
func LoadPersonas() ([]string, error) {
	file := "personas/v1.txt"
	b, err := files.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return ParsePersonas(file, bytes.NewReader(b))
}

// ParsePersonas reads a file with a persona per line: its text, or a JSON object with the key persona, as Persona
// Hub has it. Empty lines and lines that begin with # do not count.
func ParsePersonas(file string, r io.Reader) ([]string, error) {
	var out []string
	err := datafile.EachLine(file, r, maxPersona, func(_ int, line []byte) error {
		persona, err := parsePersona(string(line))
		switch {
		case err != nil:
			return err
		case len(out) == mostPersonas:
			return fmt.Errorf("there are more than %d personas", mostPersonas)
		case persona != "":
			out = append(out, persona)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s has no personas", file)
	}
	return out, nil
}

// parsePersona reads a line; "" if it holds no persona.
func parsePersona(line string) (string, error) {
	if strings.HasPrefix(line, "#") {
		return "", nil
	}
	if !strings.HasPrefix(line, "{") {
		return line, nil
	}
	var object struct {
		Persona string `json:"persona"`
	}
	if err := datafile.Unmarshal([]byte(line), &object); err != nil {
		return "", err
	}
	persona := strings.TrimSpace(object.Persona)
	if persona == "" {
		return "", errors.New(`the object has no text "persona"`)
	}
	return persona, nil
}
