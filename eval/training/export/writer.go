package export

import (
	"bytes"
	"encoding/json"
	"io"
)

// writer writes examples, one a line; AgentGym's as the elements of a list.
type writer struct {
	form
	file     *File
	parquet  *File // beside the file; nil without one
	examples int
	line     bytes.Buffer
}

func (w *writer) write(example any) error {
	w.line.Reset()
	if w.name == AgentGym {
		w.line.WriteString(map[bool]string{true: "[\n", false: ",\n"}[w.examples == 0])
	}
	e := json.NewEncoder(&w.line)
	e.SetEscapeHTML(false)
	if err := e.Encode(example); err != nil {
		return err
	}
	line := w.line.Bytes()
	if w.name == AgentGym {
		line = bytes.TrimSuffix(line, []byte("\n"))
	}
	w.examples++
	_, err := w.file.Write(line)
	return err
}

func (w *writer) end() error {
	if w.name != AgentGym {
		return nil
	}
	text := "\n]\n"
	if w.examples == 0 {
		text = "[]\n"
	}
	_, err := io.WriteString(w.file, text)
	return err
}
