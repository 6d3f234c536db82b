package export

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// rowsTogether is the number of examples that are held in memory and compressed together.
const rowsTogether = 4096

// writer writes examples, one a line; AgentGym's as the elements of a list.
type writer struct {
	form
	file     *File
	table    *parquet.GenericWriter[any] // beside the file; nil without one
	parquet  *File                       // of the table
	examples int
	line     bytes.Buffer
}

func (w *writer) write(example any) error {
	if w.table != nil {
		if _, err := w.table.Write([]any{example}); err != nil {
			return err
		}
	}
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
	if w.table != nil {
		if err := w.table.Close(); err != nil {
			return err
		}
		if err := w.parquet.Flush(); err != nil {
			return err
		}
	}
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

// abort removes what was written, commit gives it its name.
func (w *writer) abort() {
	w.file.Abort()
	if w.parquet != nil {
		w.parquet.Abort()
	}
}

func (w *writer) commit() error {
	if w.parquet != nil {
		if err := w.parquet.Commit(); err != nil {
			return err
		}
	}
	return w.file.Commit()
}

// newTable writes the rows of a form to a Parquet file.
func newTable(f form, to *File) *parquet.GenericWriter[any] {
	one := []Message{{}}
	schema := parquet.SchemaOf(f.row(example{prompt: one, reply: one, labels: []bool{false}}))
	return parquet.NewGenericWriter[any](to, schema, parquet.Compression(&zstd.Codec{}),
		parquet.CreatedBy("heldout", "", ""), parquet.MaxRowsPerRowGroup(rowsTogether))
}
