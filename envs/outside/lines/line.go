package lines

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"heldout/envs/outside"
)

// The largest length of a line, in bytes: of the first answer, and of others.
const (
	longestFirst = 16 << 20
	longestLine  = 1 << 20
)

// Parse reads a line of the program. The error is a misread field, or about the whole line.
func Parse(line []byte, into any) error {
	err := outside.Unmarshal(line, into, jsonv2.RejectUnknownMembers(true))
	if m := (*outside.Misread)(nil); errors.As(err, &m) && m.Field == "" {
		return fmt.Errorf("it writes the line %.100q, which is no answer: %s", bytes.TrimSpace(line), m)
	}
	return err
}

// numberOf is the number of the request that a line answers, whose other members may be of any form.
func numberOf(line []byte) (id int64, ok bool) {
	d := jsontext.NewDecoder(bytes.NewReader(line))
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return 0, false
	}
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		found := err == nil && name.String() == "id"
		value, err := d.ReadValue()
		if found || err != nil {
			return id, err == nil && jsonv2.Unmarshal(value, &id) == nil
		}
	}
	return 0, false
}

// readLine reads a line of so many bytes at most.
func readLine(r *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > limit {
			return nil, fmt.Errorf("it writes a line of more than %d bytes", limit)
		}
		if err == nil && line == nil {
			return part, nil
		}
		line = append(line, part...)
		switch {
		case err == nil:
			return line, nil
		case errors.Is(err, io.EOF) && len(line) > 0:
			return nil, io.ErrUnexpectedEOF
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}
