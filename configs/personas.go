package configs

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
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

// ParsePersonas reads a file with a persona per line: its text, or a JSON object
// with the key persona, as Persona Hub has it. Empty lines and lines that begin
// with # do not count.
func ParsePersonas(file string, r io.Reader) ([]string, error) {
	var out []string
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 0, 4<<10), maxPersona)
	n := 1
	for ; in.Scan(); n++ {
		persona, err := parsePersona(strings.TrimPrefix(in.Text(), "\ufeff"))
		switch {
		case err != nil:
			return nil, fmt.Errorf("%s:%d: %w", file, n, err)
		case persona == "":
			continue
		case len(out) == mostPersonas:
			return nil, fmt.Errorf("%s has more than %d personas", file, mostPersonas)
		}
		out = append(out, persona)
	}
	if err := in.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil, fmt.Errorf("%s:%d: the line has more than %d bytes: a file of personas has one per line", file, n,
			maxPersona)
	} else if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s has no personas", file)
	}
	return out, nil
}

// parsePersona reads a line; "" if it holds no persona.
func parsePersona(line string) (string, error) {
	if !utf8.ValidString(line) {
		return "", errors.New("the line is not UTF-8")
	}
	line = strings.TrimSpace(line)
	if strings.HasPrefix(line, "#") {
		return "", nil
	}
	if !strings.HasPrefix(line, "{") {
		return line, nil
	}
	var object struct {
		Persona string `json:"persona"`
	}
	if err := json.Unmarshal([]byte(line), &object); err != nil {
		return "", fmt.Errorf("the line is not a JSON object: %w", err)
	}
	persona := strings.TrimSpace(object.Persona)
	if persona == "" {
		return "", errors.New(`the object has no text "persona"`)
	}
	return persona, nil
}
