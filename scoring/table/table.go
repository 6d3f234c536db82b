// Package table holds the one model of a table and its renderings: text for a
// terminal, Markdown, CSV, LaTeX and JSON.
package table

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// Table is a table to be read by people and programs.
type Table struct {
	// ID names the kind of table, such as "results".
	ID    string
	Title string
	// TitleLines are the title in lines that are ready to print, as Fit breaks it; nil if it is one line.
	TitleLines []string
	// Columns and Rows: every row has a cell for each column.
	Columns []Column
	Rows    [][]Cell
	// Notes stand below the table.
	Notes []string
	// Divided is the title of a line above the rows from Divide on, such as published
	// results; there is none if it is empty.
	Divided string
	Divide  int
	// Caption is what LaTeX has in place of the title and of the notes in Captioned; empty for the title.
	Caption   string
	Captioned []string
	// Compact: LaTeX has limits beside their rates, as indices, not below them.
	Compact bool
	// Bold: text goes to a terminal that shows the best cells in bold. BestSaid says what they are.
	Bold     bool
	BestSaid string
	// Programs are what CSV and JSON have in place of the table; nil for the table.
	Programs []Table
}

// forPrograms returns what CSV and JSON have.
func forPrograms(tables []Table) (out []Table) {
	for _, t := range tables {
		if t.Programs != nil {
			out = append(out, t.Programs...)
		} else {
			out = append(out, t)
		}
	}
	return out
}

// Column is a column's head.
type Column struct {
	// Key names the column for programs (CSV, JSON), Header for people.
	Key, Header string
	// About says in one line what it holds.
	About string
	// Words aligns the column to the left. Numbers are aligned to the right.
	Words bool
	// Upper says that the column is the upper end of an interval whose lower end is the column before it.
	Upper bool
	// Detail says that a narrow table may leave the column out.
	Detail bool
	// Group is the head that columns of one group share, such as the environment of SR and
	// PR, and Short the head of each below it: LaTeX sets them so, and a narrow text has the
	// columns of a group below each other. Header says both.
	Group, Short string
	// Lines are the header in lines that are ready to print, as Fit breaks it; nil if the header is one line.
	Lines []string
}

// Cell is one cell of a table.
type Cell struct {
	// Text is for people.
	Text string
	// Value is for programs: a string, an int or a finite float64; nil if the cell is empty.
	Value any
	// Mark follows the text and points to a note.
	Mark string
	// Spread is the standard deviation of the number, behind text and mark; empty if there is none.
	Spread string
	// Subtext stands under the text, such as the limits of a rate; in parentheses
	// behind it where a cell is one line. It is not for programs.
	Subtext string
	// Best: LaTeX sets the cell in bold, and so does text if the table is Bold.
	Best bool
	// Lines are text and mark in lines that are ready to print, as Fit breaks them; nil if they fit on one line.
	Lines []string
}

// none is the text of an empty cell.
const none = "–"

// None is a cell without content.
func None() Cell { return Cell{Text: none} }

// String is a cell with words.
func String(s string) Cell { return Cell{Text: s, Value: s} }

// Int is a cell with a whole number.
func Int(n int) Cell { return Cell{Text: strconv.Itoa(n), Value: n} }

// Percent is a cell with a rate, given as a fraction and shown in percent with one decimal. NaN is not a rate.
func Percent(rate float64) Cell {
	if math.IsNaN(rate) || math.IsInf(rate, 0) {
		return None()
	}
	return Cell{Text: percent(rate), Value: rate + 0} // -0 + 0 is 0
}

// Points is a cell with a difference of rates: in percentage points, with a sign
// if the shown difference is not zero.
func Points(difference float64) Cell {
	c := Percent(difference)
	if difference > 0 && c.Value != nil && c.Text != "0.0" {
		c.Text = "+" + c.Text
	}
	return c
}

// Probability is a cell with a probability, shown with three decimals, or with as many as
// show on which side of 0.05 it is.
func Probability(p float64) Cell {
	if math.IsNaN(p) || math.IsInf(p, 0) {
		return None()
	}
	if p < 0.001 {
		return Cell{Text: "<0.001", Value: p}
	}
	text := strconv.FormatFloat(p, 'f', 3, 64)
	for decimals := 4; p != decisive && text == strconv.FormatFloat(decisive, 'f', decimals-1, 64); decimals++ {
		text = strconv.FormatFloat(p, 'f', decimals, 64)
	}
	return Cell{Text: text, Value: p}
}

// decisive is the probability below which a difference is significant.
const decisive = 0.05

// percent writes a fraction in percent. There is no negative zero.
func percent(rate float64) string {
	s := strconv.FormatFloat(100*rate, 'f', 1, 64)
	if s == "-0.0" {
		return "0.0"
	}
	return s
}

// FullText is the text of the cell with its mark and its standard deviation.
func (c Cell) FullText() string {
	if c.Spread == "" {
		return c.Text + c.Mark
	}
	return c.Text + c.Mark + " ± " + c.Spread
}

// Marked returns the cell with a mark.
func (c Cell) Marked(mark string) Cell {
	c.Mark += mark
	return c
}

// Format is a rendering.
type Format string

// The formats.
const (
	Text     Format = "text"
	Markdown Format = "markdown"
	CSV      Format = "csv"
	LaTeX    Format = "latex"
	JSON     Format = "json"
)

// Formats are all formats.
func Formats() []Format { return []Format{Text, Markdown, CSV, LaTeX, JSON} }

// Render writes tables in a format.
func Render(w io.Writer, f Format, tables ...Table) error {
	for _, t := range tables {
		for i, row := range t.Rows {
			if len(row) != len(t.Columns) {
				return fmt.Errorf("table %s: row %d has %d cells for %d columns", t.ID, i+1, len(row), len(t.Columns))
			}
		}
	}
	var b bytes.Buffer
	var err error
	switch f {
	case Text:
		err = renderText(&b, tables)
	case Markdown:
		err = renderMarkdown(&b, tables)
	case CSV:
		err = renderCSV(&b, forPrograms(tables))
	case LaTeX:
		renderLaTeX(&b, tables)
	case JSON:
		err = renderJSON(&b, forPrograms(tables))
	default:
		err = fmt.Errorf("unknown format %q; there are %s", f, strings.Trim(fmt.Sprint(Formats()), "[]"))
	}
	if err != nil {
		return err
	}
	_, err = w.Write(b.Bytes())
	return err
}
