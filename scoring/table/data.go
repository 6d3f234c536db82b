package table

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// renderCSV writes each table with a line of keys, numbers at full precision and
// rates as fractions; an empty line stands between tables. Marks and notes are
// left out. Text stays unchanged except for characters that are Obeyed: CSV has no
// escapes for them. What a
// spreadsheet would take for a formula gets an apostrophe before it.
func renderCSV(b *bytes.Buffer, tables []Table) error {
	for i, t := range tables {
		if i > 0 {
			b.WriteByte('\n')
		}
		rows := [][]string{Each(t.Columns, Column.ID)}
		for _, row := range t.Rows {
			rows = append(rows, Each(row, csvValue))
		}
		if err := csv.NewWriter(b).WriteAll(rows); err != nil {
			return err
		}
	}
	return nil
}

func csvValue(c Cell) string {
	switch v := c.Value.(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case string:
		return NoFormula(Escape(v, Obeyed))
	default:
		return fmt.Sprint(v)
	}
}

// NoFormula puts an apostrophe before a text that a spreadsheet would take for a formula, and before one that
// begins with an apostrophe. Spreadsheets read a cell as a formula if it begins with =, +, - or @, some also behind
// white space or in their wide forms.
func NoFormula(text string) string {
	first, _ := utf8.DecodeRuneInString(strings.TrimSpace(text))
	if strings.ContainsRune("=+-@＝＋－＠'", first) {
		return "'" + text
	}
	return text
}

// jsonTable is a table for programs: a row is an object by column keys, in the
// order of the columns; a marked cell has a second entry, its key with ":mark".
type jsonTable struct {
	ID    string    `json:"id"`
	Title string    `json:"title"`
	Rows  []jsonRow `json:"rows"`
	Notes []string  `json:"notes,omitempty"`
}

type jsonRow struct {
	columns []Column
	cells   []Cell
}

// MarshalJSON implements json.Marshaler.
func (r jsonRow) MarshalJSON() ([]byte, error) {
	b := bytes.NewBufferString("{")
	put := func(key string, value any) error {
		entry, err := json.Marshal(map[string]any{key: value})
		if err != nil {
			return err
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		b.Write(entry[1 : len(entry)-1]) // without its braces
		return nil
	}
	for i, c := range r.cells {
		if err := put(r.columns[i].Key, c.Value); err != nil {
			return nil, err
		}
		if c.Mark != "" {
			if err := put(r.columns[i].Key+":mark", c.Mark); err != nil {
				return nil, err
			}
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func renderJSON(b *bytes.Buffer, tables []Table) error {
	out := Each(tables, func(t Table) jsonTable {
		rows := Each(t.Rows, func(row []Cell) jsonRow { return jsonRow{t.Columns, row} })
		return jsonTable{t.ID, t.Title, rows, t.Notes}
	})
	text, err := json.MarshalIndent(out, "", "  ")
	if err != nil {
		return err
	}
	fmt.Fprintf(b, "%s\n", PrintableJSON(text))
	return nil
}

// PrintableJSON writes the characters of JSON text that do not print, and
// that JSON need not escape, as escapes: a terminal may obey them.
func PrintableJSON(text []byte) []byte {
	var b []byte
	for _, r := range string(text) {
		switch {
		case unicode.IsPrint(r) || r == '\n':
			b = utf8.AppendRune(b, r)
		case r <= 0xffff:
			b = fmt.Appendf(b, `\u%04x`, r)
		default:
			hi, lo := utf16.EncodeRune(r)
			b = fmt.Appendf(b, `\u%04x\u%04x`, hi, lo)
		}
	}
	return b
}
